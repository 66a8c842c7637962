"""The grammar of the text form against the parser, by a recogniser that is made of the rules alone.

What the parser accepts the rules accept, on generated modules and on texts with a word too few, too many or another;
and what the rules accept the parser refuses for what names and numbers mean, not for how words stand together.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given, settings

from anytile.compiler.ir.nodes import Array
from anytile.compiler.module import Module
from anytile.compiler.text.grammar import RULES
from anytile.compiler.text.lexer import KEYWORDS, KINDS, Word, words
from anytile.compiler.text.printer import stored
from anytile.core.errors import SpecError
from tests.support.generators.random_modules import Grown, modules

EVERYTHING = (Path(__file__).parents[1] / "golden" / "everything.txt").read_text(encoding="utf-8")
Match = Callable[[Sequence[Word], int], int | None]  # from a word on: where it ends, or None
_NOT_GRAMMAR = re.compile(  # what the parser says of words that stand as they may
    r"is no variable here|is not declared|has no elements|no data type|is there already|is not a value|names that are"
    r"|expected one of float32|elements of|a number that is no|of the shape|given twice|a new variable|without a dot"
    r"|a whole number|the number of a field|a dimension like|of type|is no text|deep in each other|expected a number, "
    r"|a number of|Tensor dimension|expected each name once"
)
_ILL_TENSOR = re.compile(r"Tensor \[ (?!\( [^)]*\) , \w+ \])")  # to the rules a data type that is called so


def _kind(name: str) -> Match:
    def match(found: Sequence[Word], at: int) -> int | None:
        word = found[at]
        kind = "name" if name == "KEY" else name.lower()
        return at + 1 if word.kind == kind and (name != "NAME" or word.text not in KEYWORDS) else None

    return match


def _sign(text: str) -> Match:
    def match(found: Sequence[Word], at: int) -> int | None:
        return at + 1 if found[at].text == text and found[at].kind in ("sign", "name") else None

    return match


@lru_cache
def _rule(name: str) -> Match:
    """The recogniser of a rule."""
    made, rest = _choice(re.findall(r"'[^']+'|[{}\[\]|]|\w+", RULES[name]))
    assert not rest, (name, rest)
    return made


def _choice(left: list[str]) -> tuple[Match, list[str]]:
    ways = []
    while True:
        way, left = _sequence(left)
        ways.append(way)
        if not left or left[0] != "|":
            break
        left = left[1:]

    def match(found: Sequence[Word], at: int) -> int | None:
        return next((end for way in ways if (end := way(found, at)) is not None), None)

    return match, left


def _sequence(left: list[str]) -> tuple[Match, list[str]]:
    parts: list[Match] = []
    while left and left[0] not in ("|", "]", "}"):
        head, left = left[0], left[1:]
        if head in "[{":
            inner, left = _choice(left)
            assert left[0] == {"[": "]", "{": "}"}[head]
            left = left[1:]
            parts.append(_repeated(inner, most=1 if head == "[" else None))
        elif head.startswith("'"):
            parts.append(_sign(head[1:-1]))
        elif head.isupper():
            parts.append(_kind(head))
        else:
            parts.append(lambda found, at, name=head: _rule(name)(found, at))  # type: ignore[misc]  # a default

    def match(found: Sequence[Word], at: int) -> int | None:
        end: int | None = at
        for part in parts:
            end = part(found, end) if end is not None else None
        return end

    return match, left


def _repeated(inner: Match, most: int | None) -> Match:
    def match(found: Sequence[Word], at: int) -> int | None:
        times = 0
        while (most is None or times < most) and (end := inner(found, at)) is not None and end > at:
            at, times = end, times + 1
        return at

    return match


def accepted(text: str) -> bool:
    """Whether the rules describe a text."""
    found = list(words(text))
    end = _rule("module")(found, 0)
    return end is not None and found[end].kind == "end"


def test_every_form_is_described() -> None:
    assert accepted(EVERYTHING)
    assert accepted("")
    assert not accepted(EVERYTHING + "}")


def test_every_rule_and_kind_of_word_is_used() -> None:
    said = re.findall(r"\w+", re.sub(r"'[^']+'", "", " ".join(RULES.values())))
    assert {w for w in said if not w.isupper()} | {"module"} == set(RULES)
    assert {w.lower() for w in said if w.isupper()} - {"key"} == {k.name for k in KINDS} - {"space", "sign"}
    quoted = set(re.findall(r"'([^']+)'", " ".join(RULES.values())))
    assert quoted >= KEYWORDS - {"inf"}  # a number
    assert {q for q in quoted if q.isidentifier()} <= KEYWORDS | {"const", "data", "def", "Tensor", "_"}


@settings(max_examples=30)
@given(modules())
def test_generated_modules_are_described(grown: Grown) -> None:
    assert accepted(str(grown.module))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_the_parser_and_the_rules_agree_on_mutants(seed: int) -> None:
    rng = random.Random(seed)
    module = Module.parse(EVERYTHING)
    text = str(module)
    pieces = [str(w.text) for w in words(text)][:-1]
    tally = {"both": 0, "neither": 0, "meaning": 0}
    for _ in range(400):
        changed = list(pieces)
        for _ in range(rng.choice([1, 1, 2])):
            at = rng.randrange(len(changed))
            how = rng.choice(["drop", "double", "swap", "other"])
            if how == "drop":
                del changed[at]
            elif how == "double":
                changed.insert(at, changed[at])
            elif how == "swap":
                other = rng.randrange(len(changed))
                changed[at], changed[other] = changed[other], changed[at]
            else:
                changed[at] = rng.choice(pieces)
        mutant = " ".join(changed)
        said = _complaint(mutant, stored(module))
        if not said:
            assert accepted(mutant), mutant
            tally["both"] += 1
        elif accepted(mutant):
            assert _NOT_GRAMMAR.search(said) or _ILL_TENSOR.search(mutant), (said, mutant)
            tally["meaning"] += 1
        else:
            tally["neither"] += 1
    assert min(tally.values()) > 2, tally


def _complaint(text: str, arrays: dict[str, Array]) -> str:
    try:
        Module.parse(text, arrays)
    except SpecError as error:
        return str(error)
    return ""
