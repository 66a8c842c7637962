"""Declarative record codec: a frozen dataclass' fields said once; reading, checking and writing them as JSON derive.

A `Form` is one kind of value: how it looks as JSON, and what of it is accepted. A `Codec` names a form for each field
of a class, in the order in which they are written. A reader trusts nothing: every field is checked, what is wrong is a
`SpecError` that says what was expected, and fields that are not known are refused too, for they would be lost silently.
`load(dump(record)) == record`.
"""

from __future__ import annotations

import functools
import math
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Generic, TypeVar

from anytile.core.errors import SpecError

R = TypeVar("R")
T = TypeVar("T")
K = TypeVar("K", str, int)
_UNSTORABLE = re.compile("[\ud800-\udfff]")  # no UTF-8, so no database and no file takes it
_MOST = sys.float_info.max


class Misfit(SpecError):
    """A value that its form refuses; `path` leads to it, in a record in records."""

    def __init__(self, said: str, *path: str) -> None:
        super().__init__(f"{'.'.join(path)} {said}" if path else said)
        self.said, self.path = said, path

    def inside(self, name: str) -> Misfit:
        return Misfit(self.said, name, *self.path)


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """`load` reads JSON data, or raises `Misfit`; `dump` makes it."""

    load: Callable[[Any], T]
    dump: Callable[[T], Any] = _as_it_is


def misfit(value: object, expected: str) -> Misfit:
    text = repr(value)
    return Misfit(f"is {text if len(text) <= 60 else f'{text[:57]}...'}; expected {expected}")


def _of_kind(kind: type[T], called: str) -> Callable[[Any], T]:
    def load(value: Any) -> T:
        if not isinstance(value, kind) or isinstance(value, bool):  # JSON tells truth from numbers, Python does not
            raise misfit(value, called)
        return value

    return load


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise misfit(value, "a text")
    if not value.isascii() and _UNSTORABLE.search(value):
        raise misfit(value, "text without lone surrogates")
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise misfit(value, "true or false")
    return value


TRUTH = Form(_truth)
ANY_TEXT = Form(_of_kind(str, "a text"))
TEXT = Form(_text)
OBJECT: Form[Mapping[str, Any]] = Form(_of_kind(dict, "an object"), dict)
INTEGER = Form(_of_kind(int, "a whole number"))


def whole(low: int = -(2**31), high: int = 2**31 - 1, expected: str = "a whole number of at most 31 bits") -> Form[int]:
    """Whole numbers within bounds."""

    def load(value: Any) -> int:
        if not low <= (value if type(value) is int else INTEGER.load(value)) <= high:
            raise misfit(value, expected)
        return int(value)

    return Form(load)


WHOLE = whole()


def number(low: float = -_MOST, high: float = _MOST, expected: str = "") -> Form[float]:
    """Finite numbers within bounds, whole ones included."""

    def load(value: Any) -> float:
        if type(value) is not float and (type(value) is not int or abs(value) >= 2**63):
            raise misfit(value, "a number")
        made = float(value)
        if not low <= made <= high:
            raise misfit(made, expected if math.isfinite(made) else "a finite number")
        return made

    return Form(load)


NUMBER = number()


def one_of(words: Iterable[str], make: Callable[[str], T]) -> Form[T]:
    """One of a few words."""
    made = {str(word): make(word) for word in words}

    def load(value: Any) -> T:
        if TEXT.load(value) not in made:
            raise misfit(value, f"one of {', '.join(made)}")
        return made[value]

    return Form(load, str)


def parsed(parse: Callable[[str], T], remembered: int) -> Form[T]:
    """What has a text form of its own, of which so many are remembered; `parse` raises `SpecError`."""

    @functools.lru_cache(remembered)
    def read(text: str) -> T:
        return parse(TEXT.load(text))

    return Form(lambda value: read(value) if isinstance(value, str) else read(str(TEXT.load(value))), str)


def optional(form: Form[T]) -> Form[T | None]:
    return Form(
        lambda value: None if value is None else form.load(value),
        lambda value: None if value is None else form.dump(value),
    )


def tuple_of(form: Form[T], count: int | None = None) -> Form[tuple[T, ...]]:
    """A list, of so many if that is said."""

    def load(value: Any) -> tuple[T, ...]:
        if not isinstance(value, list) or count not in (None, len(value)):
            raise misfit(value, "a list" if count is None else f"a list of {count}")
        try:
            return tuple(map(form.load, value))
        except Misfit:
            return tuple(_each(form, enumerate(value)).values())  # says which of them

    return Form(load, lambda values: [form.dump(one) for one in values])


def mapping_of(form: Form[T]) -> Form[Mapping[str, T]]:
    load_one = form.load

    def load(value: Any) -> Mapping[str, T]:
        given = OBJECT.load(value)
        try:
            return {name: load_one(one) for name, one in given.items()}
        except Misfit:
            return _each(form, given.items())  # says which of them

    return Form(load, lambda values: {name: form.dump(one) for name, one in values.items()})


def _each(form: Form[T], values: Iterable[tuple[K, Any]]) -> dict[K, T]:
    found: dict[K, T] = {}
    load = form.load
    for name, value in values:
        try:
            found[name] = load(value)
        except Misfit as error:
            raise error.inside(str(name)) from None
    return found


def document(deepest: int) -> Form[Mapping[str, Any]]:
    """An object of any JSON inside, which whoever knows it reads: no deeper than so many lists and objects in each
    other, so that walking it ends, and with texts that can be stored."""

    def check(value: Any, room: int) -> None:
        if isinstance(value, str):
            TEXT.load(value)
        elif isinstance(value, list | dict):
            if not room:
                raise Misfit(f"is nested too deeply; expected lists and objects {deepest} deep at most")
            if isinstance(value, dict):
                for name in value:
                    TEXT.load(name)
                value = value.values()
            elif {*map(type, value)} <= _PLAIN:  # long lists of figures, at no cost
                return
            for one in value:
                check(one, room - 1)

    def load(value: Any) -> Mapping[str, Any]:
        check(OBJECT.load(value), deepest)
        return dict(value)

    return Form(load, dict)


_PLAIN = {int, float, bool, type(None)}


def taken(data: Mapping[str, Any], name: str, form: Form[T]) -> T:
    """One field of an object that has it."""
    if name not in data:
        raise Misfit("is missing", name)
    return _each(form, [(name, data[name])])[name]


class Codec(Generic[R]):
    """The fields of a class and their forms, in the order in which they are written.

    A field that has a default may be absent from what is read, unless it is `required`. With `more`, fields that are
    not known are passed over. What fields must be to each other is for `check` to say.
    """

    def __init__(
        self,
        make: type[R],
        *,
        required: Collection[str] = (),
        more: bool = False,
        check: Callable[[R], None] = lambda _: None,
        **forms: Form[Any],
    ) -> None:
        made: Any = make
        declared = {f.name: f for f in fields(made)}
        if declared.keys() != forms.keys():
            raise TypeError(f"{make.__name__}: expected a form for each of {', '.join(declared)}")
        self.name, self.names = make.__name__.lower(), tuple(forms)
        self._make, self._more, self.check = make, more, check
        self._loads = [(name, form.load) for name, form in forms.items()]
        self._forms = forms
        self._dump = self.dumping(self.names)
        self._required = {f.name for f in declared.values() if f.default is f.default_factory is MISSING} | {*required}
        self.as_object: Form[R] = Form(self.load, self.dump)
        self.as_list: Form[R] = Form(self._load_list, lambda record: list(self.dump(record).values()))

    def dump(self, record: R) -> dict[str, Any]:
        return self._dump(record)

    def dumping(self, names: Collection[str]) -> Callable[[R], dict[str, Any]]:
        """`dump` of these fields alone, for whoever writes many records and has the others already."""
        changed = [(name, self._forms[name].dump) for name in names if self._forms[name].dump is not _as_it_is]

        def dump(record: R) -> dict[str, Any]:
            data = {name: getattr(record, name) for name in names}
            for name, form in changed:
                data[name] = form(data[name])
            return data

        return dump

    def load(self, data: Any, **known: object) -> R:
        """The record that an object is, with fields that are `known`; `Misfit` says which field is wrong."""
        made = self._make(**self.fields(data, known), **known)
        self.check(made)
        return made

    def fields(self, data: Any, known: Collection[str] = ()) -> dict[str, Any]:
        """The fields of the record that an object is, less those that are `known`."""
        given = OBJECT.load(data)
        try:
            found = {name: load(given[name]) for name, load in self._loads if name in given}
        except Misfit:
            for name, load in self._loads:  # which of them
                _each(Form(load), [(name, given[name])] if name in given else [])
            raise
        if len(found) + len(known) < len(self._loads):
            for name in self.names:
                if name in self._required and name not in found and name not in known:
                    raise Misfit("is missing", name)
        if not self._more and len(given) > len(found):
            unknown = min(given.keys() - found)
            raise Misfit("is not a field of this record; upgrade anytile to read it", unknown)
        return found

    def _load_list(self, data: Any) -> R:
        if not isinstance(data, list) or len(data) != len(self.names):
            raise misfit(data, f"a list of {', '.join(self.names)}")
        return self.load(dict(zip(self.names, data, strict=True)))
