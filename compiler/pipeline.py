"""Pass manager: the order of passes, from a module as somebody wrote it to an executable.

`passes` is the list that the command line names and tests walk; `watch` is told every module on the way, by the name
of the pass that made it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace

from anytile.compiler.infer import Refinement, infer
from anytile.compiler.ir.memory_dialect import HOST
from anytile.compiler.ir.nodes import Module
from anytile.compiler.lowering.kernel_table import KernelTable, Planner, overflowing
from anytile.compiler.lowering.lower import lower
from anytile.compiler.lowering.ports import demands_of
from anytile.compiler.passes.attention.cut_layers import cut_layers
from anytile.compiler.passes.attention.match_attention import match_attention
from anytile.compiler.passes.attention.read_heads import read_heads
from anytile.compiler.passes.attention.trace_operands import trace_operands
from anytile.compiler.passes.common_subexpressions import common_subexpressions
from anytile.compiler.passes.convolutional.channels_last import channels_last
from anytile.compiler.passes.convolutional.fold_batch_norm import fold_batch_norm
from anytile.compiler.passes.convolutional.lay_filters import lay_filters
from anytile.compiler.passes.convolutional.lower_convolutions import lower_convolutions
from anytile.compiler.passes.convolutional.lower_resize import lower_resize
from anytile.compiler.passes.convolutional.sink_transposes import sink_transposes
from anytile.compiler.passes.dead_code import dead_code
from anytile.compiler.passes.fold_constants import fold_constants
from anytile.compiler.passes.fusion.fuse import fuse
from anytile.compiler.passes.fusion.rematerialise import rematerialise
from anytile.compiler.passes.fusion.share_kernels import share_kernels
from anytile.compiler.passes.inline import inline
from anytile.compiler.passes.lower_positions import join_rows, lower_positions
from anytile.compiler.passes.matching.drop_broadcasts import drop_broadcasts
from anytile.compiler.passes.matching.drop_lookups import drop_lookups
from anytile.compiler.passes.matching.group_parts import group_parts
from anytile.compiler.passes.matching.guard_softmax import guard_softmax
from anytile.compiler.passes.matching.lying_factors import lying_factors
from anytile.compiler.passes.matching.match_gelu import match_gelu
from anytile.compiler.passes.matching.match_group_norms import match_group_norms
from anytile.compiler.passes.matching.match_norms import match_norms
from anytile.compiler.passes.matching.match_rotary import match_rotary
from anytile.compiler.passes.memory.in_place import written_of
from anytile.compiler.passes.memory.manifest_alloc import manifest_alloc
from anytile.compiler.passes.memory.plan_memory import plan_memory
from anytile.compiler.passes.merge_products import merge_products
from anytile.compiler.passes.name_calls import name_calls
from anytile.compiler.passes.narrow.halves.cast_last import cast_last
from anytile.compiler.passes.narrow.halves.exact_weights import Halves, exact_weights, halves_on
from anytile.compiler.passes.narrow.halves.widen_halves import widen_halves
from anytile.compiler.passes.narrow.integers.match_integers import match_integers
from anytile.compiler.passes.narrow.integers.widen_integers import widen_integers
from anytile.compiler.passes.narrow.settle_pairs import Pairs, pairs_on, settle_pairs
from anytile.compiler.passes.pack_weights import pack_weights
from anytile.compiler.passes.place_devices import place_devices
from anytile.compiler.passes.recurrence.append_rows import append_rows
from anytile.compiler.passes.recurrence.batch_fields import batch_fields
from anytile.compiler.passes.recurrence.hoist_recurrence import hoist_recurrence
from anytile.compiler.passes.recurrence.match_cells import match_cells
from anytile.compiler.passes.recurrence.sink_products import sink_products
from anytile.compiler.passes.recurrence.written_steps import written_steps
from anytile.compiler.passes.sink_views import sink_views
from anytile.compiler.passes.stack_products import stack_products
from anytile.compiler.passes.to_anf import to_anf
from anytile.schedules.hardware.target import Target
from anytile.vm.executable import Executable

Pass = Callable[[Module], Module]
Watch = Callable[[str, Module], None]


NARROW_LAYERS, STORE_ACTIVATIONS = "narrow_layers", "store_activations"  # passes that run where somebody wants them
Learn = Callable[[Sequence[Refinement]], None]


def _nothing(learnt: Sequence[Refinement]) -> None:
    pass


def typed(module: Module, learn: Learn = _nothing) -> Module:
    found = infer(module)
    learn(found.refinements)
    return found.module


def passes(
    device: int = HOST,
    learn: Learn = _nothing,
    narrow: Pass | None = None,
    store: Pass | None = None,
    attends: bool = False,
    pairs: Pairs | None = None,
    halves: Halves | None = None,
) -> tuple[tuple[str, Pass], ...]:
    """Every pass by its name, in order; `device` is where kernels run, `learn` is told what becomes of parameters.

    `narrow` gives layers narrow numbers, and `store` what kernels leave for each other, where they are wanted. To a
    `narrow` that `attends` attention is a layer. `pairs` is asked what products of bytes add up in where kernels run,
    and `halves` which 16-bit floats are widened there.
    """
    inferred = functools.partial(typed, learn=learn)
    batched: tuple[tuple[str, Pass], ...] = (("sink_products", sink_products), ("batch_fields", batch_fields))
    matching = functools.partial(match_attention, device=device)  # narrow layers have products of their own on a CPU
    attention = (("match_attention", matching),) if device != HOST or narrow is None or attends else ()
    integers = ("match_integers", match_integers) if device == HOST else ("widen_integers", widen_integers)
    on_host: tuple[tuple[str, Pass], ...] = (  # cells have kernels there, and constants are packed for it
        ("merge_products", merge_products),
        ("pack_weights", pack_weights),
    )
    return (
        ("infer", inferred),
        ("to_anf", to_anf),
        ("infer", inferred),
        ("inline", inline),
        ("fold_constants", fold_constants),
        ("dead_code", dead_code),
        ("common_subexpressions", common_subexpressions),
        ("infer", inferred),
        ("widen_halves", widen_halves),
        integers,
        ("dead_code", dead_code),
        ("group_parts", group_parts),
        ("lower_resize", lower_resize),
        ("match_group_norms", match_group_norms),
        ("sink_transposes", sink_transposes),
        ("channels_last", functools.partial(channels_last, on_cpu=device == HOST)),
        ("fold_batch_norm", fold_batch_norm),
        ("lower_convolutions", lower_convolutions),
        ("guard_softmax", guard_softmax),
        ("match_gelu", match_gelu),
        ("match_norms", match_norms),
        ("drop_lookups", drop_lookups),
        ("drop_broadcasts", drop_broadcasts),
        ("cut_layers", cut_layers),
        ("trace_operands", trace_operands),
        *((("match_heads", matching),) if attention else ()),  # before some of a sequence's heads have another rank
        ("read_heads", read_heads),
        *attention,
        *(batched if device == HOST else ()),
        ("hoist_recurrence", hoist_recurrence),
        ("written_steps", written_steps),
        ("sink_views", sink_views),
        *((("append_rows", append_rows),) if device == HOST or store is None else ()),  # kernels alone store in 16 bits
        ("join_rows", join_rows) if device == HOST else ("lower_positions", lower_positions),
        *(() if narrow is None else _narrowing(narrow)),
        *(() if device == HOST else (("lay_filters", lay_filters),)),
        ("settle_pairs", functools.partial(settle_pairs, pairs=pairs)),
        ("exact_weights", functools.partial(exact_weights, halves=halves)),
        *((("lying_factors", lying_factors),) if device == HOST else ()),
        ("match_cells", match_cells),
        ("cast_last", cast_last),
        ("match_rotary", match_rotary),
        ("dead_code", dead_code),
        ("rematerialise", rematerialise),
        ("fuse", fuse),
        ("common_kernels", common_subexpressions),
        *(() if store is None else ((STORE_ACTIVATIONS, store),)),
        *(on_host if device == HOST else (("stack_products", stack_products),)),
        ("share_kernels", share_kernels),
        ("manifest_alloc", manifest_alloc),
        ("place_devices", functools.partial(place_devices, device=device)),
        ("plan_memory", plan_memory),
    )


def _narrowing(narrow: Pass) -> tuple[tuple[str, Pass], ...]:
    """Its pass, told of no layer that nothing reads, and what layers have in common behind it."""
    shared = ("common_subexpressions", common_subexpressions)
    return ("dead_code", dead_code), (NARROW_LAYERS, narrow), shared


def optimise(
    module: Module,
    device: int = HOST,
    watch: Watch = lambda name, module: None,
    learn: Learn = _nothing,
    narrow: Pass | None = None,
    upto: str = "",
    store: Pass | None = None,
    attends: bool = False,
    pairs: Pairs | None = None,
    halves: Halves | None = None,
) -> Module:
    """The module after every pass, or after the first that is called `upto`; calls that nobody named have their
    variable's name, for errors."""
    module = name_calls(module)
    for name, run in passes(device, learn, narrow, store, attends, pairs, halves):
        module = run(module)
        watch(name, module)
        if name == upto:
            break
    return module


def compiled(
    module: Module,
    target: Target,
    planner: Planner,
    devices: Sequence[str] = ("host",),
    watch: Watch = lambda name, module: None,
    narrow: Pass | None = None,
    beside: Planner | None = None,
    store: Pass | None = None,
) -> Executable:
    """The executable of a module; its kernels' plans are looked up and not yet built. They run on the last device, of
    whose kernels `beside` looks plans up, if that is another than the host's."""
    learnt: list[Refinement] = []
    device = len(devices) - 1
    pairs, halves = functools.partial(pairs_on, target), functools.partial(halves_on, target, device)
    explicit = optimise(module, device, watch, learnt.extend, narrow, store=store, pairs=pairs, halves=halves)
    table = KernelTable(target, planner, overflowing(explicit, target), beside)
    made, demands = lower(explicit, table, devices), demands_of(module.main, explicit.main, learnt)
    return replace(made, demands=demands, written=written_of(explicit.main))
