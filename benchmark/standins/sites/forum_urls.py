"""The forum's addresses: all of django-spirit's own."""

from django.urls import include, path

urlpatterns = [path("", include("spirit.urls"))]
