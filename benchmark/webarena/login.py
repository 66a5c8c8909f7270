"""How to log in on each of WebArena's sites: one adapter per software. Knows no task.

An adapter logs in on a page of its own context, of which the episode gets the cookies alone: neither the form nor the
header with the password is in the episode's record.
"""

import os
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from playwright.sync_api import BrowserContext, Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from benchmark.errors import UsageError
from browser.errors import ObservationFailed
from browser.observation import Frozen

LoginMode = Literal["ui", "header"]
# A cold Magento takes half a minute for its first page.
LOGIN_MS = 50_000.0


class SiteAdapter(Frozen):
    """What is known of a site's software."""

    software: str
    path: str
    """Of the page that holds the login form, or of any page where there is none; added to the site's address."""
    marks: tuple[str, ...]
    """Lower-case texts of that page's source, any of which tells the software."""
    user_field: str = ""
    """With `password_field`: selectors in the form; empty where nobody logs in."""
    password_field: str = ""
    header: str | None = None
    """The request header that logs in with "user:password", in the images that WebArena-Verified offers."""


class Account(Frozen):
    """Whom to log in as."""

    user: str
    password: str

    def __repr__(self) -> str:
        """Hide the password from tracebacks and logs."""
        return f"Account({self.user!r})"

    __str__ = __repr__


class Login(NamedTuple):
    """How to log in on a site, and as whom; None where nobody logs in."""

    adapter: SiteAdapter
    who: Account | None


ADAPTERS: Mapping[str, SiteAdapter] = {
    "shopping": SiteAdapter(
        software="a Magento shop",
        path="/customer/account/login/",
        marks=("login[username]",),
        user_field='input[name="login[username]"]',
        password_field='input[name="login[password]"]',
        header="X-M2-Customer-Auto-Login",
    ),
    "shopping_admin": SiteAdapter(
        software="Magento's administration",
        path="",
        marks=("login[username]",),
        user_field='input[name="login[username]"]',
        password_field='input[name="login[password]"]',
        header="X-M2-Admin-Auto-Login",
    ),
    "reddit": SiteAdapter(
        software="Postmill",
        path="/login",
        marks=('name="_username"', "postmill"),
        user_field='input[name="_username"]',
        password_field='input[name="_password"]',
        header="X-Postmill-Auto-Login",
    ),
    "gitlab": SiteAdapter(
        software="GitLab",
        path="/users/sign_in",
        marks=("user[login]",),
        user_field='input[name="user[login]"]',
        password_field='input[name="user[password]"]',
    ),
    "wikipedia": SiteAdapter(software="a copy of Wikipedia", path="", marks=("wikipedia", "kiwix")),
    "map": SiteAdapter(software="OpenStreetMap", path="", marks=("openstreetmap",)),
}
# The accounts that WebArena's images are published with.
ACCOUNTS: Mapping[str, Account] = {
    "shopping": Account(user="emma.lopez@gmail.com", password="Password.123"),
    "shopping_admin": Account(user="admin", password="admin1234"),
    "reddit": Account(user="MarvelsGrantMan136", password="test1234"),
    "gitlab": Account(user="byteblaze", password="hello1234"),
}


def account(site: str) -> Account | None:
    """Return whom to log in as: the published account, or what WA_<SITE>_LOGIN="user:password" says; None for nobody.

    Raises:
        UsageError: the variable holds no colon.
    """
    name = f"WA_{site.upper()}_LOGIN"
    named = os.environ.get(name)
    if not named or site not in ACCOUNTS:
        return ACCOUNTS.get(site)
    user, colon, password = named.partition(":")
    if not (user and colon and password):
        raise UsageError(f'{name} is no account; write "user:password".')
    return Account(user=user, password=password)


def webarena_logins(sites: Iterable[str]) -> dict[str, Login]:
    """Return how to log in on each of WebArena's own sites.

    Raises:
        UsageError: a variable names no account.
    """
    return {site: Login(ADAPTERS[site], account(site)) for site in sites}


def log_in(context: BrowserContext, login: Login, address: str, mode: LoginMode) -> None:
    """Give the context the cookies of someone who is logged in; nothing where nobody logs in.

    Raises:
        ObservationFailed: the login did not work.
    """
    adapter, who = login
    if who is None:
        return
    assert context.browser is not None
    header = adapter.header if mode == "header" else None
    headers = {header: f"{who.user}:{who.password}"} if header else {}
    aside = context.browser.new_context(extra_http_headers=headers)
    try:
        page = aside.new_page()
        page.set_default_timeout(LOGIN_MS)
        page.goto(address + adapter.path)
        if not header:
            _fill(page, adapter, who)
        if page.locator(adapter.password_field).count():
            raise ObservationFailed(f"The login on {adapter.software} was refused; check its account and address.")
        context.add_cookies(aside.cookies())  # type: ignore[arg-type]  # the same keys, under two names
    finally:
        aside.close()


def _fill(page: Page, adapter: SiteAdapter, who: Account) -> None:
    try:
        page.locator(adapter.user_field).fill(who.user)
        page.locator(adapter.password_field).fill(who.password)
        with page.expect_navigation(wait_until="load", timeout=LOGIN_MS):
            page.locator(adapter.password_field).press("Enter")
    except PlaywrightTimeout:
        # Playwright's own words would repeat what was filled in.
        raise ObservationFailed(
            f"The login form of {adapter.software} was not there, or led nowhere; check the address."
        ) from None
