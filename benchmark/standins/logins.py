"""How to log in on the stand-in sites, and as whom. Knows no task."""

from collections.abc import Mapping

from benchmark.webarena.login import Account, Login, SiteAdapter


def _login(software: str, path: str, who: Account, prefix: str = "") -> Login:
    """A form whose two fields Django names, perhaps with a prefix."""
    adapter = SiteAdapter(
        software=software,
        path=path,
        marks=(f'name="{prefix}username"',),
        user_field=f'input[name="{prefix}username"]',
        password_field=f'input[name="{prefix}password"]',
    )
    return Login(adapter, who)


# The sites' own data has the accounts: benchmark/standins/sites.
STANDIN_LOGINS: Mapping[str, Login] = {
    "shopping": _login(
        "the stand-in shop",
        "/accounts/login/",
        Account(user="ella.hart@example.com", password="kettle-and-tent-7"),
        prefix="login-",
    ),
    "shopping_admin": _login("the stand-in shop's dashboard", "/login/", Account(user="admin", password="dashboard-4")),
    "reddit": _login("the stand-in forum", "/user/login/", Account(user="rowan", password="forum-and-oak-3")),
}
