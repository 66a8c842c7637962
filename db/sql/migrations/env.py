"""What alembic runs. It always works on the connection it is handed, inside the transaction that is already open."""

from alembic import context

from anytile.db.sql.models import Base

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_as_batch=connection.dialect.name == "sqlite",  # SQLite alters a table by rebuilding it
)
with context.begin_transaction():
    context.run_migrations()
