"""The last look at an episode's page, as a PNG: `<run>/pictures/<episode_id>.png`. Knows no benchmark."""

from pathlib import Path
from typing import NamedTuple

from browser.session import BrowserSession

FOLDER = "pictures"
# A healthy page is drawn within a second; past this its browser is killed, and the next episode gets a fresh one.
PICTURE_S = 5.0


class Picture(NamedTuple):
    """What became of a picture."""

    path: str | None = None
    """In the run's folder; None where none was asked for, or it failed."""
    error: str | None = None
    """The name of the exception that stood in its way, which is all that may be said of it."""


NO_PICTURE = Picture()


def no_picture(episode_id: str) -> Picture:
    """Take none: what a run does unless it is asked."""
    return NO_PICTURE


def picture_path(run: Path, episode_id: str) -> Path:
    """Return where the picture of an episode is, if there is one."""
    return run / FOLDER / f"{episode_id}.png"


def keep_picture(session: BrowserSession, run: Path, episode_id: str, limit_s: float = PICTURE_S) -> Picture:
    """Write what the active page shows now, credential fields masked, in place of any older picture; never raises."""
    path = picture_path(run, episode_id)
    try:
        path.unlink(missing_ok=True)
        with session.deadline(limit_s, "the last picture"):
            session.stop_loading()
            png = session.picture()
        path.parent.mkdir(exist_ok=True)
        # Replaced in one go: a picture that is there is whole.
        new = path.with_name(path.name + ".new")
        new.write_bytes(png)
        new.replace(path)
    # The episode is over, and its result stands, whatever happens here: a browser that is gone, a page that hangs, a
    # full disk.
    except Exception as error:
        return Picture(error=type(error).__name__)
    return Picture(path=path.relative_to(run).as_posix())
