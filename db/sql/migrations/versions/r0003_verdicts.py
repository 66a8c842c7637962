"""Verdicts: second looks at what is stored. Whoever may read or write plans may do so with these."""

import sqlalchemy as sa
from alembic import op

from anytile.db.sql.migrations.grants import grant_as

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

ID = sa.String(36)


def upgrade() -> None:
    op.create_table(
        "verdicts",
        sa.Column("id", ID, nullable=False),
        sa.Column("workload_id", ID, nullable=False),
        sa.Column("target_id", ID, nullable=False),
        sa.Column("device_id", ID, nullable=True),
        sa.Column("versions_id", ID, nullable=True),
        sa.Column("about", ID, nullable=False),
        sa.Column("ruling", sa.String(16), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("ratio", sa.Double(), nullable=True),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["workload_id"], ["workloads.id"], name="fk_verdicts_workload_id"),
        sa.ForeignKeyConstraint(["target_id"], ["targets.id"], name="fk_verdicts_target_id"),
        sa.ForeignKeyConstraint(["device_id"], ["devices.id"], name="fk_verdicts_device_id"),
        sa.ForeignKeyConstraint(["versions_id"], ["tool_versions.id"], name="fk_verdicts_versions_id"),
        sa.PrimaryKeyConstraint("id", name="pk_verdicts"),
    )
    op.create_index("ix_verdicts_newest", "verdicts", ["workload_id", "target_id", "about", "created"])
    grant_as("selections", "verdicts")
