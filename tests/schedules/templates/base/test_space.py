"""Config spaces: one order, exact inverses, errors that name knob and rule."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import SpecError
from anytile.schedules.templates.base.space import MAX_CONFIG, MAX_KNOBS, Config, ConfigSpace, Constraint, Knob

SPACE = ConfigSpace(
    "toy",
    (Knob("tile", (1, 2, 4, 8), "rows"), Knob("order", ("mn", "nm"), "loops"), Knob("unroll", (1, 2), "steps")),
    (Constraint("code", "at most 8 steps", lambda c: int(c["tile"]) * int(c["unroll"]) <= 8),),
)
VALUES = st.integers(-99, 99) | st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,6}", fullmatch=True), VALUES, max_size=5))
def test_config_text_round_trip(values: dict[str, int | str]) -> None:
    config = Config(tuple(values.items()))
    assert Config.parse(str(config)) == config
    assert all(config[name] == value for name, value in values.items())


def test_a_config_does_not_care_for_the_order_of_its_knobs() -> None:
    assert Config.of(b=1, a="x") == Config.parse("a=x, b=1") == Config.parse("b=1,a=x,")
    assert str(Config.of(b=1, a="x")) == "a=x,b=1"
    assert Config.of(a=1, b=2).with_(b=3) == Config.of(a=1, b=3)
    assert Config.of(a=-1).int("a") == -1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (",".join(f"k{i}=1" for i in range(MAX_KNOBS + 1)), f"has {MAX_KNOBS + 1} knobs; expected {MAX_KNOBS} at most"),
        ("a=" + "x" * MAX_CONFIG, f"has {MAX_CONFIG + 2} characters; expected {MAX_CONFIG} at most"),
    ],
)
def test_a_config_that_somebody_wrote_is_no_longer_than_one_can_be(text: str, complaint: str) -> None:
    with pytest.raises(SpecError) as caught:
        Config.parse(text)
    assert complaint in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("word", ["--5", "-", "\u00b2", "1_0", "9" * 5000])
def test_what_only_resembles_a_number_is_a_word(word: str) -> None:
    assert Config.parse(f"a={word}") == Config.of(a=word)


@pytest.mark.parametrize("text", ["a", "=1", "a=1,a=2", "a=1,b", ","])
def test_malformed_configs(text: str) -> None:
    if text == ",":
        assert Config.parse(text) == Config(())
    else:
        with pytest.raises(SpecError, match="is not knob=value, or the knob is named twice"):
            Config.parse(text)


def test_missing_knobs_of_a_config() -> None:
    config = Config.of(a=1, b="x")
    with pytest.raises(SpecError, match="config a=1,b=x has no knob 'c'"):
        _ = config["c"]
    with pytest.raises(SpecError, match="b='x' is not a whole number"):
        config.int("b")


def test_the_order_is_the_knobs_own_and_index_is_its_inverse() -> None:
    assert len(SPACE) == 14
    assert str(SPACE[0]) == "order=mn,tile=1,unroll=1"
    assert str(SPACE[len(SPACE) - 1]) == "order=nm,tile=8,unroll=1"
    assert [SPACE.index(c) for c in SPACE] == list(range(len(SPACE)))
    assert str(SPACE) == "toy: tile in {1, 2, 4, 8}; order in {mn, nm}; unroll in {1, 2} | code"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tile=1,order=mn", r"knob unroll is missing; expected one of \(1, 2\)"),
        ("tile=1,order=mn,unroll=1,zz=3", "toy has no knob 'zz'"),
        ("tile=3,order=mn,unroll=1", r"tile=3 is not one of \(1, 2, 4, 8\)"),
        ("tile=1,order=1,unroll=1", "order=1 is not one of"),
        ("tile=8,order=mn,unroll=2", "violates code: at most 8 steps"),
    ],
)
def test_what_is_wrong_with_a_config(text: str, reason: str) -> None:
    config = Config.parse(text)
    assert config not in SPACE
    for check in (SPACE.check, SPACE.index, SPACE.neighbours):
        with pytest.raises(SpecError, match=reason):
            check(config)


def test_neighbours_differ_in_one_knob() -> None:
    for config in SPACE:
        near = SPACE.neighbours(config)
        expected = [c for c in SPACE if sum(a != b for a, b in zip(c.values, config.values, strict=True)) == 1]
        assert sorted(map(str, near)) == sorted(map(str, expected))


def test_features_are_numbers() -> None:
    assert SPACE.features(Config.parse("tile=4,order=nm,unroll=2")) == [4.0, 1.0, 2.0]


def test_samples_are_distinct_and_repeatable() -> None:
    one = SPACE.sample(random.Random(3), 6)
    assert one == SPACE.sample(random.Random(3), 6)
    assert len(set(one)) == 6
    assert all(c in SPACE for c in one)
    assert sorted(map(str, SPACE.sample(random.Random(3), 99))) == sorted(map(str, SPACE))


def test_a_space_without_rules_is_the_product() -> None:
    assert len(ConfigSpace("free", SPACE.knobs)) == 16
    assert "|" not in str(ConfigSpace("free", SPACE.knobs))


def test_a_config_from_before_a_knob_was_there_means_what_it_meant() -> None:
    knob = Knob("ahead", (0, 1), "what is new", unsaid=0)
    space = ConfigSpace("toy", (*SPACE.knobs, knob), SPACE.constraints)
    for old in SPACE:
        space.check(old)
        assert old in space
        assert space.whole(old) == old.with_(ahead=0)
        assert space[space.index(old)] == old.with_(ahead=0)
        assert space.features(old) == space.features(old.with_(ahead=0))
        assert old.with_(ahead=1) in space.neighbours(old)
        assert space.whole(old.with_(ahead=1)) == old.with_(ahead=1)
    with pytest.raises(SpecError, match="knob tile is missing"):
        space.check(Config.of(order="mn", unroll=1))
    with pytest.raises(SpecError, match="has no knob 'ahead'"):
        SPACE.check(SPACE[0].with_(ahead=0))
