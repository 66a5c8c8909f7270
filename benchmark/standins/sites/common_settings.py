"""What the settings of both stand-in sites share. Runs under the stand-ins' own interpreter, beside Django."""

import os
from pathlib import Path

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

LANGUAGE_CODE = "en-us"
LANGUAGES = [("en-us", "English")]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "/static/"
MEDIA_URL = "/media/"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": "ERROR"},
}

# Tables without the packages' migrations: a tenth of the time, and the same tables.
NO_MIGRATIONS = bool(os.environ.get("STANDIN_BUILDING"))


class NoMigrations:
    """Says of every app that it has none."""

    def __contains__(self, app: str) -> bool:
        return True

    def __getitem__(self, app: str) -> None:
        return None
