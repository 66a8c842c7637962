"""What the code of a config is like reaches the model: it orders what was built, and its absence costs nothing."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from anytile.db.records.records import Status
from anytile.schedules.templates.base.space import Config, ConfigSpace, Knob
from anytile.tuner.search import evolve as evolve_module
from anytile.tuner.search.evolve import propose
from anytile.tuner.search.state import Observation, SearchState

SPACE = ConfigSpace("toy", tuple(Knob(name, tuple(range(1, 9)), "") for name in ("rows", "columns", "unroll")))
Facts = Mapping[str, float]


def spills(config: Config) -> float:
    """The whim of a register allocator: no knob tells."""
    return float(random.Random(str(config)).randrange(10))


def seconds(config: Config) -> float:
    return 1e-5 * (1 + spills(config))


def facts(configs: Sequence[Config]) -> list[Facts | None]:
    return [{"spills": spills(c), "object_bytes": 1000.0 + c.int("unroll")} for c in configs]


def state(seed: int = 0, known: int = 60) -> SearchState:
    tried = SPACE.sample(random.Random(seed), known)
    history = tuple(Observation(c, seconds(c), facts=of or {}) for c, of in zip(tried, facts(tried), strict=True))
    return SearchState(SPACE, history, seed)


def mean_spills(proposed: Sequence[Config]) -> float:
    return sum(map(spills, proposed)) / len(proposed)


@pytest.mark.slow
def test_where_only_spills_explain_the_time_they_decide() -> None:
    """Of two nominees for each place the better half must be taken; without facts it is a guess."""
    with_facts = [mean_spills(propose(replace(state(s), facts=facts), 16)[:8]) for s in range(5)]
    without = [mean_spills(propose(state(s), 16)[:8]) for s in range(5)]
    assert sum(with_facts) < 0.7 * sum(without)


def test_the_same_facts_give_the_same_proposals() -> None:
    assert propose(replace(state(), facts=facts), 16) == propose(replace(state(), facts=facts), 16)


def test_facts_nobody_knows_change_nothing() -> None:
    bare = replace(state(), history=tuple(replace(o, facts={}) for o in state().history))
    unknown = replace(bare, facts=lambda configs: [{}] * len(configs))
    assert propose(unknown, 16) == propose(bare, 16)


def test_some_facts_may_be_unknown() -> None:
    """A history from before there were facts, and a runner that knows those of some."""
    half = tuple(o if i % 2 else replace(o, facts={}) for i, o in enumerate(state().history))
    patchy = replace(state(), history=half, facts=lambda cs: [f if i % 3 else {} for i, f in enumerate(facts(cs))])
    assert len(set(propose(patchy, 16))) == 16


def test_few_are_built_and_only_when_there_is_a_model() -> None:
    asked: list[Sequence[Config]] = []

    def counted(configs: Sequence[Config]) -> list[Facts | None]:
        asked.append(configs)
        return facts(configs)

    propose(replace(state(known=3), facts=counted), 16)
    assert asked == []
    propose(replace(state(), facts=counted), 16)
    (configs,) = asked
    assert len(set(configs)) == len(configs) <= 16 * evolve_module.NOMINEES
    assert not state().seen & set(configs)


def test_what_does_not_compile_is_proposed_to_be_stored() -> None:
    broken: set[Config] = set()

    def some(configs: Sequence[Config]) -> list[Facts | None]:
        broken.update(configs[::5])
        return [None if c in broken else f for c, f in zip(configs, facts(configs), strict=True)]

    proposed = propose(replace(state(), facts=some), 16)
    assert broken
    assert broken <= set(proposed)
    assert len(set(proposed)) == 16


def test_where_nothing_compiles_the_search_goes_on() -> None:
    history = (*state().history, Observation(SPACE[0], math.inf, Status.COMPILE_ERROR))
    nothing = replace(state(), history=history, facts=lambda configs: [None] * len(configs))
    assert len(set(propose(nothing, 16))) == 16
