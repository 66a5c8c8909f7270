"""What can go wrong between an agent and a page. Knows neither models nor benchmarks.

    BrowserError
    ├── ActionRejected        the action does not fit the observation or the offered actions; nothing was done
    ├── ActionFailed          the action was tried and did not land; the page is still there
    │   └── ElementLost       its element is not on the page any more
    ├── ObservationFailed     the page could not be described; never decide on it
    ├── SiteSpoiled           the site is not in the state that the task begins from; nothing was decided
    ├── BrowserNotFound       no browser on this machine
    ├── BrowserStartFailed    a browser was found and did not start
    └── BrowserCrashed        the browser or its page is gone, or was killed because it hung

The first two reach an agent as `Observation.last_action_error`; the others are exceptions, and an episode
they end is not scored.
"""

import re

# One sentence must fit a prompt; a Playwright call log runs to 6,000 characters.
MESSAGE_LIMIT = 400

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_BLOCKER = re.compile(r"<(?P<tag>[\w-]+)(?P<attributes>[^>]*)>.*? intercepts pointer events")
_LOGS = re.compile(r"\n(?:Call log|Browser logs|=====)")
# What a browser that did not start wrote itself.
_STDERR = re.compile(r"\[err\] (.+)")


class BrowserError(Exception):
    """Root of everything this package raises on purpose."""


class ActionRejected(BrowserError):
    """The action was refused before anything happened; the message is fit to send back to a model."""


class ActionFailed(BrowserError):
    """The action was tried and did not land; the message says why in one sentence."""


class ElementLost(ActionFailed):
    """The action's element is not on the page any more; another may have taken its place."""


class ObservationFailed(BrowserError):
    """The page could not be described within its budget."""


class SiteSpoiled(BrowserError):
    """A task found its site other than it begins from, so that nothing done on it would say anything."""


class BrowserNotFound(BrowserError):
    """No browser is installed where this package looks."""


class BrowserStartFailed(BrowserError):
    """The browser was found and did not start."""


class BrowserCrashed(BrowserError):
    """The browser or page is gone; the environment starts a fresh one at the next reset."""


def one_sentence(error: BaseException) -> str:
    """Return a driver error as one short line: its first sentence, and what covered the target if it says so.

    A text it cannot read keeps its words and only loses length, so that nothing is invented.
    """
    text = _ANSI.sub("", str(error)).strip()
    blocker = _BLOCKER.search(text)
    if blocker:
        names = re.findall(r'(?:id|class)="([^"]+)"', blocker["attributes"])
        covering = " ".join([blocker["tag"], *names])
        return f"The element is covered by <{covering}>; close or move that first."[:MESSAGE_LIMIT]
    head = _LOGS.split(text, maxsplit=1)[0]
    said = _STDERR.search(text)
    line = " ".join(f"{head} ({said[1]})".split() if said else head.split())
    return line[:MESSAGE_LIMIT] or type(error).__name__
