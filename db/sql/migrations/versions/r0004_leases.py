"""Leases: which process has what of a campaign in hand."""

import sqlalchemy as sa
from alembic import op

from anytile.db.sql.migrations.grants import grant_as

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

ID = sa.String(36)


def upgrade() -> None:
    op.create_table(
        "leases",
        sa.Column("id", ID, nullable=False),
        sa.Column("campaign_id", ID, nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("process", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("batch", sa.JSON(), nullable=False),
        sa.Column("beat", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_leases_campaign_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_leases"),
    )
    op.create_index("ix_leases_campaign_id", "leases", ["campaign_id"])
    grant_as("campaigns", "leases")  # which change too
