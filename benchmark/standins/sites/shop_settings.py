"""The shop with its dashboard: django-oscar."""

from pathlib import Path

from common_settings import *  # noqa: F403  # how Django's settings inherit
from common_settings import MIDDLEWARE as SHARED
from oscar import INSTALLED_APPS as OSCAR_APPS
from oscar.defaults import *  # noqa: F403

INSTALLED_APPS = [*OSCAR_APPS]
SITE_ID = 1

MIDDLEWARE = [
    *SHARED,
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
