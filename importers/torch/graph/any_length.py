"""Exports of recurrent layers at any length: torch's tracing of them made to ask for sizes alone.

To know what a recurrent layer makes, torch's exporter walks it step by step, which pins the number of steps to the
example's, although the layer stays one operator of the program. Here it is told the sizes instead, which follow from
those of the input and the states. Where a layer is taken apart, or computed, all is as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import RLock
from typing import Any

from anytile.core.errors import UnsupportedError
from anytile.importers.torch.graph.calls import calls_of, name_of
from anytile.importers.torch.graph.torch_package import torch

_LAYERS = ("lstm", "gru", "rnn_tanh", "rnn_relu")
_ONE = RLock()  # torch's tables are one for all threads


@contextmanager
def any_length() -> Iterator[None]:
    """While it is entered, torch traces recurrent layers without pinning their length."""
    with _ONE:
        try:
            keys = torch()._C.DispatchKey
            overloads = [getattr(torch().ops.aten, name).input for name in _LAYERS]
            before = [(dict(o.py_kernels), torch()._decomp.decomposition_table[o]) for o in overloads]
            after = [
                {**kernels, **{key: _sized(kernels[key]) for key in (keys.Autograd, keys.CompositeImplicitAutograd)}}
                for kernels, _ in before
            ]
        except (AttributeError, KeyError) as error:
            said = f"torch {torch().__version__} traces recurrent layers in another way than 2.13 ({error!r})"
            raise UnsupportedError(f"{said}; export them at one length, or as ONNX") from None
        try:
            for overload, (_, apart), sized in zip(overloads, before, after, strict=True):
                _put(overload, sized, _sized(apart))
            yield
        finally:
            for overload, (kernels, apart) in zip(overloads, before, strict=True):
                _put(overload, kernels, apart)


def has_layers(graph_module: Any) -> bool:
    """Whether a graph has recurrent layers."""
    return any(name_of(node.target) in _LAYERS for node in calls_of(graph_module))


def _put(overload: Any, kernels: Any, apart: Any) -> None:
    torch()._decomp.decomposition_table[overload] = apart
    overload.py_kernels.clear()
    overload.py_kernels.update(kernels)
    overload._dispatch_cache.clear()


def _sized(walked: Callable[..., Any]) -> Callable[..., Any]:
    """What makes tensors of a layer's sizes where nothing is recorded; else what walks it."""
    package = torch()

    @wraps(walked)
    def made(*args: Any, **kwargs: Any) -> Any:
        recorded = package.fx.experimental.proxy_tensor.get_proxy_mode() is not None
        if recorded or kwargs or not isinstance(args[0], package._subclasses.FakeTensor):
            return walked(*args, **kwargs)
        x, hx, *_, is_both, _ = args
        states = list(hx) if isinstance(hx, list | tuple) else [hx]
        width = states[0].shape[-1] * (2 if is_both else 1)
        return (x.new_empty((*x.shape[:2], width)), *(package.empty_like(s) for s in states))

    return made
