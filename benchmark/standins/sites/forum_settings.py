"""The forum: django-spirit."""

from common_settings import *  # noqa: F403  # how Django's settings inherit
from common_settings import MIDDLEWARE as SHARED

APPS = (
    "core", "admin", "search", "user", "user.admin", "user.auth", "category", "category.admin", "topic", "topic.admin",
    "topic.favorite", "topic.moderate", "topic.notification", "topic.private", "topic.unread", "comment",
    "comment.bookmark", "comment.flag", "comment.flag.admin", "comment.history", "comment.like", "comment.poll",
)  # fmt: skip
INSTALLED_APPS = [
    *(f"django.contrib.{app}" for app in ("auth", "contenttypes", "sessions", "messages", "staticfiles", "humanize")),
    *(f"spirit.{app}" for app in APPS),
    "djconfig",
    "haystack",
]

MIDDLEWARE = [
    *SHARED,
    "spirit.user.middleware.ActiveUserMiddleware",
    "spirit.core.middleware.PrivateForumMiddleware",
    "djconfig.middleware.DjConfigMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.contrib.auth.context_processors.auth",
                "django.template.context_processors.i18n",
                "django.template.context_processors.media",
                "django.template.context_processors.static",
                "django.template.context_processors.tz",
                "django.template.context_processors.request",
                "django.contrib.messages.context_processors.messages",
                "djconfig.context_processors.config",
            ]
        },
    }
]
STORAGES = {
    "default": {"BACKEND": "spirit.core.storage.OverwriteFileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
AUTHENTICATION_BACKENDS = ["spirit.user.auth.backends.UsernameAuthBackend"]
LOGIN_URL = "spirit:user:auth:login"
LOGIN_REDIRECT_URL = "spirit:index"
LOGOUT_REDIRECT_URL = "spirit:index"
HAYSTACK_SIGNAL_PROCESSOR = "haystack.signals.BaseSignalProcessor"
ST_SITE_URL = "http://127.0.0.1/"
# It would make a quick agent wait ten seconds between two posts.
ST_RATELIMIT_ENABLE = False
ST_RATELIMIT_SKIP_TIMEOUT_CHECK = True
ST_DOUBLE_POST_THRESHOLD_MINUTES = 0
