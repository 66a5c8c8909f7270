"""One long-lived Chromium: its contexts, its pages, and its clean death. Knows neither tasks, models nor benchmarks."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import psutil
from browsergym.core.constants import BROWSERGYM_ID_ATTRIBUTE
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, ViewportSize
from playwright.sync_api import Dialog as PlaywrightDialog
from playwright.sync_api import Error as PlaywrightError

from browser.errors import BrowserCrashed, BrowserNotFound, BrowserStartFailed, one_sentence
from browser.install import find_browser, window_browser
from browser.observation import Dialog, Frozen
from browser.picture import mask
from browser.process import acquire_driver, descendants, driver_alive, driver_died, interrupt, kill_tree, release_driver
from browser.trace import Trace
from browser.world import World, watcher_source

Isolation = Literal["page", "context"]

# Chromium obeys only the last --disable-features switch, so Playwright's list (1.44) and ours go into one.
PLAYWRIGHT_DISABLED = (
    "--disable-features=ImprovedCookieControls,LazyFrameLoading,GlobalMediaControls,DestroyProfileOnBrowserClose,"
    "MediaRouter,DialMediaRouteProvider,AcceptCHFrame,AutoExpandDetailsElement,CertificateTransparencyComponentUpdater,"
    "AvoidUnnecessaryBeforeUnloadCheckSync,Translate,HttpsUpgrades,PaintHolding"
)
# Overlay scrollbars lay pages out differently headed and headless; RenderDocument makes every reload pay for a new
# frame host.
OURS_DISABLED = (
    "OverlayScrollbars,ExtendedOverlayScrollbars,RenderDocument,"
    "IsolateOrigins,site-per-process,IsolateSandboxedIframes,OriginKeyedProcessesByDefault"
)

# Role and accessible name of every element, as the browser computes them, readable in the page.
NAMES_FROM_BROWSER = "--enable-blink-features=ComputedAccessibilityInfo"
# Frames of all origins in the process of their page, as in headless-shell, so that one driver session reads them all.
ONE_PROCESS = "--disable-site-isolation-trials"

# A page that opens more tabs floods the browser: the others are closed at once, and counted.
MAX_TABS = 12
# Dialogs told of in one observation, and characters of each.
MAX_DIALOGS = 5
DIALOG_LIMIT = 300
# A script that has opened more dialogs than this since the last observation, without a pause, is stopped.
ENDLESS_DIALOGS = 25

START_S = 30.0
# Resetting or opening a page takes about 10 ms, at most a second on a loaded machine.
OPEN_S = 20.0
# Packing the pictures and snapshots of an episode takes up to a second.
TRACE_S = 20.0
# Writing all that an episode has loaded, with bodies, takes seconds.
HAR_S = 60.0
# A healthy Chromium closes in about 60 ms; past this it hangs and is killed.
CLOSE_S = 5.0
# 400 episodes on one page grew Chromium from 684 to 751 MB; a fresh one costs half a second.
EPISODES_PER_BROWSER = 500
# Playwright reports a killed browser within milliseconds.
NOTICE_S = 2.0
MODIFIERS = ("Shift", "Control", "Alt", "Meta")


class BrowserOptions(Frozen):
    """How to start the browser."""

    executable: str | None = None
    """Path of a Chromium; None looks for one (see install.py)."""
    headless: bool = True
    episodes_per_browser: int = EPISODES_PER_BROWSER
    dialogs: Literal["accept", "dismiss"] = "accept"
    """The answer to alert, confirm and prompt, which hold up their page: OK (to a prompt its default text), or Cancel.
    A page that asks whether it may be left is always left. BrowserGym dismisses all."""
    trace: bool = False
    """Trace each page that is opened; see `stop_trace`. A trace shows all that was typed, passwords too."""


class PageSettings(Frozen):
    """What a task asks of its page; two episodes with equal settings can share one."""

    width: int = 1280
    height: int = 720
    timeout_ms: float = 5000
    locale: str | None = None
    timezone_id: str | None = None
    har: str | None = None
    """Path of a HAR file for all that is requested, bodies included; written when the context is closed. It shows
    passwords that are typed into pages, and cookies."""


class Chat:
    """BrowserGym's chat without the second browser it opens to show one; tasks read `messages`."""

    def __init__(self) -> None:
        self.messages: list[dict[str, object]] = []

    def add_message(self, role: str, msg: str) -> None:
        """Append a message in the form BrowserGym's tasks read."""
        self.messages.append({"role": role, "message": msg})


class BrowserSession:
    """One Chromium with one open context; started at the first page, started anew after a crash."""

    def __init__(self, options: BrowserOptions | None = None) -> None:
        self.options = options or BrowserOptions()
        self.browser_version = ""
        self._driver: Playwright | None = None
        self._browser: Browser | None = None
        self._processes: set[psutil.Process] = set()
        self._episodes = 0
        self._overdue = False
        self._page_crashed = False
        self._failed = False
        self._forget_pages()

    def _forget_pages(self) -> None:
        self._context: BrowserContext | None = None
        self._settings: PageSettings | None = None
        self._first_page: Page | None = None
        self._worlds: dict[Page, World] = {}
        self._active: Page | None = None
        self._trace: Trace | None = None
        self._dialogs: list[Dialog] = []
        self._dialogs_untold = 0
        self._unanswered: set[World] = set()  # asked whether they still answer
        self._tabs_refused = 0

    def open_page(self, settings: PageSettings, isolation: Isolation) -> Page:
        """Return the page of a new episode.

        "context" gives a fresh context: nothing of an earlier episode is left. "page" takes the open page again and
        resets what a full reload would keep (cookies, storage, history, held keys, other tabs); the caller must
        navigate it before use.

        Raises:
            BrowserNotFound, BrowserStartFailed, BrowserCrashed
        """
        self._episodes += 1
        worn = self._failed or self._episodes > self.options.episodes_per_browser
        if self._browser is not None and (worn or not self._connected()):
            self.close()
        if self._browser is None:
            self._start()
            self._episodes, self._failed = 1, False
        with self.deadline(OPEN_S, "opening a page"):
            page = self._reused_page() if isolation == "page" and self._settings == settings else None
            page = page or self._fresh_context(settings)
            if self._trace is not None:
                self._trace.begin()
            return page

    def close_pages(self) -> None:
        """Close the open context with its pages, so that the HAR of its requests is on disk; the browser stays.

        Raises:
            BrowserCrashed: the browser is gone or hung.
        """
        if self._context is None:
            return
        context = self._context
        with self.deadline(HAR_S, "closing the pages"):
            context.close()
        self._forget_pages()

    def stop_trace(self, path: Path | None) -> str | None:
        """End the trace that began with the last page; write it to `path`, or drop it. Never raises.

        Returns:
            Why there is no trace, as a sentence; None where all went well.
        """
        if self._trace is None:
            return "The browser was gone." if self.options.trace else "The session was not told to trace."
        try:
            with self.deadline(TRACE_S, "writing the trace"):
                return self._trace.end(path)
        except BrowserCrashed as error:
            return str(error)

    def forget_history(self) -> None:
        """Make the page that is open now the only one in its tab's history, as in a tab just opened."""
        if self._first_page is not None:
            self.world(self._first_page).cdp.send("Page.resetNavigationHistory")

    def page(self) -> Page:
        """Return the active page: the last one opened that is still there, as a person would see it.

        Raises:
            BrowserCrashed: the browser is gone.
        """
        if self._context is None or not self._connected():
            raise BrowserCrashed("The browser is gone; reset the environment to start a fresh one.")
        if self._active is None or self._active.is_closed():
            pages = self.pages()
            self._active = pages[-1] if pages else self._context.new_page()
        return self._active

    def world(self, page: Page | None = None) -> World:
        """Return the probe of a page, of the active one where none is given."""
        page = page or self.page()
        if page not in self._worlds:
            self._worlds = {known: world for known, world in self._worlds.items() if not known.is_closed()}
            self._worlds[page] = World(page)
        return self._worlds[page]

    def picture(self) -> bytes:
        """Return a PNG of the active page's viewport, in CSS pixels, with fields for passwords and card data masked."""
        before = self.world().credential_boxes()
        png = self.page().screenshot(scale="css", animations="allow")
        return mask(png, (*before, *self.world().credential_boxes()))

    def stop_loading(self) -> None:
        """Leave the active page as it stands, as a browser's stop button does: until it has loaded, a picture waits."""
        self.world().cdp.send("Page.stopLoading")

    def _connected(self) -> bool:
        return self._browser is not None and driver_alive() and self._browser.is_connected()

    def pages(self) -> list[Page]:
        """Return the open pages, oldest first, without those that are refused and closed in a moment."""
        return self._context.pages[:MAX_TABS] if self._context is not None else []

    def _fresh_context(self, settings: PageSettings) -> Page:
        assert self._browser is not None
        if self._context is not None:
            self._context.close()
        self._forget_pages()
        self._context = self._browser.new_context(
            viewport=ViewportSize(width=settings.width, height=settings.height),
            locale=settings.locale,
            timezone_id=settings.timezone_id,
            record_har_path=settings.har,
            # What was posted is in the file itself; "omit" and traces leave it out.
            record_har_content="embed" if settings.har else None,
        )
        self._context.set_default_timeout(settings.timeout_ms)
        self._context.add_init_script(watcher_source())
        self._context.on("page", self._activate)
        self._first_page = self._context.new_page()
        self._settings = settings
        # Before any script of a page: a session that comes later cannot stop one that never pauses.
        self.world(self._first_page)
        if self.options.trace:
            self._trace = Trace(self._context)
        return self._first_page

    def _activate(self, page: Page) -> None:
        page.on("dialog", self._answer)
        page.on("crash", self._on_crash)
        if self._context is not None and len(self._context.pages) > MAX_TABS:
            self._tabs_refused += 1
            with suppress(PlaywrightError):
                page.close()
            return
        self._active = page

    def _on_crash(self, page: Page) -> None:
        """End a wait for the page being looked at: a crashed page answers no call. Other tabs just close."""
        if page is self._active:
            self._page_crashed = True
            kill_tree(self._processes)
        else:
            with suppress(PlaywrightError):
                page.close()

    def _answer(self, dialog: PlaywrightDialog) -> None:
        """Answer a dialog at once: its page stands still until then."""
        accept = dialog.type == "beforeunload" or self.options.dialogs == "accept"
        answer = (dialog.default_value if dialog.type == "prompt" else "OK") if accept else "Cancel"
        if len(self._dialogs) < MAX_DIALOGS:
            kind: Any = dialog.type
            message = " ".join(dialog.message.split())[:DIALOG_LIMIT]
            self._dialogs.append(Dialog(kind=kind, message=message, answer=answer[:DIALOG_LIMIT]))
        else:
            self._dialogs_untold += 1
        with suppress(PlaywrightError):
            if accept:
                dialog.accept(answer if dialog.type == "prompt" else None)
            else:
                dialog.dismiss()
            if self._dialogs_untold % ENDLESS_DIALOGS == 1 and dialog.page is not None:
                self._stop_endless(self.world(dialog.page))

    def _stop_endless(self, world: World) -> None:
        """End a script that opens dialog after dialog, if it is one script.

        Dialogs of many short scripts, as of a timer, leave the page able to answer in between: there a stop would hit
        whatever runs next, also the probe, which then never answers. Each call waits beside the others.
        """
        if world in self._unanswered:
            world.cdp.send("Runtime.terminateExecution")
            return
        self._unanswered.add(world)
        try:
            world.cdp.send("Runtime.evaluate", {"expression": "0"})
        finally:
            self._unanswered.discard(world)

    def told(self) -> tuple[tuple[Dialog, ...], int, int]:
        """Return the dialogs since the last call, how many more there were, and how many tabs were refused."""
        told = tuple(self._dialogs), self._dialogs_untold, self._tabs_refused
        self._dialogs, self._dialogs_untold, self._tabs_refused = [], 0, 0
        return told

    def _reused_page(self) -> Page | None:
        """The open page, reset; None where there is none or it cannot be reset."""
        with suppress(PlaywrightError):
            if self._reset_page():
                return self.page()
        return None

    def _reset_page(self) -> bool:
        """Bring the open page to what a fresh one would be once navigated; False where there is none to reuse."""
        page, context = self._first_page, self._context
        if page is None or context is None or page.is_closed():
            return False
        cdp = self.world(page).cdp
        for other in context.pages:
            if other is not page:
                other.close()
        self._active = page
        page.mouse.move(0, 0)
        if self.world(page).call("held")["held"] is not False:
            page.mouse.up()
            for key in MODIFIERS:
                page.keyboard.up(key)
        context.clear_cookies()
        if page.url.startswith("http"):
            origin = "/".join(page.url.split("/", 3)[:3])
            cdp.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "local_storage,indexeddb"})
            cdp.send("DOMStorage.clear", {"storageId": {"securityOrigin": origin, "isLocalStorage": False}})
        return True

    @contextmanager
    def deadline(self, seconds: float, what: str) -> Iterator[None]:
        """Kill the browser if the block takes longer: Playwright's evaluate has no timeout of its own.

        Raises:
            BrowserCrashed: the time ran out, or the page crashed or the browser went away during the block.
        """
        if not driver_alive():
            raise BrowserCrashed(f"Playwright's driver is gone; {what} was not begun.")
        self._overdue = self._page_crashed = False
        done = threading.Event()
        timer = threading.Timer(seconds, self._time_out, [threading.get_ident(), done])
        timer.daemon = True
        timer.start()
        try:
            yield
        except Exception as error:
            self._failed = True  # whatever it was, the next episode gets a fresh browser
            if self._overdue:
                raise BrowserCrashed(f"No answer to {what} within {seconds:g} s; the browser was killed.") from error
            if self._page_crashed:
                raise BrowserCrashed(f"The page crashed during {what}; the browser was killed.") from error
            # Playwright says that the driver's pipe closed by a plain Exception.
            gone = driver_died(closed=type(error) is Exception)
            if gone or (isinstance(error, PlaywrightError) and not self._connected()):
                raise BrowserCrashed(f"The browser went away during {what}: {one_sentence(error)}") from error
            raise
        finally:
            done.set()
            timer.cancel()

    def _time_out(self, waiting_thread: int, done: threading.Event) -> None:
        """End a wait: first by killing the browser; where even that is not noticed, the driver is dead too."""
        self._overdue = True
        kill_tree(self._processes)
        if not done.wait(NOTICE_S) and not driver_alive():
            interrupt(waiting_thread, BrowserCrashed)

    def _executable(self) -> Path:
        named = Path(self.options.executable) if self.options.executable else None
        if not self.options.headless:
            return window_browser(named)
        executable = named or find_browser()
        if executable is None:
            raise BrowserNotFound('No Chromium was found; run "make setup" or set BROWSER_EXECUTABLE to one.')
        return executable

    def _start(self) -> None:
        executable = self._executable()
        self._driver = acquire_driver()
        before = descendants()
        try:
            self._browser = self._driver.chromium.launch(
                executable_path=str(executable),
                headless=self.options.headless,
                args=[f"{PLAYWRIGHT_DISABLED},{OURS_DISABLED}", NAMES_FROM_BROWSER, ONE_PROCESS],
                # BrowserGym shows scrollbars: they take 15 pixels of the layout, so parity needs them.
                ignore_default_args=["--hide-scrollbars", PLAYWRIGHT_DISABLED],
                timeout=START_S * 1000,
            )
        except PlaywrightError as error:
            self.close()
            reason = one_sentence(error)
            raise BrowserStartFailed(f'{executable} did not start: {reason}; "make doctor" says more.') from error
        # Where BrowserGym's tasks and actions look for element ids.
        self._driver.selectors.set_test_id_attribute(BROWSERGYM_ID_ATTRIBUTE)
        self.browser_version = self._browser.version
        self._processes = descendants() - before

    def close(self) -> None:
        """Close the browser and return when its processes are gone; safe to call twice, and after a crash."""
        browser, processes = self._browser, self._processes
        self._browser, self._processes = None, set()
        self._forget_pages()
        if browser is not None and driver_alive():
            killer = threading.Timer(CLOSE_S, kill_tree, [processes])
            killer.daemon = True
            killer.start()
            with suppress(PlaywrightError):
                browser.close()
            killer.cancel()
        kill_tree(processes)
        if self._driver is not None:
            self._driver = None
            release_driver()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
