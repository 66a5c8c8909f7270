"""What the settings of both stand-in sites share. Runs under the stand-ins' own interpreter, beside Django."""

import os
from pathlib import Path

SITE = os.environ["DJANGO_SETTINGS_MODULE"].removesuffix("_settings")
DATABASE = Path(os.environ["STANDIN_DATABASE"])
BUILT = Path(os.environ["STANDIN_BUILT"])

# Nothing here is secret: the sites hold made-up data and listen on loopback. Fixed, so that each build is the same.
SECRET_KEY = "stand-in sites on loopback hold nothing that needs a secret"
# Quick to compute: each episode logs in anew.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AUTH_PASSWORD_VALIDATORS: list[dict[str, str]] = []

DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": DATABASE, "OPTIONS": {"timeout": 20}}}
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
# A reset puts the database back under a running server: what a server kept in memory would outlive it.
CACHES = {name: {"BACKEND": "django.core.cache.backends.dummy.DummyCache"} for name in ("default", "st_rate_limit")}
SESSION_ENGINE = "django.contrib.sessions.backends.db"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"

MIDDLEWARE = [
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]

LANGUAGE_CODE = "en-us"
LANGUAGES = [("en-us", "English")]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "/static/"
MEDIA_URL = "/media/"
ROOT_URLCONF = f"{SITE}_urls"
STATIC_ROOT = BUILT / f"{SITE}-static"
MEDIA_ROOT = BUILT / f"{SITE}-media"
# Cookies know hosts and no ports: two sites of one host would overwrite each other's.
SESSION_COOKIE_NAME = f"{SITE}_session"
CSRF_COOKIE_NAME = f"{SITE}_csrf"
# Built with the data and left as it is: what was changed since is found by its old words until the next build.
HAYSTACK_CONNECTIONS = {
    "default": {"ENGINE": "haystack.backends.whoosh_backend.WhooshEngine", "PATH": str(BUILT / f"{SITE}-index")}
}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": "ERROR"},
}


class NoMigrations:
    """Says of every app that it has none."""

    def __contains__(self, app: str) -> bool:
        return True

    def __getitem__(self, app: str) -> None:
        return None


# A build makes tables without the packages' migrations: a tenth of the time, and the same tables.
MIGRATION_MODULES = NoMigrations() if os.environ.get("STANDIN_BUILDING") else {}
