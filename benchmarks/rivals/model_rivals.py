"""What users have for the models of examples/, with the same weights: torch eager and compiled, onnxruntime,
OpenVINO.

A rival is a library with a model in it; at an input it offers its ways to run the model, of which a benchmark takes the
fastest. What can be prepared ahead of a call (tensors, bindings, packed weights) is. torch runs in inference mode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from anytile.models_io.rival import onnxruntime_session
from benchmarks.rivals.dense_rivals import Way, bound, compiled_of, inferred, missing
from benchmarks.subjects.model_graphs import Layers, bert, lstm

Array = NDArray[np.float32]
TORCH, COMPILED, ONNXRUNTIME, OPENVINO = "torch", "torch.compile", "onnxruntime", "openvino"
NN_LSTM = "torch nn.LSTM"
RMS_EPS = 1e-5  # as rms_norm has it, unless told otherwise
RIVALS = (TORCH, COMPILED, ONNXRUNTIME, OPENVINO)  # those that floors are held against
Forward = Callable[..., Any]  # the layers' weights, and what comes in, to a result: all of torch


class ModelRival(Protocol):
    """A library with a model loaded into it; `ways` is given an input of the model as our session takes it."""

    name: str

    def ways(self, x: Any) -> list[Way]: ...


@dataclass(frozen=True, slots=True)
class Field:
    """The rivals of one model, and those that this machine cannot run, each with the reason."""

    rivals: Sequence[ModelRival]
    unmeasured: Sequence[str] = ()


class Torch:
    """Functions of torch over one set of weights."""

    def __init__(self, name: str, ways: Mapping[str, Callable[[Any], Any]], prepare: Callable[[Any], Any]) -> None:
        import torch

        self.name, self._ways, self._prepare = name, ways, prepare
        self._inference = torch.inference_mode()

    def ways(self, x: Any) -> list[Way]:
        given = self._prepare(x)

        def way(label: str, forward: Callable[[Any], Any]) -> Way:
            run = self._inference(forward)
            return Way(label, lambda: run(given), lambda: np.asarray(run(given).numpy()))

        return [way(label, run) for label, run in self._ways.items()]


class OnnxRuntime:
    """Sessions of one model, spelled in several ways; `shape` gives those of x and of y for an input."""

    name = ONNXRUNTIME

    def __init__(
        self, models: Mapping[str, bytes], threads: int, shape: Callable[[Array], tuple[tuple[int, ...], ...]]
    ) -> None:
        self._sessions = {label: onnxruntime_session(model, threads) for label, model in models.items()}
        self._shape = shape

    def ways(self, x: Any) -> list[Way]:
        x_shape, y_shape = self._shape(x)
        return [bound(label, s, {"x": x.reshape(x_shape)}, y_shape) for label, s in self._sessions.items()]


class OpenVino:
    """One model compiled for any length; `shape` gives those of x and of y for an input."""

    name = OPENVINO

    def __init__(
        self, label: str, model: bytes, threads: int, shape: Callable[[Array], tuple[tuple[int, ...], ...]]
    ) -> None:
        self._label, self._compiled, self._shape = label, compiled_of(model, threads), shape

    def ways(self, x: Any) -> list[Way]:
        x_shape, y_shape = self._shape(x)
        return [inferred(self._label, self._compiled, {"x": x.reshape(x_shape)}, y_shape)]


def together(ways: Sequence[Way]) -> Way:
    """One way over several inputs, one after another; its result is all of theirs, flattened."""
    calls = [way.call for way in ways]

    def call() -> None:
        for one in calls:
            one()

    return Way(ways[0].label, call, lambda: np.concatenate([np.ravel(way.result()) for way in ways]))


def bert_field(layers: Layers, heads: int, eps: float, threads: int) -> Field:
    """The rivals of BERT's encoder: x[t, hidden]."""
    absent = missing()
    rivals: list[ModelRival] = []
    unmeasured: list[str] = []
    if "torch" not in absent:
        torch = fresh(threads)

        def encode(layers: Any, x: Any) -> Any:
            for w in layers:
                x = bert_layer(torch, w, x, heads, eps)
            return x

        tensors = _tensors(torch, layers)
        rivals.append(Torch(TORCH, {"eager": lambda x: encode(tensors, x)}, torch.from_numpy))
        if reason := no_compiler():
            unmeasured.append(reason)
        else:
            rivals.append(Torch(COMPILED, {"frozen": _compiled(torch, encode, tensors)}, torch.from_numpy))
    if "onnxruntime" not in absent:
        models = {label: bert(layers, heads, eps, fused) for label, fused in (("standard", False), ("fused", True))}
        rivals.append(OnnxRuntime(models, threads, lambda x: ((1, *x.shape), (1, *x.shape))))
    if "openvino" not in absent:
        standard = bert(layers, heads, eps, False)
        rival = OpenVino("standard", standard, threads, lambda x: ((1, *x.shape), (1, *x.shape)))
        # 2026.4 computes 17 tokens and more wrongly where the first call that it ever served had one.
        rival.ways(np.zeros((2, layers[0]["w_q"].shape[1]), np.float32))[0].call()
        rivals.append(rival)
    return Field(rivals, unmeasured)


def bert_layer(torch: Any, w: Any, x: Any, heads: int, eps: float) -> Any:
    f = torch.nn.functional
    tokens, hidden = x.shape
    parts = (f.linear(x, w[f"w_{name}"], w[f"b_{name}"]) for name in "qkv")
    q, k, v = (part.view(1, tokens, heads, -1).transpose(1, 2) for part in parts)
    mixed = f.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(tokens, hidden)
    x = x + f.linear(mixed, w["w_out"], w["b_out"])
    x = f.layer_norm(x, (hidden,), w["gamma_attended"], w["beta_attended"], eps)
    y = f.linear(f.gelu(f.linear(x, w["w_inner"], w["b_inner"])), w["w_outer"], w["b_outer"])
    return f.layer_norm(x + y, (hidden,), w["gamma_final"], w["beta_final"], eps)


def lstm_field(layers: Layers, threads: int) -> Field:
    """The rivals of the LSTM: x[t, inputs] to the last hidden state."""
    absent = missing()
    rivals: list[ModelRival] = []
    unmeasured: list[str] = []
    if "torch" not in absent:
        torch = fresh(threads)
        tensors = _tensors(torch, [{**w, "w_h": w["w_h"].reshape(w["b"].size, -1)} for w in layers])
        cells = [_filled(torch.nn.LSTMCell(*_sizes(w)), [w]) for w in tensors]
        inputs, units = _sizes(tensors[0])
        whole = _filled(torch.nn.LSTM(inputs, units, len(layers)), tensors)
        ways = {
            "LSTMCell": lambda x: _loop_over_cells(torch, cells, x),
            "input product ahead": lambda x: _loop_layerwise(torch, [(w, _step(torch, w)) for w in tensors], x),
        }
        rivals.append(Torch(TORCH, ways, torch.from_numpy))
        rivals.append(Torch(NN_LSTM, {"nn.LSTM": lambda x: whole(x)[1][0][-1]}, torch.from_numpy))
        if reason := no_compiler():
            unmeasured.append(reason)
        else:
            rivals.append(Torch(COMPILED, _compiled_lstm(torch, tensors), torch.from_numpy))
    if "onnxruntime" not in absent:
        units = layers[0]["w_h"].shape[1]
        model = {"LSTM": lstm(layers)}
        rivals.append(OnnxRuntime(model, threads, lambda x: ((x.shape[0], 1, x.shape[1]), (1, 1, units))))
    if "openvino" not in absent:
        of_y = layers[0]["w_h"].shape[1]
        rivals.append(OpenVino("LSTM", lstm(layers), threads, lambda x: ((x.shape[0], 1, x.shape[1]), (1, 1, of_y))))
    return Field(rivals, unmeasured)


def _sizes(w: Mapping[str, Any]) -> tuple[int, int]:
    return w["w_x"].shape[1], w["w_h"].shape[1]


def _filled(module: Any, layers: Sequence[Mapping[str, Any]]) -> Any:
    """torch's own LSTM or LSTMCell with our weights; its gates come in the same order."""
    state = module.state_dict()
    for number, w in enumerate(layers):
        suffix = f"_l{number}" if f"weight_ih_l{number}" in state else ""
        state[f"weight_ih{suffix}"], state[f"weight_hh{suffix}"] = w["w_x"], w["w_h"]
        state[f"bias_ih{suffix}"], state[f"bias_hh{suffix}"] = w["b"], w["b"] * 0
    module.load_state_dict(state)
    return module.eval()


def _loop_over_cells(torch: Any, cells: Sequence[Any], x: Any) -> Any:
    states = [(torch.zeros(1, cell.hidden_size), torch.zeros(1, cell.hidden_size)) for cell in cells]
    for step in x:
        below = step[None]
        for number, cell in enumerate(cells):
            states[number] = cell(below, states[number])
            below = states[number][0]
    return states[-1][0]


def _gates(torch: Any, w: Any, before: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i, f, g, o = torch.addmm(before, h, w["w_h"].t()).chunk(4, 1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def _step(torch: Any, w: Any) -> Callable[[Any, Any, Any], tuple[Any, Any]]:
    return lambda before, h, c: _gates(torch, w, before, h, c)


def _loop_layerwise(torch: Any, layers: Sequence[tuple[Any, Any]], x: Any) -> Any:
    """Each layer over all steps: the input's product once for all, then one call of its `step` for each."""
    h = x
    for w, step in layers:
        h = c = torch.zeros(1, w["w_h"].shape[1])
        below = []
        for before in torch.nn.functional.linear(x, w["w_x"], w["b"]).split(1):
            h, c = step(before, h, c)
            below.append(h)
        x = torch.cat(below)
    return h


def _compiled_lstm(torch: Any, layers: Sequence[Any]) -> dict[str, Callable[[Any], Any]]:
    """The loop stays in Python, or torch would compile one graph for each length; a step is compiled."""
    steps = [(w, _compiled(torch, lambda ws, *given: _gates(torch, *ws, *given), [w])) for w in layers]
    return {"step": lambda x: _loop_layerwise(torch, steps, x)}


def tree_lstm_field(w: Mapping[str, Array], threads: int) -> Field:
    """The rival of the Tree-LSTM: trees as our session takes them, made lists of torch's tensors ahead of time. The
    floor names torch; torch.compile and onnxruntime are not run, as neither has a graph for trees of any form."""
    if "torch" in missing():
        return Field(())
    torch = fresh(threads)
    (tensors,) = _tensors(torch, [{name: a.reshape(-1, *a.shape[2:]) for name, a in w.items()}])

    def state(tree: Any) -> tuple[Any, Any]:
        return _tree_state(torch, tensors, tree)

    return Field([Torch(TORCH, {"recursion": lambda tree: state(tree)[0]}, lambda tree: _torch_tree(torch, tree))])


def _torch_tree(torch: Any, tree: Any) -> Any:
    """A leaf is a tensor, a node the list of its children."""
    if tree.constructor == "Leaf":
        return torch.from_numpy(tree.fields[0])
    children = []
    (rest,) = tree.fields
    while rest.constructor == "Cons":
        first, rest = rest.fields
        children.append(_torch_tree(torch, first))
    return children


def _tree_state(torch: Any, w: Mapping[str, Any], tree: Any) -> tuple[Any, Any]:
    linear = torch.nn.functional.linear
    if not isinstance(tree, list):
        i, o, u = linear(tree, w["w"], w["b"].view(-1)).chunk(3, 1)
        c = i.sigmoid() * u.tanh()
    else:
        states = [_tree_state(torch, w, child) for child in tree]
        h, kept = (torch.cat(parts) for parts in zip(*states, strict=True))
        i, o, u = linear(h.sum(0, keepdim=True), w["v"], w["b"].view(-1)).chunk(3, 1)
        forget = linear(h, w["f"], w["b_f"].view(-1)).sigmoid()
        c = i.sigmoid() * u.tanh() + (forget * kept).sum(0, keepdim=True)
    return o.sigmoid() * c.tanh(), c


def decoder_field(words: Array, scores: Array, layers: Layers, heads: int, threads: int) -> Field:
    """The rival of the decoder: (first word, how many) to the words. onnxruntime would need a graph with a loop in it,
    and torch.compile one for each length of the caches."""
    if "torch" in missing():
        return Field(())
    torch = fresh(threads)
    tensors, (tables,) = _tensors(torch, layers), _tensors(torch, [{"words": words, "scores": scores}])

    def write(given: Any, caches: Callable[[int], Any]) -> Any:
        token, count = given
        written, grown = [], [caches(count) for _ in tensors]
        for at in range(count):
            x = tables["words"][token][None]
            for w, grow in zip(tensors, grown, strict=True):
                x = _decoder_layer(torch, w, x, heads, at, grow)
            written.append(token)
            token = int(torch.nn.functional.linear(x, tables["scores"]).argmax())
        return torch.tensor(written)

    ways = {
        "cat": lambda given: write(given, lambda count: _Joined(torch)),
        "room ahead": lambda given: write(given, lambda count: _Ahead(torch, count, words.shape[1], heads)),
    }
    return Field([Torch(TORCH, ways, lambda given: tuple(map(int, given)))])


class _Joined:
    """Keys and values of one layer, joined at every step."""

    def __init__(self, torch: Any) -> None:
        self._cat = torch.cat
        self._held: Any = None

    def __call__(self, at: int, *new: Any) -> Any:
        self._held = new if self._held is None else [self._cat(pair) for pair in zip(self._held, new, strict=True)]
        return self._held


class _Ahead:
    """The same in room for all of them."""

    def __init__(self, torch: Any, count: int, hidden: int, heads: int) -> None:
        self._room = [torch.empty(count, heads, hidden // heads) for _ in "kv"]

    def __call__(self, at: int, *new: Any) -> Any:
        for room, one in zip(self._room, new, strict=True):
            room[at] = one[0]
        return [room[: at + 1] for room in self._room]


def _decoder_layer(torch: Any, w: Any, x: Any, heads: int, at: int, grow: Any) -> Any:
    f = torch.nn.functional
    hidden = x.shape[1]
    y = f.rms_norm(x, (hidden,), eps=RMS_EPS)
    q, k, v = (f.linear(y, w[f"w_{name}"]).view(1, heads, -1) for name in "qkv")
    keys, values = grow(at, k, v)
    mixed = f.scaled_dot_product_attention(*(t.transpose(0, 1) for t in (q, keys, values)))
    x = x + f.linear(mixed.reshape(1, hidden), w["w_out"])
    y = f.rms_norm(x, (hidden,), eps=RMS_EPS)
    return x + f.linear(f.gelu(f.linear(y, w["w_inner"])), w["w_outer"])


def fresh(threads: int) -> Any:
    """torch, with nothing in it of the model before this one."""
    import torch
    import torch._dynamo

    torch._dynamo.reset()  # lets go of the graphs of the model before this one, and of the weights frozen into them
    torch.set_num_threads(threads)
    return torch


def _tensors(torch: Any, layers: Layers) -> list[dict[str, Any]]:
    return [{name: torch.from_numpy(np.ascontiguousarray(a)) for name, a in w.items()} for w in layers]


def no_compiler() -> str:
    """Why torch.compile cannot be measured here, or nothing."""
    from torch._inductor import cpp_builder, exc

    try:
        cpp_builder.get_cpp_compiler()
    except exc.InvalidCxxCompiler:
        return "against torch.compile: it needs a C++ compiler, and this machine has none (install g++)"
    return ""


def _compiled(torch: Any, forward: Forward, layers: Sequence[Mapping[str, Any]]) -> Callable[..., Any]:
    """torch.compile with dynamic shapes and the weights frozen in, which lets it pack them: they must be a module's."""
    return frozen(torch, held(torch, forward, layers), dynamic=True)


def held(torch: Any, forward: Forward, layers: Sequence[Mapping[str, Any]]) -> Any:
    """A module whose parameters the weights are: torch.compile then knows that they stay where and what they are."""

    class Holder(torch.nn.Module):  # type: ignore[misc]  # torch is not there for the type checker
        def __init__(self) -> None:
            super().__init__()
            self.tables = torch.nn.ModuleList([torch.nn.ParameterDict(_parameters(torch, w)) for w in layers])

        def forward(self, *given: Any) -> Any:
            return forward([dict(w.items()) for w in self.tables], *given)

    return Holder().eval()


def frozen(torch: Any, module: Any, dynamic: bool | None = None) -> Callable[..., Any]:
    """A module by torch.compile, its weights frozen in. Without `dynamic` sizes are that turn out to be other ones."""
    # Not among the options of one call: only the global setting reaches the tracer, which must know of it too.
    torch._inductor.config.freezing = True
    torch._dynamo.config.fail_on_recompile_limit_hit = True  # else it would go on uncompiled and say nothing
    return torch.compile(module, dynamic=dynamic)  # type: ignore[no-any-return]


def _parameters(torch: Any, w: Mapping[str, Any]) -> dict[str, Any]:
    return {name: torch.nn.Parameter(a, requires_grad=False) for name, a in w.items()}
