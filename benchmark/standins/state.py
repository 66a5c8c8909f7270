"""Puts a site's database back to how it was built, and tells where it differs from that. Knows no server."""

import sqlite3
from contextlib import closing
from pathlib import Path

# What logging in and looking at pages leaves behind: it changes nothing that a task asks for.
TRACES: frozenset[str] = frozenset({
    "django_session", "analytics_productrecord", "analytics_userproductview", "analytics_userrecord",
    "analytics_usersearch", "spirit_comment_bookmark_commentbookmark", "spirit_topic_unread_topicunread",
})  # fmt: skip
TRACE_COLUMNS: frozenset[str] = frozenset({
    "auth_user.last_login", "spirit_topic_topic.view_count", "spirit_user_userprofile.last_seen",
})  # fmt: skip
# A site that is being written to waits this long for the other side.
BUSY_S = 20.0


def put_back(built: Path, live: Path) -> None:
    """Overwrite a database with the built one, under a server that has it open; milliseconds.

    Raises:
        sqlite3.Error: it cannot be read or written.
    """
    with closing(sqlite3.connect(built)) as source, closing(sqlite3.connect(live, timeout=BUSY_S)) as target:
        source.backup(target)


def changed_tables(built: Path, live: Path) -> tuple[str, ...]:
    """Return the names of the tables that hold other rows than the built database, traces of looking left out.

    Raises:
        sqlite3.Error: one of them cannot be read.
    """
    with closing(sqlite3.connect(f"{live.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_S)) as database:
        database.execute("ATTACH ? AS built", (f"{built.absolute().as_uri()}?mode=ro",))
        named = database.execute("SELECT name FROM built.sqlite_master WHERE type = 'table' ORDER BY name")
        tables = [name for (name,) in named if name not in TRACES and not name.startswith("sqlite_")]
        return tuple(table for table in tables if _differs(database, table))


def _differs(database: sqlite3.Connection, table: str) -> bool:
    listed = [row[1] for row in database.execute(f'PRAGMA built.table_info("{table}")')]
    columns = ", ".join(f'"{name}"' for name in listed if f"{table}.{name}" not in TRACE_COLUMNS)
    ours, theirs = (f'SELECT {columns} FROM {where}."{table}"' for where in ("main", "built"))
    query = f"SELECT EXISTS (SELECT * FROM ({ours} EXCEPT {theirs})) OR EXISTS (SELECT * FROM ({theirs} EXCEPT {ours}))"
    return bool(database.execute(query).fetchone()[0])
