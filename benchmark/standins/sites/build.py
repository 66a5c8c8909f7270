"""Builds one site's database, files and search index: `python build.py shop`; common_settings.py says where.

Runs under the stand-ins' own interpreter and imports nothing of this project.
"""

import importlib
import os
import random
import shutil
import string
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

# The clock of the build: rows that are stamped with the present are so with this.
BUILT_AT = datetime(2024, 6, 1, 12, 0, tzinfo=UTC)


def main(site: str) -> int:
    """Build the site; return 0."""
    hold_still()
    os.environ |= {"DJANGO_SETTINGS_MODULE": f"{site}_settings", "STANDIN_BUILDING": "1"}
    import django
    from django.conf import settings
    from django.core.management import call_command

    django.setup()
    call_command("migrate", run_syncdb=True, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    if site == "shop":
        media = Path(settings.MEDIA_ROOT)
        media.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(settings.STATIC_ROOT) / "oscar" / "img" / "image_not_found.jpg", media)
    importlib.import_module(f"{site}_seed").seed()
    call_command("rebuild_index", interactive=False, verbosity=0)
    return 0


def hold_still() -> None:
    """Make clock and chance the same in each build; before anything of Django's is imported by name."""
    from django.utils import crypto, timezone

    drawn = random.Random(7)

    def letters(length: int, allowed_chars: str = string.ascii_letters + string.digits) -> str:
        return "".join(drawn.choice(allowed_chars) for _ in range(length))

    clock: Any = timezone
    clock.now = lambda: BUILT_AT
    chance: Any = crypto
    chance.get_random_string = letters


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
