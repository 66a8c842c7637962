"""Serialisation of the database-wide cost model: JSON, with XGBoost's own inside, to be kept in a tuning database.

Whoever may write to the database may have written it, and XGBoost's reader is C++ that trusts its input. So every tree
is looked through before XGBoost sees it: children come after their parents, splits name columns that are there, numbers
are finite, and nothing is larger than what a training makes. Of what XGBoost writes beside the trees no more is passed
on than is known here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anytile.codegen.version import CODEGEN_VERSION
from anytile.core.command_hint import command_line
from anytile.core.errors import AnytileError, DatabaseError, SpecError, UnsupportedError
from anytile.core.record_codec import Misfit
from anytile.core.version import __version__
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import MAX_DIM
from anytile.tuner.estimate.columns import Columns
from anytile.tuner.estimate.learned import KEPT, Learned
from anytile.tuner.estimate.training import SIZES, Holdout, Share
from anytile.tuner.protocol.codecs import codec_of
from anytile.tuner.search.model import CostModel, Member

FORMAT = 1
MAX_CHARACTERS = 8 * 2**20
_MOST_MEMBERS, _MOST_TREES, _MOST_NODES, _MOST_COLUMNS = 8, 512, 1024, 4096
_OBJECTIVES = ("rank:pairwise", "reg:squarederror")
_WHOLE = ("left_children", "right_children", "parents", "split_indices", "default_left", "split_type")
_STATISTICS = ("base_weights", "sum_hessian", "loss_changes")  # of the training: no prediction needs them
_NUMBERS = ("split_conditions", *_STATISTICS)
_EMPTY = ("categories", "categories_nodes", "categories_segments", "categories_sizes")
_NO_PARENT = 2**31 - 1
_LATEST = 2**33  # seconds: a day that a calendar has
_HIGHEST = 3e38  # what XGBoost can hold
_MOST_SCALE = 1e30  # what its predictions can be divided by, as its inverse can


@dataclass(frozen=True, slots=True)
class _Booster:
    centre: float
    scale: float
    booster: Mapping[str, Any]


@dataclass(frozen=True)
class _Document:
    format: int
    kind: str
    anytile: str
    codegen: int
    templates: Mapping[str, int]
    created: float
    trained_on: int
    holdout: tuple[Share, ...]
    columns: tuple[str, ...]
    words: Mapping[str, float]
    sizes: Mapping[str, tuple[int, ...]]
    threads: tuple[int, ...]
    portfolio: Mapping[str, tuple[Config, ...]]
    members: tuple[_Booster, ...]


_DOCUMENT = codec_of(_Document)


@dataclass(frozen=True)
class Kept:
    """A model as a database has it: what was learnt, when, and how good it was on what it had not seen."""

    learned: Learned
    holdout: Holdout
    created: float


def to_text(kept: Kept) -> str:
    learned = kept.learned
    made = _Document(
        FORMAT,
        learned.kind,
        __version__,
        learned.codegen,
        learned.templates,
        kept.created,
        learned.trained_on,
        kept.holdout.shares,
        learned.columns.names,
        learned.columns.words,
        learned.sizes,
        learned.threads,
        learned.portfolio,
        tuple(_Booster(m.centre, m.scale, _kept(json.loads(m.to_json()))) for m in learned.model.members),
    )
    text = json.dumps(_DOCUMENT.dump(made), separators=(",", ":"), allow_nan=False)
    if len(text) > MAX_CHARACTERS:
        raise DatabaseError(f"the cost model takes {len(text)} characters; expected {MAX_CHARACTERS} at most")
    return text


def _kept(booster: Mapping[str, Any]) -> dict[str, Any]:
    """What reading looks at; it is half of what XGBoost writes."""
    learner = booster["learner"]
    boosting = learner["gradient_booster"]
    trees = [
        {"id": tree["id"]}
        | {name: tree[name] for name in (*_WHOLE, "split_conditions")}
        | {name: [0.0] * len(tree["parents"]) for name in _STATISTICS}
        for tree in boosting["model"]["trees"]
    ]
    return {
        "learner": {
            "gradient_booster": {"model": {"trees": trees}, "name": boosting["name"]},
            "learner_model_param": {"num_feature": learner["learner_model_param"]["num_feature"]},
            "objective": {"name": learner["objective"]["name"]},
        }
    }


def from_text(text: str) -> Kept:
    """What is wrong with it is said in a line, and that it was made with other versions too."""
    try:
        if len(text) > MAX_CHARACTERS:
            raise SpecError(f"has {len(text)} characters; expected {MAX_CHARACTERS} at most")
        data = json.loads(text, parse_constant=_no_constant)
        if isinstance(data, dict) and data.get("format", FORMAT) != FORMAT:
            raise SpecError(f"format {data['format']!r} is not {FORMAT}")
        made = _DOCUMENT.load(data)
        _check(made)
        if made.codegen != CODEGEN_VERSION:
            raise UnsupportedError(f"was made with codegen {made.codegen}, here it is {CODEGEN_VERSION}")
        members = [Member.of_json(json.dumps(_known(m.booster)).encode(), m.centre, m.scale) for m in made.members]
    except (ValueError, RecursionError, AnytileError) as error:
        what = str(error) if isinstance(error, UnsupportedError) else f"cannot be read ({error})"
        raise DatabaseError(f"the cost model {what}; `{command_line('db', 'train')}` makes it anew") from None
    learned = Learned(
        made.kind,
        CostModel.of(members),
        Columns(made.columns, made.words),
        made.portfolio,
        made.sizes,
        made.threads,
        made.templates,
        made.codegen,
        made.trained_on,
    )
    return Kept(learned, Holdout(made.holdout), made.created)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _check(made: _Document) -> None:
    if not 1 <= len(made.members) <= _MOST_MEMBERS:
        raise Misfit(f"are {len(made.members)}; expected 1 to {_MOST_MEMBERS}", "members")
    if not 1 <= len(made.columns) <= _MOST_COLUMNS or len(set(made.columns)) < len(made.columns):
        raise Misfit(f"are {len(made.columns)}; expected 1 to {_MOST_COLUMNS} different ones", "columns")
    if not 0 <= made.created < _LATEST or not 0 <= made.trained_on <= MAX_DIM:
        raise Misfit("has a time or a number of trials that cannot be", "created")
    if any(not 0 < share.share <= 1 for share in made.holdout):
        raise Misfit("has a share that is not above 0 and 1 at most", "holdout")
    if any(not 0 <= number <= MAX_DIM for number in made.words.values()):
        raise Misfit(f"has a number that is not 0 to {MAX_DIM}", "words")
    if any(not 1 <= len(of) <= SIZES or not 0 <= min(of) <= max(of) <= MAX_DIM for of in made.sizes.values()):
        raise Misfit(f"has an operator without 1 to {SIZES} sizes, or one that is not 0 to {MAX_DIM}", "sizes")
    if any(len(of) > KEPT for of in made.portfolio.values()):
        raise Misfit(f"has more than {KEPT} configs of a template", "portfolio")
    for i, member in enumerate(made.members):
        if not 1 / _MOST_SCALE < member.scale < _MOST_SCALE or not abs(member.centre) < _MOST_SCALE:
            what = f"has the centre {member.centre:g} and the scale {member.scale:g}; expected some to compute with"
            raise Misfit(what, "members", str(i))
        try:
            _check_booster(member.booster, len(made.columns))
        except (KeyError, TypeError, IndexError) as error:
            raise Misfit(f"is no booster of trees ({type(error).__name__}: {error})", "members", str(i)) from None
        except Misfit as error:
            raise error.inside(str(i)).inside("members") from None


def _check_booster(booster: Mapping[str, Any], columns: int) -> None:
    learner = booster["learner"]
    boosting = learner["gradient_booster"]
    trees = boosting["model"]["trees"]
    said = (boosting["name"], learner["objective"]["name"], learner["learner_model_param"]["num_feature"])
    if said[0] != "gbtree" or said[1] not in _OBJECTIVES or said[2] != str(columns):
        raise Misfit(f"is {said}; expected gbtree, one of {_OBJECTIVES}, {columns} columns", "booster")
    if not 1 <= len(trees) <= _MOST_TREES:
        raise Misfit(f"are {len(trees)}; expected 1 to {_MOST_TREES}", "trees")
    for i, tree in enumerate(trees):
        _check_tree(tree, i, columns)


def _check_tree(tree: Mapping[str, Any], number: int, columns: int) -> None:
    nodes = len(tree["left_children"])
    if not 1 <= nodes <= _MOST_NODES or tree["id"] != number:
        raise Misfit(f"has {nodes} nodes and id {tree['id']}; expected 1 to {_MOST_NODES}, and {number}", str(number))
    for name in (*_WHOLE, *_NUMBERS):
        values = tree[name]
        kinds = (int,) if name in _WHOLE else (int, float)
        if type(values) is not list or len(values) != nodes or any(type(v) not in kinds for v in values):
            raise Misfit(f"is no list of {nodes} numbers", str(number), name)
        if any(not -_HIGHEST <= v <= _HIGHEST for v in values):
            raise Misfit("has a number that is too large, or none", str(number), name)
    parents = {0: _NO_PARENT}
    for at, (left, right) in enumerate(zip(tree["left_children"], tree["right_children"], strict=True)):
        if (left, right) == (-1, -1):
            continue
        for child in (left, right):
            if not at < child < nodes or child in parents:
                raise Misfit(f"node {at} has the child {child}", str(number))
            parents[child] = at
    if [parents.get(at) for at in range(nodes)] != tree["parents"]:
        raise Misfit("has nodes that are nobody's children, or another's", str(number))
    if not all(0 <= v < columns for v in tree["split_indices"]) or any(v != 0 for v in tree["split_type"]):
        raise Misfit(f"splits by what is none of {columns} columns", str(number))
    if any(v not in (0, 1) for v in tree["default_left"]):
        raise Misfit("has a default that is neither left nor right", str(number))


def _known(booster: Mapping[str, Any]) -> dict[str, Any]:
    """What XGBoost reads, made of what was looked through and of what it writes itself for such a model."""
    learner = booster["learner"]
    trees = learner["gradient_booster"]["model"]["trees"]
    columns = learner["learner_model_param"]["num_feature"]
    made = [
        {name: tree[name] for name in (*_WHOLE, *_NUMBERS)}
        | {name: [] for name in _EMPTY}
        | {"id": i, "tree_param": {
            "num_deleted": "0", "num_feature": columns, "num_nodes": str(len(tree["parents"])), "size_leaf_vector": "1",
        }}
        for i, tree in enumerate(trees)
    ]  # fmt: skip
    model = {
        "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(len(made))},
        "iteration_indptr": list(range(len(made) + 1)),
        "tree_info": [0] * len(made),
        "trees": made,
    }
    return {
        "learner": {
            "attributes": {},
            "feature_names": [],
            "feature_types": [],
            "gradient_booster": {"model": model, "name": "gbtree"},
            # Only orders count, so what all predictions have in common may be left out.
            "learner_model_param": {
                "base_score": "0E0", "boost_from_average": "0", "num_class": "0", "num_feature": columns,
                "num_target": "1",
            },
            "objective": {"name": "reg:squarederror", "reg_loss_param": {"scale_pos_weight": "1"}},
        },
        "version": [2, 1, 4],
    }  # fmt: skip
