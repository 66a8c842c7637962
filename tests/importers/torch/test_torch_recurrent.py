"""Recurrent layers of exported programs, at lengths and batches that only the call says, held against torch's own."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402  # behind the line that skips

import anytile  # noqa: E402
from anytile.compiler.builder import Block, ModuleBuilder  # noqa: E402
from anytile.core.errors import UnsupportedError  # noqa: E402
from anytile.importers.core.graph import Graph, Names, Refusal  # noqa: E402
from anytile.importers.torch import dynamo  # noqa: E402
from anytile.importers.torch.aten import ROWS  # noqa: E402
from anytile.importers.torch.exported import import_program  # noqa: E402
from anytile.importers.torch.graph.aten_call import Call  # noqa: E402
from anytile.torch_backend import any_length, prepare  # noqa: E402

nn, Dim, export = torch.nn, torch.export.Dim, torch.export.export
WIDTH, HIDDEN = 4, 5
KINDS = {
    "lstm": (nn.LSTM, {}),
    "gru": (nn.GRU, {}),
    "rnn_tanh": (nn.RNN, {}),
    "rnn_relu": (nn.RNN, {"nonlinearity": "relu"}),
}
FORMS = [  # each two of the settings in all four ways
    (1 + deep, both, batch_first, deep == both, deep != batch_first)
    for deep, both, batch_first in product((False, True), repeat=3)
]


def same(found: Any, wanted: Any) -> None:
    torch.utils._pytree.tree_map(lambda a, b: torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5), found, wanted)


def exported(model: Any, given: Sequence[Any], dynamic: Any) -> Any:
    with torch.no_grad(), any_length():
        return export(model.eval(), tuple(given), dynamic_shapes=dynamic)


class Case:
    """A layer of some form, with arguments of any length and batch."""

    def __init__(self, kind: str, layers: int, both: bool, batch_first: bool, bias: bool, given: bool) -> None:
        torch.manual_seed(0)
        made, more = KINDS[kind]
        self.kind, self.batch_first, self.given, self.count = kind, batch_first, given, layers * (1 + both)
        self.model = made(WIDTH, HIDDEN, layers, bias=bias, batch_first=batch_first, bidirectional=both, **more).eval()

    def arguments(self, steps: int, batch: int) -> tuple[Any, ...]:
        x = torch.randn(*((batch, steps) if self.batch_first else (steps, batch)), WIDTH)
        if not self.given:
            return (x,)
        state = [torch.randn(self.count, batch, HIDDEN) for _ in range(2)]
        return x, tuple(state) if self.kind == "lstm" else state[0]

    def dynamic(self) -> tuple[Any, ...]:
        steps, batch = Dim("steps"), Dim("batch")
        x = {0: batch, 1: steps} if self.batch_first else {0: steps, 1: batch}
        state = {1: batch}
        return (x, (state, state) if self.kind == "lstm" else state) if self.given else (x,)


@pytest.mark.slow
@pytest.mark.parametrize(("layers", "both", "batch_first", "bias", "given"), FORMS)
@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def test_any_length(kind: str, layers: int, both: bool, batch_first: bool, bias: bool, given: bool) -> None:
    case = Case(kind, layers, both, batch_first, bias, given)
    run = prepare(exported(case.model, case.arguments(6, 3), case.dynamic()))
    for steps, batch in ((1, 2), (2, 1), (7, 3), (200, 2)):
        arguments = case.arguments(steps, batch)
        same(run(*arguments), case.model(*arguments))


@pytest.mark.slow
@pytest.mark.parametrize("steps", [3, 130])
@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def test_a_known_length(kind: str, steps: int) -> None:
    """Few steps are written one after the other, many are a loop."""
    case = Case(kind, 2, True, True, True, True)
    arguments = case.arguments(steps, 2)
    program = export(case.model, arguments)
    assert (len(import_program(program).module.functions) > 1) == (steps > 128)
    same(prepare(program)(*arguments), case.model(*arguments))


@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def test_one_sequence() -> None:
    model = nn.GRU(WIDTH, HIDDEN).eval()
    run = prepare(exported(model, (torch.randn(6, WIDTH),), ({0: Dim("steps")},)))
    for steps in (1, 9):
        x = torch.randn(steps, WIDTH)
        same(run(x), model(x))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["lstm", "gru"])
@torch._dynamo.config.patch(allow_rnn=True)  # type: ignore[untyped-decorator]  # a package without types
@torch.inference_mode()  # type: ignore[untyped-decorator]  # a package without types
def test_layers_that_torch_hands_over(
    kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An LSTM is one program for all lengths; of others torch writes each step."""
    counted: list[int] = []
    made = dynamo.Programs._new
    monkeypatch.setattr(dynamo.Programs, "_new", lambda *args: counted.append(1) or made(*args))
    for layers, both, batch_first, bias, given in FORMS[:: 3 if kind == "lstm" else 8]:
        case = Case(kind, layers, both, batch_first, bias, given)
        torch._dynamo.reset()
        run = torch.compile(case.model, backend="anytile", dynamic=True)
        counted.clear()
        for steps, batch in ((5, 2), (6, 3), (3, 2), (9, 4)):
            arguments = case.arguments(steps, batch)
            same(run(*arguments), case.model(*arguments))
        assert len(counted) <= 2 if kind == "lstm" else len(counted) == 4  # the first for sizes of its own, by chance
    assert not capsys.readouterr().err


class Doubled(nn.Module):  # type: ignore[misc]  # a package without types
    """A layer in a program that is taken apart for something else."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.LSTM(WIDTH, HIDDEN)

    def forward(self, x: Any) -> Any:
        y, _ = self.layer(x)
        return torch.trapezoid(y * 2, dim=2)


@pytest.mark.slow
@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def test_a_layer_stays_whole_where_others_are_taken_apart() -> None:
    torch.manual_seed(0)
    model = Doubled().eval()
    run = prepare(exported(model, (torch.randn(6, 2, WIDTH),), ({0: Dim("steps"), 1: Dim("batch")},)))
    for steps in (1, 9):
        x = torch.randn(steps, 3, WIDTH)
        same(run(x), model(x))


class Crnn(nn.Module):  # type: ignore[misc]  # a package without types
    """What reads lines of text: columns of an image as steps."""

    def __init__(self) -> None:
        super().__init__()
        self.image = nn.Sequential(
            *(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)),
            nn.Conv2d(8, 16, (8, 1)),
        )
        self.layer, self.out = nn.LSTM(16, 8, 2, bidirectional=True), nn.Linear(16, 11)

    def forward(self, x: Any) -> Any:
        columns = self.image(x).squeeze(2).permute(2, 0, 1)
        return self.out(self.layer(columns)[0])


@pytest.mark.slow
@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def test_a_line_of_text_of_any_width() -> None:
    torch.manual_seed(0)
    model = Crnn().eval()
    dynamic = ({0: Dim("batch"), 3: 4 * Dim("columns", max=512)},)
    run = prepare(exported(model, (torch.randn(2, 1, 32, 120),), dynamic))
    for batch, columns in ((1, 1), (3, 7), (2, 30), (1, 200)):
        x = torch.randn(batch, 1, 32, 4 * columns)
        same(run(x), model(x))


def refused(model: Any, *given: Any) -> str:
    program = export(model, given)
    with pytest.raises(UnsupportedError) as caught:
        import_program(program)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_projection_is_refused() -> None:
    assert "(proj_size)" in refused(nn.LSTM(WIDTH, HIDDEN, proj_size=2).eval(), torch.randn(3, 2, WIDTH))


def test_dropout_between_layers_is_refused_in_training_alone() -> None:
    model, x = nn.GRU(WIDTH, HIDDEN, 2, dropout=0.5), torch.randn(3, 2, WIDTH)
    assert "call model.eval() first" in refused(model.train(), x)
    assert import_program(export(model.eval(), (x,))).module.functions


@pytest.mark.parametrize("kind", KINDS)
def test_a_packed_sequence_is_refused(kind: str) -> None:
    """Which torch's exporter refuses before, as it reads the sizes of its batches."""
    given = {argument.name: None for argument in getattr(torch.ops.aten, kind).data._schema.arguments}
    graph = Graph(Block(ModuleBuilder()), Names())
    with pytest.raises(Refusal, match="a packed sequence; expected a padded one"):
        ROWS[kind].means(Call(graph, kind, given, (), lambda *_: ()))


ATEN = torch.ops.aten
MODES = ("rnn_relu", "rnn_tanh", "lstm", "gru")  # in cuDNN's order


def by_cudnn(case: Case, given: Any, **changed: Any) -> Any:
    """The layers as a trace of tensors on a GPU calls them: weights one by one, and a buffer that has them all."""
    model, (x, state) = case.model, given
    weights = [w.detach() for names in model._all_weights for w in (getattr(model, name) for name in names)]
    hx, cx = state if case.kind == "lstm" else (state, None)
    attrs: dict[str, Any] = {
        "mode": MODES.index(case.kind),
        "hidden_size": HIDDEN,
        "proj_size": 0,
        "num_layers": model.num_layers,
        "batch_first": model.batch_first,
        "dropout": 0.0,
        "train": False,
        "bidirectional": model.bidirectional,
        "batch_sizes": [],
        "dropout_state": None,
        **changed,
    }
    each = 4 if model.bias else 2

    def call(x: Any, hx: Any, *rest: Any) -> list[Any]:
        more, buffer, weights = rest[: cx is not None], rest[cx is not None], list(rest[1 + (cx is not None) :])
        found = ATEN._cudnn_rnn(x, weights, each, buffer, hx, *(more or (None,)), *attrs.values())
        return list(found[: 2 + (cx is not None)])

    buffer = torch.cat([w.reshape(-1) for w in weights])
    return call, [x, hx, *([] if cx is None else [cx]), buffer, *weights]


def traced(call: Any, given: Sequence[Any]) -> Any:
    """What a graph of the call's operators computes; no CPU of torch has them."""
    graph = make_fx(call, tracing_mode="fake")(*given)
    programs = dynamo.Programs(lambda module, gpu: anytile.Session(anytile.compile(module)).run, pytest.fail)
    weights = range(len(given))[-8:]
    return dynamo.Graph(graph, tuple(weights), (), None, programs)(list(given))


@pytest.mark.slow
@pytest.mark.parametrize(("layers", "both", "batch_first", "bias"), [form[:4] for form in FORMS[::2]])
@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def test_layers_of_cudnn(
    kind: str, layers: int, both: bool, batch_first: bool, bias: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    case = Case(kind, layers, both, batch_first, bias, True)
    for steps, batch in ((5, 2), (1, 3)):
        given = case.arguments(steps, batch)
        y, left = case.model(*given)
        found = traced(*by_cudnn(case, given))
        same(found, [y, *(left if kind == "lstm" else (left,))])
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"proj_size": 2}, "a projection of its state"),
        ({"batch_sizes": [2, 1]}, "a packed sequence; expected a padded one"),
        ({"num_layers": 2, "dropout": 0.5, "train": True}, "dropout in training mode"),
        ({"num_layers": 3}, "8 weights of 3 directions; expected 4 for each"),
    ],
)
@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def test_layers_of_cudnn_that_are_refused(changed: dict[str, Any], said: str) -> None:
    case = Case("lstm", 2, False, False, True, True)
    x, state = case.arguments(5, 2)
    call, given = by_cudnn(case, (x.reshape(10, WIDTH) if "batch_sizes" in changed else x, state), **changed)
    refusals: list[str] = []
    graph = make_fx(call, tracing_mode="fake")(*given)
    with contextlib.suppress(RuntimeError):  # of torch, which then runs the graph, and has no such operator
        dynamo.Graph(graph, (), (), None, dynamo.Programs(lambda *_: pytest.fail("compiled"), refusals.append))(given)
    assert len(refusals) == 1
    assert said in refusals[0]


@pytest.fixture
def gru_cell_meta() -> Any:
    """What torch says of the fused cell of a GRU where tensors have no elements, which it says of an LSTM's."""
    library = torch.library.Library("aten", "IMPL", "Meta")
    library.impl("_thnn_fused_gru_cell", lambda x, h, hx, *_: (torch.empty_like(hx), hx.new_empty(len(hx), 5)))
    yield
    library._destroy()


@pytest.mark.parametrize(("kind", "bias"), [("lstm", True), ("gru", True), ("gru", False)])  # as torch lets one trace
@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def test_fused_cells(kind: str, bias: bool, gru_cell_meta: None, capfd: pytest.CaptureFixture[str]) -> None:
    torch.manual_seed(0)
    made = (nn.LSTMCell if kind == "lstm" else nn.GRUCell)(WIDTH, HIDDEN, bias=bias)
    x, h, c = torch.randn(3, WIDTH), torch.randn(3, HIDDEN), torch.randn(3, HIDDEN)
    given = [x @ made.weight_ih.T, h @ made.weight_hh.T, c if kind == "lstm" else h]
    given += [made.bias_ih.detach(), made.bias_hh.detach()] if bias else []
    operator = ATEN._thnn_fused_lstm_cell if kind == "lstm" else ATEN._thnn_fused_gru_cell
    found = traced(lambda *args: list(operator(*args)[:-1]), given)
    same(found, list(made(x, (h, c))) if kind == "lstm" else [made(x, h)])
    assert capfd.readouterr().err == ""


@pytest.mark.slow
@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def test_layers_that_torch_takes_apart_compute_what_they_did() -> None:
    torch.manual_seed(0)
    for made, more in KINDS.values():
        model, x = made(WIDTH, HIDDEN, bidirectional=True, **more).eval(), torch.randn(3, 2, WIDTH)
        with any_length():
            apart = export(model, (x,)).run_decompositions()
            traced = make_fx(model, tracing_mode="symbolic", _allow_non_fake_inputs=True)(x)
        assert not any(str(node.target).endswith(".input") for graph in (apart, traced) for node in graph.graph.nodes)
        same(apart.module()(x), model(x))
        same(traced(x), model(x))


def test_the_exporter_is_as_it_was_behind_any_length() -> None:
    layer = torch.ops.aten.lstm.input
    before, apart = dict(layer.py_kernels), torch._decomp.decomposition_table[layer]
    with any_length():
        with contextlib.suppress(ValueError), any_length():
            raise ValueError
        assert layer.py_kernels != before
    assert layer.py_kernels == before
    assert torch._decomp.decomposition_table[layer] is apart


def test_another_torch_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch._decomp, "decomposition_table", {})
    with pytest.raises(UnsupportedError, match="traces recurrent layers in another way"), any_length():
        raise AssertionError("it was entered")
    program = torch.export.export(torch.nn.Identity(), (torch.ones(2),))
    monkeypatch.setattr("anytile.importers.torch.exported.lone_writes", lambda *_: None)
    assert import_program(program).module.main.params  # which has none, and asks for nothing of the kind
