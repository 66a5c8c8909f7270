"""How to log in on the stand-in sites, and as whom. Knows no task."""

from collections.abc import Mapping

from benchmark.webarena_login import Account, Login, SiteAdapter

# The sites' own data has them: benchmark/standins/sites.
STANDIN_LOGINS: Mapping[str, Login] = {
    "shopping": Login(
        SiteAdapter(
            software="the stand-in shop",
            path="/accounts/login/",
            marks=("login-username",),
            user_field='input[name="login-username"]',
            password_field='input[name="login-password"]',
        ),
        Account(user="ella.hart@example.com", password="kettle-and-tent-7"),
    ),
    "shopping_admin": Login(
        SiteAdapter(
            software="the stand-in shop's dashboard",
            path="/login/",
            marks=('name="username"',),
            user_field='input[name="username"]',
            password_field='input[name="password"]',
        ),
        Account(user="admin", password="dashboard-4"),
    ),
    "reddit": Login(
        SiteAdapter(
            software="the stand-in forum",
            path="/user/login/",
            marks=('name="username"',),
            user_field='input[name="username"]',
            password_field='input[name="password"]',
        ),
        Account(user="rowan", password="forum-and-oak-3"),
    ),
}
