"""NVRTC told to make code quickly, not well: it refuses what it ever does, in a tenth of the time.

On a simulated GPU nobody loads what NVRTC makes of a text; that it takes the text is what such a build shows. What the
code is like, its registers and spills, tests ask `compile_cubin` or `build.Compiler()`.
"""

from __future__ import annotations

from anytile.codegen.cuda import nvrtc
from anytile.codegen.cuda.nvrtc import Cubin
from anytile.dispatch.cuda.build import Compiler

_QUICKLY = ("--Ofast-compile=max",)


def quick_compiler() -> Compiler:
    """Under a version of its own, so that no cache takes its code for that of NVRTC at its best."""
    return Compiler(_compiled, lambda: " ".join((nvrtc.version(), *_QUICKLY)))


def _compiled(text: str, arch: str) -> Cubin:
    """Once: what its code keeps in memory is no reason to try again for more registers."""
    return nvrtc._compiled(text, arch, _QUICKLY)
