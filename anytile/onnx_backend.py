"""Backend of ONNX (`onnx.backend.base.Backend`): `anytile.onnx_backend.prepare(model).run(inputs)`.

With it ONNX's own tests run on anytile: `onnx.backend.test.BackendTest(anytile.onnx_backend, __name__)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anytile.compiler.module import Module
from anytile.core.errors import UnsupportedError
from anytile.importers.onnx.backend import Prepared, Run
from anytile.importers.onnx.model import import_model
from anytile.importers.onnx.proto.package import onnx
from anytile.model_api import Session, compile

onnx()
from onnx.backend.base import Backend, BackendRep  # noqa: E402  # behind the line that says what is missing


def _compiled(module: Module) -> tuple[Run, Sequence[str]]:
    session = Session(compile(module))
    return session, [name for name, _ in session.exe.inputs]


class AnytileRep(BackendRep):  # type: ignore[misc]  # a package without types
    """A model that was prepared."""

    def __init__(self, model: Any) -> None:
        self._prepared = Prepared(model, _compiled)

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """What the model makes of inputs, in their order or by name."""
        return self._prepared.run(inputs)


class AnytileBackend(Backend):  # type: ignore[misc]  # a package without types
    """Models on the CPU."""

    @classmethod
    def is_compatible(cls, model: Any, device: str = "CPU", **kwargs: Any) -> bool:
        """Whether everything in a model is supported."""
        try:
            import_model(model)
        except UnsupportedError:
            return False
        return True

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", **kwargs: Any) -> AnytileRep:
        """A model, ready to run."""
        if not cls.supports_device(device):
            raise UnsupportedError(f"the device {device}: ONNX models run on the CPU")
        return AnytileRep(model)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """The CPU alone."""
        return device == "CPU"


is_compatible = AnytileBackend.is_compatible
prepare = AnytileBackend.prepare
run_model = AnytileBackend.run_model
supports_device = AnytileBackend.supports_device
