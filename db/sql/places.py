"""Search path of databases: a text names one, or several in layers, as `user.db;postgresql://team/tuning;shared.db`.

Lookups go through the layers in order, writes go to the first that may be written.
"""

from __future__ import annotations

from anytile.core.errors import DatabaseError
from anytile.db.sql.engine import default_location, locate
from anytile.db.sql.names import in_environment, split


def places_in(text: str | None) -> tuple[str, ...]:
    """What a text names, or $ANYTILE_DB, or else the user's own."""
    return split(text or default_location())


def names_none(text: str | None) -> bool:
    """Whether it is the user's own database that is meant, with the packaged one below."""
    return not text and not in_environment()


def may_be_there(text: str | None) -> bool:
    """Whether reading can find one: a server is asked when it is opened, a file must exist."""
    if not text:
        try:
            default_location()
        except DatabaseError:  # a user without a home has none yet
            return False
    locations = [locate(place, readonly=True) for place in places_in(text)]
    return any(location.path is None or location.path.exists() for location in locations)
