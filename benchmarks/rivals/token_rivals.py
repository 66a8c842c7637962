"""What users have for the decoder of examples/llama.py with its weights in 4 bits: onnxruntime, torch, llama.cpp.

Weights are the very same numbers: bytes and scales as our kernels get them. onnxruntime has the graph that its own
exporter of such models writes: MatMulNBits, and GroupQueryAttention over a cache that is bound as input and output, so
that it is written in place; once with rows of float32, and once as it quantises them to 8 bits. torch has its packed
4-bit product, in float32 and in bfloat16, around its own attention. llama.cpp reads a file of its own kind, through its
Python package, which pip builds from source and `scripts/bench` therefore does not install.
"""

from __future__ import annotations

import ctypes
import importlib.util
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from llama import Size
from numpy.typing import NDArray

from anytile.compiler.module import Module
from anytile.compiler.passes.narrow.grouped_weights import GROUP
from anytile.models_io.rival import onnxruntime_session
from benchmarks.rivals.dense_rivals import Way, bound_to, inferring, missing
from benchmarks.subjects import gguf_model
from benchmarks.subjects.model_graphs import FUSED, Graph
from benchmarks.subjects.token_weights import EPS, Grouped, Weights

Array = NDArray[Any]
ONNXRUNTIME, TORCH, LLAMA_CPP = "onnxruntime", "torch", "llama.cpp"
RIVALS = (ONNXRUNTIME, TORCH, LLAMA_CPP)


@dataclass(frozen=True)
class Given:
    """One call: the tokens behind a text, and by layer keys and values of that, [read, shared, per_head]."""

    text: Array
    tokens: Array
    cache: Sequence[Array]

    @property
    def read(self) -> int:
        return len(self.text)

    def rooms(self) -> list[Array]:
        """The cache by heads, with room for the new tokens: [shared, read + new, per_head]."""
        whole = [np.pad(a, ((0, len(self.tokens)), (0, 0), (0, 0))) for a in self.cache]
        return [np.ascontiguousarray(a.transpose(1, 0, 2)) for a in whole]


class TokenRival(Protocol):
    """A library with the model loaded into it; `ways` is given what one call reads."""

    name: str

    def ways(self, given: Given) -> list[Way]: ...


def rivals_of(size: Size, module: Module, context: int, threads: int) -> list[TokenRival]:
    """Those that are installed, with the weights of the decoder's module."""
    known: tuple[type[OnnxRuntime | Torch | LlamaCpp], ...] = (OnnxRuntime, Torch, LlamaCpp)
    there = [kind for kind in known if kind.name not in absent()]
    weights = Weights.of(size, module) if there else None
    return [] if weights is None else [kind(weights, context, threads) for kind in there]


def absent() -> list[str]:
    """Those that are not."""
    packages = [] if importlib.util.find_spec("llama_cpp") else [LLAMA_CPP]
    return [name for name in missing() if name in RIVALS] + packages


def _angles(size: Size, context: int) -> Array:
    half = size.per_head // 2
    return np.arange(context)[:, None] * 10000.0 ** (-np.arange(half) / half)


class OnnxRuntime:
    """Sessions of the model's graph, whose rows are float32 or quantised to 8 bits where they meet a weight."""

    name = ONNXRUNTIME

    def __init__(self, weights: Weights, context: int, threads: int) -> None:
        self._size = weights.size
        levels = {"float32 rows": 1, "int8 rows": 4}
        self._sessions = {
            label: onnxruntime_session(graph(weights, context, n), threads) for label, n in levels.items()
        }

    def ways(self, given: Given) -> list[Way]:
        count, whole = len(given.tokens), given.read + len(given.tokens)
        rooms = {name: room[None] for name, room in zip(_pasts(self._size), given.rooms(), strict=True)}
        inputs: dict[str, Array] = {
            "tokens": given.tokens.reshape(1, count).astype(np.int64),
            "last": np.array([whole - 1], np.int32),
            "whole": np.array(whole, np.int32),
            **rooms,
        }
        presents = {f"present_{name}": room for name, room in rooms.items()}
        y = np.empty((1, 1, self._size.words), dtype=np.float32)
        ways = [bound_to(label, session, inputs, {"y": y, **presents}) for label, session in self._sessions.items()]
        return [replace(way, result=lambda: y) for way in ways]


def _pasts(size: Size) -> list[str]:
    return [f"{kind}{number}" for number in range(size.layers) for kind in "kv"]


def graph(weights: Weights, context: int, accuracy: int) -> bytes:
    """(tokens[1, t], last[1], whole, keys and values by layer) to the scores behind the last token."""
    size, g = weights.size, Graph()

    def dense(x: str, w: Grouped, name: str) -> str:
        n = len(w.packed)
        blob = g.constant(w.packed.reshape(n, -1, GROUP // 2), name)
        scales = g.constant(w.scales.astype(np.float32), f"{name}_scale")
        given: dict[str, Any] = {"N": n, "K": w.k, "bits": 4, "block_size": GROUP, "accuracy_level": accuracy}
        return g("MatMulNBits", x, blob, scales, domain=FUSED, **given)

    def normalised(x: str, vector: Array, name: str) -> str:
        return g("SimplifiedLayerNormalization", x, g.constant(vector, name), axis=-1, epsilon=EPS)

    angles = _angles(size, context).astype(np.float32)
    turns = g.constant(np.cos(angles), "cos"), g.constant(np.sin(angles), "sin")
    outputs: dict[str, Sequence[int | str]] = {"y": (1, 1, size.words)}
    x = g("Gather", g.constant(weights.outer["words"], "words"), "tokens")
    for number, w in enumerate(weights.layers):
        names = {name: f"l{number}_{name}" for name in w}
        y = normalised(x, w["before"], names["before"])
        q, k, v = (dense(y, w[name], names[name]) for name in ("w_q", "w_k", "w_v"))
        heads: dict[str, Any] = {"num_heads": size.heads, "kv_num_heads": size.shared, "do_rotary": 1}
        presents = [f"present_{kind}{number}" for kind in "kv"]
        given = (q, k, v, f"k{number}", f"v{number}", "last", "whole", *turns)
        mixed = g("GroupQueryAttention", *given, domain=FUSED, named=(f"mixed{number}", *presents), **heads)
        outputs |= dict.fromkeys(presents, (1, size.shared, "room", size.per_head))
        x = g("Add", x, dense(mixed, w["w_out"], names["w_out"]))
        y = normalised(x, w["behind"], names["behind"])
        gate, up = (dense(y, w[name], names[name]) for name in ("w_gate", "w_up"))
        inner = g("Mul", g("Mul", gate, g("Sigmoid", gate)), up)
        x = g("Add", x, dense(inner, w["w_down"], names["w_down"]))
    last = g("Gather", x, g.constant(np.array([-1]), "the_last"), axis=1)
    y = dense(normalised(last, weights.outer["norm"], "norm"), weights.outer["head"], "head")
    inputs: dict[str, tuple[str, Sequence[int | str]]] = {
        "tokens": ("INT64", (1, "t")),
        "last": ("INT32", (1,)),
        "whole": ("INT32", ()),
        **dict.fromkeys(_pasts(size), ("FLOAT", (1, size.shared, "room", size.per_head))),
    }
    return g.model_of(y, inputs, outputs)


class Torch:
    """The packed 4-bit product of torch, and its attention, which reads keys and values where they lie."""

    name = TORCH

    def __init__(self, weights: Weights, context: int, threads: int) -> None:
        self._torch = torch = inferring(threads)
        self._size, self._models = weights.size, {}
        for label, dtype in (("float32", torch.float32), ("bfloat16", torch.bfloat16)):
            self._models[label] = dtype, _TorchModel(torch, weights, context, dtype)

    def ways(self, given: Given) -> list[Way]:
        torch = self._torch
        tokens = torch.from_numpy(given.tokens)

        def way(label: str) -> Way:
            dtype, model = self._models[label]
            rooms = [torch.from_numpy(room).to(dtype) for room in given.rooms()]

            def call() -> Any:
                return model(tokens, given.read, rooms)

            return Way(label, call, lambda: np.asarray(call().float().numpy()))

        return [way(label) for label in self._models]


class _TorchModel:
    def __init__(self, torch: Any, weights: Weights, context: int, dtype: Any) -> None:
        self.torch, self.size, self.dtype = torch, weights.size, dtype
        self.layers = [{name: self._held(w) for name, w in layer.items()} for layer in weights.layers]
        self.outer = {name: self._held(w) for name, w in weights.outer.items()}
        angles = torch.from_numpy(np.concatenate([_angles(weights.size, context)] * 2, axis=1))
        self.cos, self.sin = angles.cos().to(dtype), angles.sin().to(dtype)

    def _held(self, w: Any) -> Any:
        torch = self.torch
        if not isinstance(w, Grouped):
            return torch.from_numpy(w).to(self.dtype)
        codes = np.stack([w.packed & 15, w.packed >> 4], axis=-1).reshape(len(w.packed), -1).astype(np.int32)
        packed = torch.ops.aten._convert_weight_to_int4pack_for_cpu(torch.from_numpy(codes), 1)
        scales = torch.from_numpy(np.ascontiguousarray(w.scales.T)).to(self.dtype)
        both = torch.stack([scales, torch.zeros_like(scales)], dim=-1).contiguous()
        product = torch.ops.aten._weight_int4pack_mm_for_cpu.default
        return lambda x: product(x, packed, GROUP, both)

    def __call__(self, tokens: Any, read: int, rooms: Sequence[Any]) -> Any:
        f = self.torch.nn.functional
        hidden, end = (self.size.hidden,), read + len(tokens)
        turns = self.cos[read:end], self.sin[read:end]
        x = self.outer["words"][tokens]
        for number, w in enumerate(self.layers):
            mixed = self._attention(f.rms_norm(x, hidden, w["before"], EPS), w, rooms[2 * number :], read, turns)
            x = x + w["w_out"](mixed)
            y = f.rms_norm(x, hidden, w["behind"], EPS)
            x = x + w["w_down"](f.silu(w["w_gate"](y)) * w["w_up"](y))
        return self.outer["head"](f.rms_norm(x[-1:], hidden, self.outer["norm"], EPS))[0]

    def _attention(self, y: Any, w: Any, rooms: Sequence[Any], read: int, turns: Any) -> Any:
        torch, size, end = self.torch, self.size, read + len(y)

        def heads(x: Any) -> Any:
            return x.view(len(y), -1, size.per_head).transpose(0, 1)

        def turned(x: Any) -> Any:
            low, high = x.chunk(2, -1)
            return x * turns[0] + torch.cat([-high, low], -1) * turns[1]

        keys, values = rooms[:2]
        keys[:, read:end] = turned(heads(w["w_k"](y)))
        values[:, read:end] = heads(w["w_v"](y))
        seen = None
        if len(y) > 1:
            seen = torch.ones(len(y), end, dtype=torch.bool).tril(read)
        held = (turned(heads(w["w_q"](y))), keys[:, :end], values[:, :end])
        attend: Callable[..., Any] = torch.nn.functional.scaled_dot_product_attention
        mixed = attend(*(part[None] for part in held), attn_mask=seen, enable_gqa=True)
        return mixed[0].transpose(0, 1).reshape(len(y), -1)


class LlamaCpp:
    """llama.cpp's own session over a file in its 4-bit format, which it lays out anew as it loads it."""

    name = LLAMA_CPP

    def __init__(self, weights: Weights, context: int, threads: int) -> None:
        import llama_cpp

        self._lib, self._words = llama_cpp, weights.size.words
        self._silence = llama_cpp.llama_log_callback(lambda level, text, data: None)
        llama_cpp.llama_log_set(self._silence, ctypes.c_void_p())
        llama_cpp.llama_backend_init()
        asked = llama_cpp.llama_model_default_params()
        asked.use_mmap = False
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "llama.gguf"
            gguf_model.write(path, weights, context)
            self._model = llama_cpp.llama_model_load_from_file(str(path).encode(), asked)
        given = llama_cpp.llama_context_default_params()
        given.n_ctx = given.n_batch = given.n_ubatch = -(-context // 256) * 256
        given.n_threads = given.n_threads_batch = threads
        self._context = llama_cpp.llama_init_from_model(self._model, given)

    def ways(self, given: Given) -> list[Way]:
        lib, context, read = self._lib, self._context, given.read
        memory = lib.llama_get_memory(context)
        lib.llama_memory_clear(memory, True)
        if read:
            self._decode(given.text, 0)

        def call() -> None:
            lib.llama_memory_seq_rm(memory, 0, read, -1)
            self._decode(given.tokens, read)

        def result() -> Array:
            return np.ctypeslib.as_array(lib.llama_get_logits_ith(context, -1), (self._words,)).copy()

        return [Way("4 bits", call, result)]

    def _decode(self, tokens: Array, begin: int) -> None:
        batch = self._lib.llama_batch_init(len(tokens), 0, 1)
        batch.n_tokens = len(tokens)
        for at, token in enumerate(tokens):
            batch.token[at], batch.pos[at], batch.n_seq_id[at] = int(token), begin + at, 1
            batch.seq_id[at][0], batch.logits[at] = 0, at == len(tokens) - 1
        status = self._lib.llama_decode(self._context, batch)
        self._lib.llama_batch_free(batch)
        if status:
            raise SystemExit(f"error: {LLAMA_CPP} could not read {len(tokens)} tokens: status {status}")
