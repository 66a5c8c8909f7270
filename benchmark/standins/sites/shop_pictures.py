"""Pictures of the shop as they are: no package that makes thumbnails is installed."""

from typing import Any

from oscar.core.thumbnails import AbstractThumbnailer


class AsItIs(AbstractThumbnailer):
    """Takes a picture for its own thumbnail."""

    def generate_thumbnail(self, source: Any, **_: Any) -> Any:
        """Return the picture itself."""
        return source

    def delete_thumbnails(self, source: Any) -> None:
        """Do nothing: there are none."""
