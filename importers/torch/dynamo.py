"""What torch.compile runs in place of a graph: a program whose weights are constants for as long as they stay.

Torch passes weights on every call, as it passes data. They are constants here, packed once. A weight that was written
as torch counts (`_version`), got other memory or was replaced since is seen before anything runs, and the program is
made anew; one that changes again and again becomes an input. Writes that torch does not count (through `.data` or
numpy) are not seen: looking at elements on each call would cost more than small models take. What the graph writes in
place is written in place: by the program, where it only puts rows there, else by a copy of the new value. What torch
records as a CUDA graph of its own it computes itself.
"""

from __future__ import annotations

import operator
import weakref
from array import array as packed
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from anytile.compiler.module import Module
from anytile.core.errors import AnytileError, UnsupportedError
from anytile.dispatch.cuda.arrays import is_captured
from anytile.importers.core.graph import Value
from anytile.importers.torch.aten import COMPLEX, ROWS
from anytile.importers.torch.graph.argument_views import views_of_arguments
from anytile.importers.torch.graph.aten_call import Held
from anytile.importers.torch.graph.bound_sizes import Bound, bound_sizes, varying
from anytile.importers.torch.graph.decompositions import taken_apart
from anytile.importers.torch.graph.in_place import apart, writing
from anytile.importers.torch.graph.random_draws import drawn_ahead
from anytile.importers.torch.graph.same_graph import Outline, outline_of, serves
from anytile.importers.torch.graph.tensor_arrays import constant_of, given_of, gpu_of, tensor_of
from anytile.importers.torch.graph.torch_package import torch
from anytile.importers.torch.walk import Walk
from anytile.schedules.index.expr import Expr

Run = Callable[[Mapping[str, Any]], Any]
Compile = Callable[[Module, int | None], Run]  # for the GPU of a number, which has results, too, or for the CPU
Say = Callable[[str], None]
CHANGES = 3  # calls in a row before which a weight was written, after which it is a weight no more

_version: Callable[[Any], int] = operator.attrgetter("_version")


def _pointers(tensors: Sequence[Any]) -> list[int]:
    """Where they lie, in half the time that it takes by the method's name."""
    return list(map(torch().Tensor.data_ptr, tensors))


def _values(numbers: Sequence[Any]) -> bytes:
    """The bits of Python's floats, by which NaN is itself and -0 is not 0."""
    return packed("d", map(torch().Tensor.item, numbers)).tobytes()


@dataclass(frozen=True, slots=True)
class Result:
    """One of the graph's results: what the program makes, as a number or a tensor, and its order of memory.

    Or it is an argument, by its place, that the graph writes and gives back, or torch's view of one. `on_cpu` is of
    those that the graph has there.
    """

    made: bool
    value: Any = None  # of what is no tensor and always the same
    number: bool = False
    order: tuple[int, ...] | None = None  # how dimensions lie in memory, where not one inside the other
    place: int | None = None
    is_view: bool = False
    on_cpu: bool = True


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Program:
    """A graph, compiled for the CPU or a GPU and some weights, whose places are `fixed`, and for the sizes that are
    `bound`.

    All places are those among the graph's arguments. `numbers` are those of Python's floats, and `values` what they
    were. `feeds` and `sizes` are what is data, with the names of the module's inputs, and `ints` whole numbers that may
    be below 0; `written` are the tensors that the graph writes, whose new values follow its results, and `writes` the
    names of those inputs.
    """

    outline: Outline
    gpu: int | None
    bound: tuple[Bound, ...]
    fixed: tuple[int, ...]
    weights: tuple[Any, ...]
    versions: list[int]
    pointers: list[int]
    numbers: tuple[int, ...]
    values: bytes
    run: Run
    feeds: tuple[tuple[int, str], ...]
    sizes: tuple[tuple[int, str], ...]
    ints: tuple[tuple[int, str], ...]
    results: tuple[Result, ...]
    written: tuple[int, ...]
    writes: tuple[str, ...]
    is_plain: bool  # whether its results are tensors as they are, and all that there is
    given: Callable[[Sequence[Any]], Sequence[Any]] = field(init=False)  # the weights among arguments

    def __post_init__(self) -> None:
        several = len(self.fixed) > 1  # of one it picks that alone
        pick = operator.itemgetter(*self.fixed) if several else lambda args: [args[i] for i in self.fixed]
        object.__setattr__(self, "given", pick)

    def fits(self, args: Sequence[Any]) -> bool:
        """Whether sizes that are bound are what they are bound to."""
        return all(args[b.place].size(b.axis) == b.size for b in self.bound)

    def is_current(self, args: Sequence[Any]) -> bool:
        """Whether sizes, numbers and weights are those that it was made for, and torch counted no write to weights."""
        if self.bound and not self.fits(args):
            return False
        if self.sizes and any(args[i] < 0 for i, _ in self.sizes):
            return False
        if self.numbers and _values([args[i] for i in self.numbers]) != self.values:
            return False
        given = self.given(args)  # on each call, of hundreds: nothing below runs in Python for each
        return (
            all(map(operator.is_, given, self.weights))
            and list(map(_version, given)) == self.versions
            and _pointers(given) == self.pointers
        )

    def unchanged(self, args: Sequence[Any]) -> tuple[int, ...]:
        """The places of numbers that are what they were."""
        width = packed("d").itemsize
        old = [self.values[at : at + width] for at in range(0, len(self.values), width)]
        return tuple(i for i, value in zip(self.numbers, old, strict=True) if _values([args[i]]) == value)

    def moved(self, outline: Outline) -> Program:
        """The same for another graph, of the same tensors."""
        to = self.outline.place_of(outline)
        return replace(
            self,
            outline=outline,
            bound=tuple(replace(b, place=to[b.place]) for b in self.bound),
            fixed=tuple(to[i] for i in self.fixed),
            numbers=tuple(to[i] for i in self.numbers),
            feeds=tuple((to[i], name) for i, name in self.feeds),
            results=tuple(r if r.place is None else replace(r, place=to[r.place]) for r in self.results),
            written=tuple(to[i] for i in self.written),
        )


class Programs:
    """The programs in use, by which graphs of the same tensors are served."""

    def __init__(self, compile: Compile, say: Say) -> None:
        self.compile, self.say = compile, say
        self._known: weakref.WeakSet[Program] = weakref.WeakSet()

    def made(
        self,
        graph_module: Any,
        bound: tuple[Bound, ...],
        fixed: Sequence[int],
        numbers: Sequence[int],
        ints: Sequence[int],
        args: Sequence[Any],
    ) -> Program:
        """The program of a graph for some sizes, and weights and numbers at some places: a known one, or a new one."""
        outline = outline_of(graph_module)
        gpu = gpu_of(t for t in (*args, *_vals(graph_module)) if isinstance(t, torch().Tensor))
        for known in list(self._known):
            if known.gpu == gpu and not known.sizes and not known.ints and serves(known.outline, outline):
                found = known.moved(outline)
                places = sorted(found.fixed), sorted(found.numbers)
                if places == (sorted(fixed), sorted(numbers)) and found.is_current(args):
                    return found
        made = self._new(graph_module, outline, gpu, bound, fixed, numbers, ints, args)
        self._known.add(made)
        return made

    def _new(
        self,
        graph_module: Any,
        outline: Outline,
        gpu: int | None,
        bound: tuple[Bound, ...],
        fixed: Sequence[int],
        numbers: Sequence[int],
        ints: Sequence[int],
        args: Sequence[Any],
    ) -> Program:
        nodes = [n for n in graph_module.graph.nodes if n.op == "placeholder"]
        places = {n.name: i for i, n in enumerate(nodes)}
        weights = [args[i] for i in fixed]
        constants = {nodes[i].name: constant_of(args[i]) for i in (*fixed, *numbers)}
        sizes, data = {b.symbol: b.size for b in bound}, [nodes[i].name for i in ints]
        walk = Walk(graph_module, constants, {}, keep_all=False, bound=sizes, data=data)
        held = walk.results()
        walk.require_supported()
        vals = _vals(graph_module)
        made = [walk.outside(_value(walk, h), val) for h, val in zip(held, vals, strict=True)]
        written = [places.get(name) for name in _written(graph_module)]
        results = tuple(map(_result, made, vals, written))
        views = views_of_arguments(graph_module)
        if views is not None:
            results = tuple(Result(False, is_view=True) if i in views.places else r for i, r in enumerate(results))
        values = [m for m, r in zip(made, results, strict=True) if r.made]
        values += walk.changed.values()
        if not values:
            raise UnsupportedError("it makes no tensor")
        changed = {g.name for g in walk.given if g.placeholder in walk.changed}
        module = writing(walk.module(values[0] if len(values) == 1 else values), changed)
        plain = Result(True, on_cpu=gpu is None)
        return Program(
            outline,
            gpu,
            bound,
            tuple(fixed),
            tuple(weights),
            list(map(_version, weights)),
            _pointers(weights),
            tuple(numbers),
            _values([args[i] for i in numbers]),
            self.compile(module, gpu),
            tuple((places[g.placeholder], g.name) for g in walk.given if not g.is_size and g.placeholder not in data),
            tuple((places[g.placeholder], g.name) for g in walk.given if g.is_size),
            tuple((places[g.placeholder], g.name) for g in walk.given if g.placeholder in data),
            results,
            tuple(places[name] for name in walk.changed),
            tuple(sorted(changed)),
            not walk.changed and all(r == plain for r in results),
        )


def _value(walk: Walk, held: Held) -> Held:
    """A result as a value where the program makes it."""
    if isinstance(held, Expr) and held.value is None:
        return walk.size(held)
    return held.value if isinstance(held, Expr) else held


def _outputs(graph_module: Any) -> Sequence[Any]:
    found: Sequence[Any] = next(n for n in graph_module.graph.nodes if n.op == "output").args[0]
    return found


def _vals(graph_module: Any) -> list[Any]:
    return [getattr(a, "meta", {}).get("val") for a in _outputs(graph_module)]


def _made_count(graph_module: Any) -> int:
    """How many results are tensors, or numbers that no sizes give."""
    from torch.fx.experimental.symbolic_shapes import has_free_unbacked_symbols

    vals = _vals(graph_module)
    return sum(val is not None and (not _is_size(val) or has_free_unbacked_symbols(val)) for val in vals)


def _is_size(val: Any) -> bool:
    return isinstance(val, int | torch().SymInt)


def _written(graph_module: Any) -> list[str]:
    """The argument that each result is, where the graph wrote it and gives it back."""
    return [a.args[0].name if _is_write(a) else "" for a in _outputs(graph_module)]


def _is_write(node: Any) -> bool:
    """Whether a node is a write, which in these graphs is one to an argument."""
    return getattr(node, "target", None) is torch().ops.aten.copy_.default


def _result(made: Held, val: Any, place: int | None) -> Result:
    if place is not None:
        return Result(False, place=place)
    if not isinstance(made, Value):
        return Result(False, made)
    if not isinstance(val, torch().Tensor):
        return Result(True, number=True)
    from torch.fx.experimental.symbolic_shapes import has_free_unbacked_symbols

    plain = has_free_unbacked_symbols(val) or val.is_contiguous()  # sizes that are data decide nothing
    return Result(True, order=None if plain else tuple(val.dim_order()), on_cpu=val.device.type == "cpu")


class Graph:
    """One graph that torch.compile handed over, as what it calls with all arguments in a list.

    `static` are the places of weights, `numbers` those of Python's floats. The program is made when the first call
    brings them. Images have one size until a call brings another, but for sizes that `vary` (None: all do). Python's
    ints are sizes until one is below 0: then it is data. Where something is not supported torch runs the graph.
    """

    _boxed_call = True  # torch's word for functions of one list

    def __init__(
        self,
        graph_module: Any,
        static: Sequence[int],
        numbers: Sequence[int],
        vary: frozenset[str] | None,
        programs: Programs,
    ) -> None:
        self.vary, self.programs, self.numbers = vary, programs, tuple(numbers)
        graph_module, self.draws = drawn_ahead(graph_module)
        self.graph_module = graph_module
        written = {n.args[0].name for n in graph_module.graph.nodes if _is_write(n)}
        nodes = [n for n in graph_module.graph.nodes if n.op == "placeholder"]
        self.static = tuple(i for i in static if nodes[i].name not in written)
        self.views = views_of_arguments(graph_module)
        self.ints: tuple[int, ...] = ()  # the places of those that were below 0
        self.moving: dict[int, int] = {}  # how many calls in a row each weight had changed before
        self.program: Program | None = None
        self.is_told = False  # that torch runs what it records
        seen = 0 if self.views is None else len(self.views.places)
        self.is_eager = not written and _made_count(graph_module) == seen  # views and sizes cost torch nothing
        self._count_write = torch().autograd.graph.increment_version

    def __call__(self, args: Sequence[Any]) -> Sequence[Any]:
        args = self._with_draws(args)
        program = self.program
        if program is None or not program.is_current(args):
            if self.is_eager:
                return self._by_torch(args)
            if is_captured():
                return self._recorded(args)
            try:
                program = self.program = self._made(args)
            except AnytileError as error:
                self.is_eager, self.program = True, None
                self.programs.say(f"torch.compile(backend='anytile'): torch itself runs a graph: {error}")
                return self._by_torch(args)
        elif self.moving:
            self.moving.clear()
        return self._ran(program, args)

    def within(self, wrapped: Callable[..., Any]) -> Callable[..., Any]:
        """What torch calls of a graph that `wrapped` adds nothing to: it is passed by once there is a program."""

        def call(*args: Any) -> Any:
            program = self.program
            if program is None or self.moving or not program.is_current(args):
                return wrapped(*args)
            return self._ran(program, self._with_draws(args))

        return call

    def _with_draws(self, args: Sequence[Any]) -> Sequence[Any]:
        """The arguments and, behind them, random numbers of this call."""
        return args if self.draws is None else [*args, *self.draws.of(args)]

    def _by_torch(self, args: Sequence[Any]) -> Sequence[Any]:
        found: Sequence[Any] = self.graph_module(*args)
        return found

    def _recorded(self, args: Sequence[Any]) -> Sequence[Any]:
        """The results, of torch, which records what it does."""
        if not self.is_told:
            self.is_told = True
            why = "it records a CUDA graph, which no program can be a part of; call it outside of torch.cuda.graph"
            self.programs.say(f"torch.compile(backend='anytile'): torch itself runs a graph: {why}")
        return self._by_torch(args)

    def _made(self, args: Sequence[Any]) -> Program:
        before = self.program
        if before is not None:
            if not before.fits(args):
                self.vary = None
            for i, old, version, pointer in zip(
                before.fixed, before.weights, before.versions, before.pointers, strict=True
            ):
                new = args[i]
                if new is not old or _version(new) != version or new.data_ptr() != pointer:
                    self.moving[i] = self.moving.get(i, 0) + 1
            self.numbers = before.unchanged(args)
        fixed = [i for i in self.static if self.moving.get(i, 0) < CHANGES and not args[i].is_inference()]
        self.ints = tuple(i for i, a in enumerate(args) if i in self.ints or (isinstance(a, int) and a < 0))
        bound = () if self.vary is None else bound_sizes(self.graph_module, args, self.vary)
        return self.programs.made(self.graph_module, bound, fixed, self.numbers, self.ints, args)

    def _ran(self, program: Program, args: Sequence[Any]) -> Sequence[Any]:
        if program.gpu is not None and is_captured():
            return self._recorded(args)
        feeds = {name: given_of(args[i]) for i, name in program.feeds}
        for name in program.writes:
            if isinstance(array := feeds[name], np.ndarray):
                feeds[name] = np.asarray(array, order="C")
        for i, name in program.sizes:
            feeds[name] = np.empty((args[i], 0), np.uint8)
        for i, name in program.ints:
            feeds[name] = np.asarray(args[i], np.int64)
        found = program.run(feeds)
        made = [*map(tensor_of, found)] if isinstance(found, tuple) else [tensor_of(found)]
        if program.is_plain:
            return made
        count = len(made) - len(program.written)
        mine = iter(apart(made[:count], made[count:]))
        results = [self._given_back(r, mine) if r.place is None else args[r.place] for r in program.results]
        for i, new in zip(program.written, made[count:], strict=True):
            if new.data_ptr() != args[i].data_ptr():
                args[i].copy_(new)
            elif not args[i].is_inference():  # which count no writes
                self._count_write(args[i])
        if self.views is not None:
            for at, view in zip(self.views.places, self.views.of(*args), strict=True):
                results[at] = view
        return results

    def _given_back(self, result: Result, made: Any) -> Any:
        if not result.made:
            return result.value
        tensor = next(made)
        if result.number:
            return tensor.item()
        if result.on_cpu:
            tensor = tensor.cpu()
        if result.order is None:
            return tensor
        back = sorted(range(len(result.order)), key=result.order.__getitem__)
        return tensor.permute(result.order).contiguous().permute(back)


def backend(graph_module: Any, inputs: Sequence[Any], programs: Programs) -> Any:
    """torch.compile's backend: the graph in ATen's operators, without writes but at its end, as a `Graph`."""
    package = torch()
    if package.is_grad_enabled() and any(isinstance(i, package.Tensor) and i.requires_grad for i in inputs):
        why = "gradients are on; call it under torch.no_grad() or torch.inference_mode()"
        programs.say(f"torch.compile(backend='anytile'): torch itself runs a graph: {why}")
        return graph_module.forward
    from torch._functorch.aot_autograd import aot_module_simplified

    vary, floats = varying(graph_module, inputs), _floats(graph_module)
    short: list[Graph] = []  # of which torch's own wrappers have nothing to do

    def compiled(made: Any, fakes: Sequence[Any]) -> Graph:
        context = package._guards.TracingContext.try_get()
        known = None if context is None else context.fw_metadata
        static = () if known is None else tuple(known.static_input_indices or ())
        numbers = floats if len(fakes) == len(inputs) else ()
        graph = Graph(made, static, numbers, vary, programs)
        if known is not None and len(fakes) == len(inputs) and hands_through(known, is_dynamic=vary is not None):
            short.append(graph)
        return graph

    wrapped = aot_module_simplified(
        graph_module,
        list(inputs),
        fw_compiler=compiled,
        bw_compiler=compiled,
        inference_compiler=compiled,
        decompositions=taken_apart(frozenset((*ROWS, *COMPLEX))),
        keep_inference_input_mutations=True,
    )
    has_own = any(True for _ in graph_module.parameters()) or any(True for _ in graph_module.buffers())
    return short[0].within(wrapped) if len(short) == 1 and not has_own else wrapped


def _floats(graph_module: Any) -> tuple[int, ...]:
    """The places of Python's floats, which dynamo hands over as tensors of one number."""
    nodes = [n for n in graph_module.graph.nodes if n.op == "placeholder"]
    given = [(getattr(n.meta.get("grapharg"), "pass_arg_as_tensor", False), n.meta.get("example_value")) for n in nodes]
    return tuple(i for i, (is_number, val) in enumerate(given) if is_number and val.dtype == torch().float64)


def hands_through(known: Any, is_dynamic: bool) -> bool:
    """Whether what torch lays around a graph passes arguments and results on as they are, as its notes say.

    Nothing is written, no result is a view of an argument or of another result. Sizes of results that are open are
    marked there for the graph that follows, which has all sizes open anyhow where `is_dynamic`.
    """
    written = any(given.mutates_data or given.mutates_metadata for given in known.input_info)
    views = known.num_outputs_aliased or known.num_intermediate_bases
    state = known.tokens or known.is_rng_op_functionalized or known.grad_enabled_mutation is not None
    return not (written or views or state or (known.dynamic_outputs and not is_dynamic))
