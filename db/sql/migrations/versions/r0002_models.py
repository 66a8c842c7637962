"""A cost model of the whole database, for each kind of target."""

import sqlalchemy as sa
from alembic import op

from anytile.db.sql.migrations.grants import grant_as

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "models",
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("kind", name="pk_models"),
    )
    grant_as("selections", "models")
