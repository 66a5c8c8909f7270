"""The shop with its dashboard: django-oscar."""

from pathlib import Path

from common_settings import *  # noqa: F403  # how Django's settings inherit
from common_settings import BUILT, NO_MIGRATIONS, NoMigrations
from oscar import INSTALLED_APPS as OSCAR_APPS
from oscar.defaults import *  # noqa: F403

INSTALLED_APPS = [*OSCAR_APPS]
SITE_ID = 1
ROOT_URLCONF = "shop_urls"
STATIC_ROOT = BUILT / "shop-static"
MEDIA_ROOT = BUILT / "shop-media"
MIGRATION_MODULES = NoMigrations() if NO_MIGRATIONS else {}
# Cookies know hosts and no ports: two sites of one host would overwrite each other's.
SESSION_COOKIE_NAME = "shop_session"
CSRF_COOKIE_NAME = "shop_csrf"

MIDDLEWARE = [
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "oscar.apps.basket.middleware.BasketMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [Path(__file__).with_name("templates")],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.template.context_processors.i18n",
                "django.contrib.messages.context_processors.messages",
                "oscar.apps.search.context_processors.search_form",
                "oscar.apps.checkout.context_processors.checkout",
                "oscar.apps.communication.notifications.context_processors.notifications",
                "oscar.core.context_processors.metadata",
            ]
        },
    }
]
AUTHENTICATION_BACKENDS = [
    "oscar.apps.customer.auth_backends.EmailBackend",
    "django.contrib.auth.backends.ModelBackend",
]
# Built with the data and left as it is: what the dashboard changes is found by its old words until the next build.
HAYSTACK_CONNECTIONS = {
    "default": {"ENGINE": "haystack.backends.whoosh_backend.WhooshEngine", "PATH": str(BUILT / "shop-index")}
}

OSCAR_SHOP_NAME = "Corner Shop"
OSCAR_DEFAULT_CURRENCY = "USD"
OSCAR_THUMBNAILER = "shop_pictures.AsItIs"
OSCAR_SEND_REGISTRATION_EMAIL = False
OSCAR_INITIAL_ORDER_STATUS = OSCAR_INITIAL_LINE_STATUS = "Pending"
OSCAR_ORDER_STATUS_PIPELINE = OSCAR_LINE_STATUS_PIPELINE = {
    "Pending": ("Processing", "Cancelled"),
    "Processing": ("Shipped", "Cancelled"),
    "Shipped": (),
    "Cancelled": (),
}
