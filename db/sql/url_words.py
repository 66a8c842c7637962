"""Masking of passwords: a database URL as people may see it, in a message or in a command that they are to type.

Nothing here parses: a URL that is wrong holds a secret all the same, wherever it went wrong. What cannot be told apart
is left out as a whole. Of a query only options that are known to be harmless are shown.
"""

from __future__ import annotations

import os
import re

SEPARATOR = ";"  # of several databases
HARMLESS = ("application_name", "channel_binding", "connect_timeout", "gssencmode", "host", "hostaddr", "port",
            "sslmode", "target_session_attrs", "user")  # fmt: skip
_KEYWORDS = re.compile(r"(?i)\bpass\w*\s*=")  # libpq's other spelling: host=h password=...
_NO_SCHEME = re.compile(r"[^/\s:@]+:[^\s]*@")  # me:password@host/name
_SERVER = re.compile(r"(?i)(postgres|mysql|mariadb|mssql|oracle)\w*(\+\w+)?(:|//)")


def is_path(text: str) -> bool:
    """Whether it names a file, and not a server in a spelling that is none of ours."""
    if "://" in text:
        return False
    looks_like_none = _NO_SCHEME.match(text) or _SERVER.match(text) or _KEYWORDS.search(text)
    return os.path.exists(text) or not looks_like_none


def masked(text: str) -> str:
    """How a message names what somebody gave for a database: paths as they are, of anything else what it began with."""
    if is_path(text):
        return text
    scheme, mark, _ = text.partition("://")
    return f"{scheme}://***" if mark and re.fullmatch(r"[\w+]{1,40}", scheme) else "***"


def hinted(text: str | None) -> str | None:
    """What a command that is to be typed gives for --db, and a program for db=: the URL without its password, which
    the server's own password file or $PGPASSWORD then gives; None where $ANYTILE_DB says it."""
    if not text or is_path(text) or text.startswith("sqlite"):
        return text
    shown = _without_secrets(text)
    return None if shown != text and text == os.environ.get("ANYTILE_DB", "").strip() else shown


def _without_secrets(text: str) -> str:
    scheme, mark, rest = text.partition("://")
    server, _, query = rest.partition("?")
    info, _, place = server.rpartition("@")
    if not mark or rest.count("@") > 1 or ("@" in rest and "@" not in server) or "=" in place:
        return masked(text)
    user = info.partition(":")[0]
    kept = [part for part in query.split("&") if part.partition("=")[0] in HARMLESS]
    options = "&".join(kept)
    return f"{scheme}://{user}{'@' if user else ''}{place}{'?' if options else ''}{options}"
