"""Django's own admin over a small table, as a program: prints its address, and serves it until it is ended.

Started by test_real_pages.py in a process of its own. The application is Django's, as it is installed; this file only
says which table it shows.
"""

import sys
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from django.conf import settings

HERE = Path(sys.argv[1])
USER, PASSWORD = "ann", "correct horse"

settings.configure(
    DEBUG=True,
    SECRET_KEY="for tests only",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": HERE / "shop.sqlite3"}},
    INSTALLED_APPS=["django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes",
                    "django.contrib.sessions", "django.contrib.messages", "django.contrib.staticfiles"],
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
                "django.contrib.auth.middleware.AuthenticationMiddleware",
                "django.contrib.messages.middleware.MessageMiddleware"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": {
        "context_processors": ["django.template.context_processors.request",
                               "django.contrib.auth.context_processors.auth",
                               "django.contrib.messages.context_processors.messages"]}}],
    STATIC_URL="static/",
)  # fmt: skip
django.setup()

from django.contrib import admin  # noqa: E402
from django.contrib.auth.models import Group, User  # noqa: E402
from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import path  # noqa: E402

urlpatterns = [path("admin/", admin.site.urls)]


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def main() -> None:
    call_command("migrate", verbosity=0)
    User.objects.create_superuser(USER, password=PASSWORD)
    for i in range(150):
        User.objects.create_user(f"user{i:03}", is_staff=i % 3 == 0)
    Group.objects.create(name="Readers")
    with make_server("127.0.0.1", 0, StaticFilesHandler(get_wsgi_application()), handler_class=Quiet) as server:
        print(f"http://127.0.0.1:{server.server_port}/admin/", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
