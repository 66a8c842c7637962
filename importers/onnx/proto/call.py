"""One node of an ONNX graph as its operator's row sees it: inputs as values, attributes completed by the schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anytile.importers.core.graph import Graph, Refusal, Unknown, Value
from anytile.importers.core.symbolic import Array
from anytile.importers.core.writer import Writer
from anytile.schedules.index.expr import Expr

Sequenced = list[Value]  # a sequence, whose length is known
Held = Value | Sequenced | None  # None is what is left out, and an optional that is empty
Results = Held | tuple[Held, ...]


@dataclass
class Call(Writer):
    """A node: `version` is the operator set's, `count` how many results are read, `run` walks a subgraph."""

    op: str
    version: int
    inputs: Sequence[Held]
    attributes: Mapping[str, Any]
    count: int
    run: Callable[[Any, Graph, Sequence[Held]], tuple[Held, ...]]
    outputs: Sequence[str] = field(default_factory=tuple)

    # -- inputs ----------------------------------------------------------------------------------------------------

    def __getitem__(self, at: int) -> Value:
        """A tensor that must be there."""
        found = self.maybe(at)
        if found is None:
            raise Refusal(f"input {at} is missing")
        return found

    def maybe(self, at: int) -> Value | None:
        found = self.inputs[at] if at < len(self.inputs) else None
        if isinstance(found, list):
            raise Refusal(f"input {at} is a sequence; expected a tensor")
        return found

    @property
    def x(self) -> Value:
        return self[0]

    @property
    def tensors(self) -> list[Value]:
        """All inputs."""
        return [self[i] for i in range(len(self.inputs))]

    def attr(self, name: str, default: Any = None) -> Any:
        found = self.attributes.get(name)
        return default if found is None else found

    def ints(self, name: str, default: Sequence[int] = ()) -> tuple[int, ...]:
        return tuple(int(n) for n in self.attr(name, default))

    def numbers(self, value: Value, what: str) -> Array:
        """What must be known ahead of time."""
        found = value.number
        if found is None:
            raise Unknown(f"{what} is not known before the model runs", value)
        return found

    def whole(self, value: Value, what: str) -> tuple[int, ...]:
        found = self.numbers(value, what)
        if found.dtype.kind not in "iub":
            raise Refusal(f"{what} is {value.dtype}; expected whole numbers")
        return tuple(int(n) for n in found.reshape(-1))

    def sizes(self, value: Value, what: str) -> tuple[Expr, ...]:
        """What must be numbers, or computed from sizes."""
        found = value.sizes
        if found is None:
            raise Unknown(f"{what} is data that no sizes give", value)
        return found

    def no(self, *names: str) -> None:
        """Attributes that nothing but their defaults is known for."""
        for name in names:
            if self.attr(name):
                raise Refusal(f"the attribute {name}={self.attr(name)}")


Meaning = Callable[[Call], Results]
Symbolic = Callable[[Call, Sequence[Array]], Array | None]


@dataclass(frozen=True, slots=True)
class Signature:
    """What an operator takes that ONNX has no schema of: how many inputs at most, every attribute with its default, or
    with the type of one that has none, and the `kinds` of inputs. Of one that is refused attributes may be any, which
    None says."""

    inputs: int
    attributes: Mapping[str, Any] | None = field(default_factory=dict)
    kinds: tuple[str, ...] = ()

    def completed(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """A node's attributes, those left out too."""
        if self.attributes is None:
            return dict(given)
        made = {name: default for name, default in self.attributes.items() if not isinstance(default, type)}
        for name, value in given.items():
            if name not in self.attributes:
                raise Refusal(f"no attribute {name!r}; expected one of {', '.join(sorted(self.attributes)) or 'none'}")
            known = self.attributes[name]
            wanted = known if isinstance(known, type) else type(known)
            if not isinstance(value, wanted):
                raise Refusal(f"the attribute {name}, of type {type(value).__name__}; expected {wanted.__name__}")
        return {**made, **given}


@dataclass(frozen=True, slots=True)
class Row:
    """One operator. `sizes` is what it makes of arrays that hold sizes; None where nobody can say. One that is
    `refused` is so whatever it reads. A `signature` is there where ONNX has no schema."""

    name: str
    means: Meaning
    sizes: Symbolic | None = None
    domain: str = ""
    refused: bool = False
    signature: Signature | None = None
