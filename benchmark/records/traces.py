"""Which episodes' traces are kept, and where: `<run>/traces/<episode_id>.zip`. Knows no benchmark."""

import logging
from pathlib import Path
from typing import Literal

from benchmark.records.rows import EpisodeRecord
from browser.session import BrowserSession

TraceMode = Literal["off", "failures", "all"]
FOLDER = "traces"

_log = logging.getLogger(__name__)


def trace_path(run: Path, episode_id: str) -> Path:
    """Return where the trace of an episode is, if it was kept."""
    return run / FOLDER / f"{episode_id}.zip"


def keep_trace(session: BrowserSession, mode: TraceMode, run: Path, record: EpisodeRecord) -> None:
    """End the trace of the episode that just ended, and keep it if the mode says so; "off" does nothing.

    "failures" are all episodes without reward, whoever ended them. A trace that cannot be kept is told in the log.
    """
    if mode == "off":
        return
    wanted = mode == "all" or record.reward <= 0
    fault = session.stop_trace(trace_path(run, record.episode_id) if wanted else None)
    if fault and wanted:
        _log.warning("No trace of %s seed %s: %s", record.task, record.seed, fault)
