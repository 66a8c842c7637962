"""Grants of new tables: whom a server's administrator let into an older one is let into these alike.

`GRANT ... ON ALL TABLES` is of the tables of that day: a role that reads a team's database would else be refused by the
first migration that adds one.
"""

import sqlalchemy as sa
from alembic import op

_GRANTED = """
    SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END, a.privilege_type
    FROM pg_class c CROSS JOIN aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
    WHERE c.oid = to_regclass(:like) AND a.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
"""


def grant_as(like: str, table: str) -> None:
    """Grant what was granted of one table of another, where there are roles at all."""
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    for role, privilege in connection.execute(sa.text(_GRANTED), {"like": like}).all():
        op.execute(f"GRANT {privilege} ON {table} TO {role}")
