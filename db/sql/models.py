"""The tables, as SQLAlchemy 2 typed models. What is declared here and what the migrations build are the same schema.

Rows that stand for a text (a workload, a target, a device, a set of tool versions) have an id derived from that text,
so that two databases which never met agree on it and merging is a union by id. The text itself is always there too: an
id is an address, never the key's meaning. Everything else carries a random UUID made where the record was made.
"""

from __future__ import annotations

import uuid
from typing import Any

from sqlalchemy import JSON, Double, ForeignKey, Index, Integer, MetaData, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.sql.base import ReadOnlyColumnCollection

# Every schema revision this version knows, oldest first; the last is what it works with. Kept here, and not asked of
# alembic, because every opening of a database compares with it and importing alembic takes longer than the opening.
REVISIONS = ("0001", "0002", "0003", "0004")
REVISION = REVISIONS[-1]
# Of a revision that adds tables and changes none, those tables: what is older can be read without them.
ADDED = {"0002": frozenset({"models"}), "0003": frozenset({"verdicts"}), "0004": frozenset({"leases"})}

_NAMESPACE = uuid.UUID("6f0c2d7e-2f57-5d0c-9f5e-0a6c1f2b7a11")


def id_of(kind: str, *texts: str) -> str:
    """The id of a row that stands for a text: the same on every machine."""
    return str(uuid.uuid5(_NAMESPACE, "\n".join((kind, *texts))))


class Base(DeclarativeBase):
    """The declarative base of all tables: how constraints are named."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


Id = String(36)


class WorkloadRow(Base):
    """A workload, by its text."""

    __tablename__ = "workloads"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    text: Mapped[str] = mapped_column(Text, unique=True)
    op: Mapped[str] = mapped_column(String(64), index=True)


class TargetRow(Base):
    """A target, by its text."""

    __tablename__ = "targets"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    text: Mapped[str] = mapped_column(Text, unique=True)
    kind: Mapped[str] = mapped_column(String(16))


class DeviceRow(Base):
    """A machine that measured, in its own words."""

    __tablename__ = "devices"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    text: Mapped[str] = mapped_column(Text, unique=True)


class VersionsRow(Base):
    """The tools that made a record."""

    __tablename__ = "tool_versions"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    anytile: Mapped[str] = mapped_column(Text)
    template: Mapped[int] = mapped_column(Integer)
    codegen: Mapped[int] = mapped_column(Integer)
    llvm: Mapped[str] = mapped_column(Text)
    python: Mapped[str] = mapped_column(Text)


class CampaignRow(Base):
    """A campaign: its target, what was asked, and how it stands."""

    __tablename__ = "campaigns"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    target_id: Mapped[str] = mapped_column(ForeignKey("targets.id"))
    options: Mapped[dict[str, Any]] = mapped_column(JSON)
    state: Mapped[str] = mapped_column(String(16))
    created: Mapped[float] = mapped_column(Double, index=True)
    finished: Mapped[float | None] = mapped_column(Double)


class CampaignWorkloadRow(Base):
    """The workloads of a campaign, in its order."""

    __tablename__ = "campaign_workloads"

    campaign_id: Mapped[str] = mapped_column(ForeignKey("campaigns.id"), primary_key=True)
    position: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    workload_id: Mapped[str] = mapped_column(ForeignKey("workloads.id"))


class TrialRow(Base):
    """A trial: one measured config, failures included."""

    __tablename__ = "trials"
    __table_args__ = (
        # What lookup asks: the fastest of one kind at one point, without reading the others.
        Index("ix_trials_fastest", "workload_id", "target_id", "status", "kind", "versions_id", "point", "corrected"),
        Index("ix_trials_replay", "campaign_id", "seed_order"),
    )

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    campaign_id: Mapped[str | None] = mapped_column(ForeignKey("campaigns.id"))
    workload_id: Mapped[str] = mapped_column(ForeignKey("workloads.id"))
    target_id: Mapped[str] = mapped_column(ForeignKey("targets.id"))
    device_id: Mapped[str | None] = mapped_column(ForeignKey("devices.id"))
    versions_id: Mapped[str | None] = mapped_column(ForeignKey("tool_versions.id"))
    template: Mapped[str] = mapped_column(Text)
    config: Mapped[str] = mapped_column(Text)
    point: Mapped[str] = mapped_column(Text)  # canonical JSON, so that equal points are equal texts
    kind: Mapped[str] = mapped_column(String(16))
    status: Mapped[str] = mapped_column(String(16))
    reason: Mapped[str] = mapped_column(Text)
    samples: Mapped[list[float]] = mapped_column(JSON)
    corrected: Mapped[float | None] = mapped_column(Double)  # median of the samples over the drift; only where ok
    drift: Mapped[float] = mapped_column(Double)
    build_seconds: Mapped[float] = mapped_column(Double)
    facts: Mapped[dict[str, float]] = mapped_column(JSON)
    seed_order: Mapped[int] = mapped_column(Integer)
    created: Mapped[float] = mapped_column(Double)


class SelectionRow(Base):
    """A plan that a campaign chose."""

    __tablename__ = "selections"
    __table_args__ = (Index("ix_selections_newest", "workload_id", "target_id", "created"),)

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    workload_id: Mapped[str] = mapped_column(ForeignKey("workloads.id"))
    target_id: Mapped[str] = mapped_column(ForeignKey("targets.id"))
    device_id: Mapped[str | None] = mapped_column(ForeignKey("devices.id"))
    versions_id: Mapped[str] = mapped_column(ForeignKey("tool_versions.id"))
    campaign_id: Mapped[str | None] = mapped_column(ForeignKey("campaigns.id"))
    plan: Mapped[str] = mapped_column(Text)
    created: Mapped[float] = mapped_column(Double)


class VerdictRow(Base):
    """A second look at a selection or a trial. What it looked at may have stayed in another database."""

    __tablename__ = "verdicts"
    __table_args__ = (Index("ix_verdicts_newest", "workload_id", "target_id", "about", "created"),)

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    workload_id: Mapped[str] = mapped_column(ForeignKey("workloads.id"))
    target_id: Mapped[str] = mapped_column(ForeignKey("targets.id"))
    device_id: Mapped[str | None] = mapped_column(ForeignKey("devices.id"))
    versions_id: Mapped[str | None] = mapped_column(ForeignKey("tool_versions.id"))
    about: Mapped[str] = mapped_column(Id)
    ruling: Mapped[str] = mapped_column(String(16))
    said: Mapped[str] = mapped_column(Text)
    ratio: Mapped[float | None] = mapped_column(Double)
    created: Mapped[float] = mapped_column(Double)


class LeaseRow(Base):
    """A process that works on a campaign, and what it has in hand of it. Of no use once the campaign is over."""

    __tablename__ = "leases"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    campaign_id: Mapped[str] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"), index=True)
    worker: Mapped[str] = mapped_column(Text)
    process: Mapped[dict[str, Any]] = mapped_column(JSON)
    state: Mapped[str] = mapped_column(String(16))
    batch: Mapped[dict[str, Any]] = mapped_column(JSON)
    beat: Mapped[int] = mapped_column(Integer)


class MissRow(Base):
    """A lookup that no exact record answered, counted per workload and target."""

    __tablename__ = "lookup_misses"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    workload_id: Mapped[str] = mapped_column(ForeignKey("workloads.id"))
    target_id: Mapped[str] = mapped_column(ForeignKey("targets.id"))
    count: Mapped[int] = mapped_column(Integer)
    first: Mapped[float] = mapped_column(Double)
    last: Mapped[float] = mapped_column(Double)


class ModelRow(Base):
    """The cost model that was trained on the whole database, one for each kind of target."""

    __tablename__ = "models"

    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    id: Mapped[str] = mapped_column(Id)
    document: Mapped[str] = mapped_column(Text)
    created: Mapped[float] = mapped_column(Double)


def columns(model: type[Base]) -> ReadOnlyColumnCollection[str, Any]:
    """The columns of the bare table. Statements are made of these: those of the class would make SQLAlchemy set up the
    mappings of all classes, which costs the first lookup of a process three times what the lookup does."""
    return model.__table__.c


def lacking(revision: str) -> frozenset[str] | None:
    """The tables that a database of an older revision has not yet; None where it cannot be read as it is."""
    later = REVISIONS[REVISIONS.index(revision) + 1 :]
    if any(one not in ADDED for one in later):
        return None
    return frozenset(name for one in later for name in ADDED[one])
