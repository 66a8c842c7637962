"""One case of fuzzing: a dispatch plan, sizes to call it at, and what its operands are; run, it is right or raises.

Every buffer ends, or begins, at a page that nobody may touch: operands, results, packed constants and the workspace.
What reads or writes past it ends the process, which is a child's (see `fuzzing`). A kernel is called twice as users
call it, once more by its entry alone, as a session does, and with a position that lies nowhere, which it must refuse.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any as AnyType

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.artifact import Artifact
from anytile.codegen.load.loader import Loaded
from anytile.core.dtypes import BY_NAME
from anytile.core.errors import ArgumentError, SpecError, UnsupportedError
from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.constants import pack
from anytile.dispatch.cpu.kernel import DispatchKernel, connect_libraries
from anytile.schedules.operators.spec import TensorSpec
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cpu.guarded_memory import CACHE_LINE, Place, Region
from tests.support.cases.small_operators import check, inputs_of
from tests.support.fuzzing import REFUSALS
from tests.support.generators.random_workloads import laid_anyhow

Array = NDArray[AnyType]
TOLERANCE = 3e-5
UNUSUAL_FLOATS = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-40, -1e-45)


class DamageError(Exception):
    """A canary beside a buffer is dead."""


class StrayError(Exception):
    """A position that lies nowhere was taken."""


@dataclass(frozen=True)
class Case:
    """All that one run follows from. `unusual` operands have NaNs, infinities and the ends of integers among them,
    `loose` ones lie with strides of any kind."""

    plan: DispatchPlan
    sizes: tuple[Mapping[str, int], ...]
    seed: int = 0
    place: Place = Place.END
    unusual: bool = False
    loose: bool = False

    def to_json(self) -> str:
        """One line, from which `from_json` makes the same case."""
        words: dict[str, AnyType] = {"sizes": [dict(at) for at in self.sizes], "seed": self.seed}
        words |= {"place": self.place.name, "unusual": self.unusual, "loose": self.loose}
        return json.dumps({**words, "plan": json.loads(self.plan.to_json())})

    @classmethod
    def from_json(cls, text: str) -> Case:
        try:
            data = json.loads(text)
            plan = DispatchPlan.from_json(json.dumps(data["plan"]))
            sizes = tuple({str(s): int(n) for s, n in at.items()} for at in data["sizes"])
            return cls(plan, sizes, int(data["seed"]), Place[data["place"]], data["unusual"], data["loose"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SpecError(f"no case of fuzzing: {error!r}; pass what follows --case in a line of a run") from None

    def run(self, told: Callable[[str, str], None]) -> None:
        """Compile the plan and call it at every size. `told` hears what is begun, and what was refused."""
        told("begun", "compiling")
        try:
            artifact = compile_plan(self.plan)
        except (UnsupportedError, SpecError) as error:  # an expression of dtypes that its operations do not take
            told("refused", str(error))
            return
        kernels: dict[tuple[tuple[str, int], ...], tuple[DispatchKernel, dict[str, Array]]] = {}
        for at in self.sizes:
            told("begun", f"at {', '.join(f'{s}={n}' for s, n in at.items()) or 'its one size'}")
            inputs = self._inputs(at)
            try:
                self._call(artifact, inputs, at, kernels)
            except REFUSALS as error:
                told("refused", str(error))

    @property
    def _fixed(self) -> set[str]:
        """Symbols of constants, whose kernels are made for one value of each."""
        workload = self.plan.workload
        return {s for name in workload.const for d in workload.tensor(name).dims for s in workload.extents[d].names}

    @property
    def _passed(self) -> list[TensorSpec]:
        """What is passed at each call."""
        return [t for t in self.plan.workload.inputs if t.name not in self.plan.workload.const]

    def _inputs(self, at: Mapping[str, int]) -> dict[str, Array]:
        workload, rng = self.plan.workload, np.random.default_rng(self.seed)
        inputs = inputs_of(workload, at, self.seed)
        for t in workload.inputs if self.unusual else ():
            array = inputs[t.name]
            hits = rng.random(array.shape) < 0.03
            if array.dtype == np.float32 and t.name != "variance":
                array[hits] = rng.choice(np.array(UNUSUAL_FLOATS, np.float32), hits.sum())
            elif array.dtype.kind == "i" and array.itemsize >= 4 and not (t.indexes or t.sorts or t.name == "length"):
                ends = np.iinfo(array.dtype)
                array[hits] = rng.choice(np.array([ends.min, ends.max, 0, -1], array.dtype), hits.sum())
        return inputs

    def _call(
        self,
        artifact: Artifact,
        inputs: dict[str, Array],
        at: Mapping[str, int],
        kernels: dict[tuple[tuple[str, int], ...], tuple[DispatchKernel, dict[str, Array]]],
    ) -> None:
        workload = self.plan.workload
        key = tuple((s, at[s]) for s in sorted(self._fixed))
        if key not in kernels:
            constants = {name: inputs[name] for name in workload.const}
            kernels[key] = DispatchKernel(self.plan, artifact, constants), constants
        kernel, constants = kernels[key]
        inputs |= constants
        buffers = Buffers(workload, at, self.place)
        try:
            self._as_users_do(kernel, buffers, inputs, at)
            loaded = Loaded(artifact)
            connect_libraries(self.plan, loaded)
            self._by_its_entry(loaded, buffers, inputs, at)
        finally:
            buffers.close()

    def _as_users_do(
        self, kernel: DispatchKernel, buffers: Buffers, inputs: Mapping[str, Array], at: Mapping[str, int]
    ) -> None:
        workload = self.plan.workload
        given = [buffers.filled(t.name, inputs[t.name]) for t in self._passed]
        if self.loose:
            given = [laid_anyhow(a, self.seed + i) for i, a in enumerate(given)]
        results = tuple(buffers.blank(t.name) for t in workload.outputs)
        for _ in range(2):  # the second is native from the start
            kernel(*given, out=results if len(results) > 1 else results[0])
        buffers.require_canaries()
        self._compare(buffers, inputs, at)
        if any(a.size for a in results):
            self._stray(kernel, given, at)

    def _stray(self, kernel: DispatchKernel, given: list[Array], at: Mapping[str, int]) -> None:
        """A position beyond its dimension, by one or by as much as its dtype can say, is refused."""
        workload, rng = self.plan.workload, np.random.default_rng(self.seed)
        for place, t in enumerate(self._passed):
            if t.indexes is None or not given[place].size:
                continue
            size, wrong = workload.sizes(at)[t.indexes], given[place].copy()
            ends = np.iinfo(wrong.dtype)
            said = int(rng.choice(np.array([size, -size - 1, ends.max, ends.min], np.int64)))
            wrong.flat[int(rng.choice([0, wrong.size - 1, int(rng.integers(wrong.size))]))] = said
            try:
                kernel(*(wrong if i == place else a for i, a in enumerate(given)))
            except ArgumentError:
                continue
            raise StrayError(f"{t.name} holds {said}, where {t.indexes} has {size}")

    def _by_its_entry(
        self, loaded: Loaded, buffers: Buffers, inputs: Mapping[str, Array], at: Mapping[str, int]
    ) -> None:
        workload = self.plan.workload
        addresses = {t.name: buffers.regions[t.name].address for t in workload.tensors if t.name in buffers.regions}
        for packed in loaded.artifact.packed:
            raw = buffers.filled(packed.operand, inputs[packed.operand])
            dims = [at[s] if s in self._fixed else 0 for s in workload.symbols]
            made = pack(loaded, packed, raw, dims, lambda n, name=packed.operand: buffers.room(f"packed {name}", n))  # type: ignore[misc]  # mypy sees no default of a lambda
            buffers.regions[f"packed {packed.operand}"].protect(writable=False)
            addresses[packed.operand] = (
                made.ctypes.data if made.size else buffers.regions[f"packed {packed.operand}"].address
            )
        for t in workload.outputs:
            addresses[t.name] = buffers.anew(t.name)
        dims = [at[s] for s in workload.symbols]
        count = loaded.workspace_bytes(dims)
        buffers.room("workspace", count)
        data = [addresses[t.name] for t in workload.tensors]
        status = loaded.call(loaded.artifact.entry, data, dims, buffers.regions["workspace"].address)
        assert status == 0, f"the kernel returned {status}"
        buffers.require_canaries()
        self._compare(buffers, inputs, at)

    def _compare(self, buffers: Buffers, inputs: Mapping[str, Array], at: Mapping[str, int]) -> None:
        """What a tail makes of integers is a float, which lies on either side of a half by a rounding."""
        workload = self.plan.workload
        got = {t.name: buffers.seen(t.name).copy() for t in workload.outputs}
        with np.errstate(all="ignore"):
            check(workload, got, inputs, at, TOLERANCE, steps=1 if workload.tail else 0)


class Buffers:
    """The buffers of one call, each between pages of its own; what is passed in cannot be written."""

    def __init__(self, workload: Workload, at: Mapping[str, int], place: Place) -> None:
        self.workload, self.at, self.place = workload, at, place
        self.regions: dict[str, Region] = {}

    def filled(self, name: str, values: Array) -> Array:
        made = self.blank(name)
        made[...] = values
        self.regions[name].protect(writable=False)
        return made

    def blank(self, name: str) -> Array:
        dtype, shape = self._kind(name)
        self._put(name, Region(int(np.prod(shape)) * dtype.itemsize, self.place, dtype.itemsize))
        return self.seen(name)

    def anew(self, name: str) -> int:
        """Where a result goes that was never written."""
        self.blank(name)
        return self.regions[name].address

    def seen(self, name: str) -> Array:
        dtype, shape = self._kind(name)
        return self.regions[name].array(dtype.name, shape)

    def room(self, name: str, count: int) -> Array:
        """Bytes that begin on a cache line, as kernels are given them."""
        self._put(name, Region(count, self.place, CACHE_LINE))
        return self.regions[name].array("uint8", (count,))

    def require_canaries(self) -> None:
        for name, region in self.regions.items():
            if (where := region.damage()) is not None:
                raise DamageError(f"{name} was written {where}")

    def close(self) -> None:
        for region in self.regions.values():
            region.close()

    def _kind(self, name: str) -> tuple[np.dtype[AnyType], tuple[int, ...]]:
        dtype = np.dtype(BY_NAME[self.workload.dtype_of(self.workload.tensor(name))].numpy)
        return dtype, self.workload.shape(name, self.at)

    def _put(self, name: str, region: Region) -> None:
        if name in self.regions:
            self.regions[name].close()
        self.regions[name] = region


__all__ = ["Buffers", "Case", "DamageError", "StrayError"]
