"""The tables of version 0.1."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ID = sa.String(36)


def upgrade() -> None:
    op.create_table(
        "workloads",
        sa.Column("id", ID, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("op", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_workloads"),
        sa.UniqueConstraint("text", name="uq_workloads_text"),
    )
    op.create_index("ix_workloads_op", "workloads", ["op"])
    op.create_table(
        "targets",
        sa.Column("id", ID, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_targets"),
        sa.UniqueConstraint("text", name="uq_targets_text"),
    )
    op.create_table(
        "devices",
        sa.Column("id", ID, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_devices"),
        sa.UniqueConstraint("text", name="uq_devices_text"),
    )
    op.create_table(
        "tool_versions",
        sa.Column("id", ID, nullable=False),
        sa.Column("anytile", sa.Text(), nullable=False),
        sa.Column("template", sa.Integer(), nullable=False),
        sa.Column("codegen", sa.Integer(), nullable=False),
        sa.Column("llvm", sa.Text(), nullable=False),
        sa.Column("python", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tool_versions"),
    )
    op.create_table(
        "campaigns",
        sa.Column("id", ID, nullable=False),
        sa.Column("target_id", ID, nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("finished", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["target_id"], ["targets.id"], name="fk_campaigns_target_id"),
        sa.PrimaryKeyConstraint("id", name="pk_campaigns"),
    )
    op.create_index("ix_campaigns_created", "campaigns", ["created"])
    op.create_table(
        "campaign_workloads",
        sa.Column("campaign_id", ID, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("workload_id", ID, nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_campaign_workloads_campaign_id"),
        sa.ForeignKeyConstraint(["workload_id"], ["workloads.id"], name="fk_campaign_workloads_workload_id"),
        sa.PrimaryKeyConstraint("campaign_id", "position", name="pk_campaign_workloads"),
    )
    op.create_table(
        "trials",
        sa.Column("id", ID, nullable=False),
        sa.Column("campaign_id", ID, nullable=True),
        sa.Column("workload_id", ID, nullable=False),
        sa.Column("target_id", ID, nullable=False),
        sa.Column("device_id", ID, nullable=True),
        sa.Column("versions_id", ID, nullable=True),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("config", sa.Text(), nullable=False),
        sa.Column("point", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("samples", sa.JSON(), nullable=False),
        sa.Column("corrected", sa.Double(), nullable=True),
        sa.Column("drift", sa.Double(), nullable=False),
        sa.Column("build_seconds", sa.Double(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("seed_order", sa.Integer(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_trials_campaign_id"),
        sa.ForeignKeyConstraint(["workload_id"], ["workloads.id"], name="fk_trials_workload_id"),
        sa.ForeignKeyConstraint(["target_id"], ["targets.id"], name="fk_trials_target_id"),
        sa.ForeignKeyConstraint(["device_id"], ["devices.id"], name="fk_trials_device_id"),
        sa.ForeignKeyConstraint(["versions_id"], ["tool_versions.id"], name="fk_trials_versions_id"),
        sa.PrimaryKeyConstraint("id", name="pk_trials"),
    )
    op.create_index(
        "ix_trials_fastest",
        "trials",
        ["workload_id", "target_id", "status", "kind", "versions_id", "point", "corrected"],
    )
    op.create_index("ix_trials_replay", "trials", ["campaign_id", "seed_order"])
    op.create_table(
        "selections",
        sa.Column("id", ID, nullable=False),
        sa.Column("workload_id", ID, nullable=False),
        sa.Column("target_id", ID, nullable=False),
        sa.Column("device_id", ID, nullable=True),
        sa.Column("versions_id", ID, nullable=False),
        sa.Column("campaign_id", ID, nullable=True),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["workload_id"], ["workloads.id"], name="fk_selections_workload_id"),
        sa.ForeignKeyConstraint(["target_id"], ["targets.id"], name="fk_selections_target_id"),
        sa.ForeignKeyConstraint(["device_id"], ["devices.id"], name="fk_selections_device_id"),
        sa.ForeignKeyConstraint(["versions_id"], ["tool_versions.id"], name="fk_selections_versions_id"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_selections_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_selections"),
    )
    op.create_index("ix_selections_newest", "selections", ["workload_id", "target_id", "created"])
    op.create_table(
        "lookup_misses",
        sa.Column("id", ID, nullable=False),
        sa.Column("workload_id", ID, nullable=False),
        sa.Column("target_id", ID, nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("first", sa.Double(), nullable=False),
        sa.Column("last", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["workload_id"], ["workloads.id"], name="fk_lookup_misses_workload_id"),
        sa.ForeignKeyConstraint(["target_id"], ["targets.id"], name="fk_lookup_misses_target_id"),
        sa.PrimaryKeyConstraint("id", name="pk_lookup_misses"),
    )
