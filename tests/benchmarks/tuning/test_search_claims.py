"""What the search benchmark claims where noise hides the best, and how it knows of the noise."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from anytile.core.errors import SpecError
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config, ConfigSpace, Knob
from anytile.schedules.workloads.constructors import dense
from anytile.tuner.search.state import SearchState
from benchmarks.subjects.spacetable import SpaceTable, resolution
from benchmarks.tuning.search import DATA, HALF, LOUD, Play, judge, noise_of

SPACE = ConfigSpace("flat", (Knob("a", tuple(range(40)), ""), Knob("b", tuple(range(25)), "")))
NOISE = 0.01


def measured(seed: int, slower: float = 1.0, spread: float = 0.0) -> SpaceTable:
    """Times that differ by `spread` from one value of a knob to the next, and by noise."""
    rng = random.Random(seed)
    seconds = [slower * 1e-4 * (1 + spread * c.int("a")) * math.exp(rng.gauss(0, NOISE)) for c in SPACE]
    return SpaceTable(
        workload=dense(64, 768, 768),
        target=Target.host(1),
        template="flat",
        version=1,
        machine={},
        points=((),),
        knobs=SPACE.knobs,
        configs=tuple(SPACE),
        seconds=(tuple(seconds),),
    )


@pytest.mark.parametrize("slower", [1.0, 1.3])
@pytest.mark.parametrize("spread", [0.0, 0.002])
def test_two_measurements_tell_the_noise(slower: float, spread: float) -> None:
    """Whatever the configs are worth, and though the machine was slower as a whole."""
    found = resolution(measured(1, spread=spread), measured(2, slower, spread), ())
    assert found == pytest.approx(math.sqrt(2) * NOISE, rel=0.25)


def test_the_same_times_have_no_noise() -> None:
    assert resolution(measured(1), measured(1), ()) == 0.0


def test_other_configs_say_nothing() -> None:
    one = measured(1)
    other = replace(one, configs=tuple(Config.of(a=c["a"], b=99) for c in one.configs))
    with pytest.raises(SpecError, match="none of its configs"):
        resolution(one, other, ())


def plays(**regrets: float) -> dict[str, list[Play]]:
    return {who: [Play((regret,) * 64, (0.0,), SearchState(SPACE))] for who, regret in regrets.items()}


def test_chance_is_the_measure_where_it_is_told_apart() -> None:
    for noise in (0.0, 0.019):
        claim = judge("t", plays(evolve=0.009, random=0.02), 1000, noise)[0]
        assert (claim.value, claim.floor, claim.ok) == (pytest.approx(0.45), HALF, True)
        assert not judge("t", plays(evolve=0.011, random=0.02), 1000, noise)[0].ok


def test_within_the_noise_evolve_must_be_as_well() -> None:
    claim = judge("t", plays(evolve=0.019, random=0.02), 1000, 0.02)[0]
    assert "noise" in claim.claim
    assert claim.ok
    assert not judge("t", plays(evolve=0.021, random=0.02), 1000, 0.02)[0].ok


def test_a_loud_machine_excuses_nothing() -> None:
    claim = judge("t", plays(evolve=0.015, random=0.02), 1000, 2 * LOUD)[0]
    assert (claim.floor, claim.ok) == (HALF, False)


def test_a_flat_space_without_regret_asks_for_none() -> None:
    assert judge("t", plays(evolve=0.0, random=0.0), 1000, 0.02)[0].ok
    assert not judge("t", plays(evolve=0.001, random=0.0), 1000)[0].ok


def test_what_is_known_of_the_committed_tables() -> None:
    """One space was measured twice, and its fastest hundred have next to nobody in common; the other has one table."""
    table = SpaceTable.load(DATA / "dense-768x768.json.gz")
    point = table.points[0]
    assert 0.01 < noise_of("dense-768x768", table, point) < 0.04
    assert noise_of("dense-768x768", replace(table, resolution=0.001), point) == 0.001
    assert noise_of("dense-768x768", replace(table, template="another"), point) == 0.0
    again = SpaceTable.load(DATA / "again" / "dense-768x768.json.gz")
    fastest = [set(sorted(times, key=times.__getitem__)[:100]) for times in (table.times(point), again.times(point))]
    assert len(fastest[0] & fastest[1]) < 10
    other = SpaceTable.load(DATA / "dense-768x768-runtime.json.gz")
    assert noise_of("dense-768x768-runtime", other, other.points[0]) == 0.0
