"""anytile: kernels tuned once, fast at every shape.

The public names, and nothing else. They are looked up when first used, so that `import anytile` is quick and drags
in neither Ray, XGBoost, CuPy nor Alembic; constructors of workloads are those of the operator table. `__init__.pyi`
says the same to type checkers; `scripts/docs` writes it.

    from anytile import Any, build, dense

    kernel = build(dense(m=Any("m"), n=768, k=768), constants={"w": w})
    y = kernel(x)
    print(kernel.why(m=17))
"""

from __future__ import annotations

import os as _os

# In a clone the other rooms stand beside this one, also where it is found by a link: `python -m anytile` works there
# without an installation as well.
if not _os.path.isdir(_os.path.join(__path__[0], "core")):
    _room = _os.path.realpath(__path__[0])
    __path__[:] = [_room, _os.path.dirname(_room)]

from anytile.core.version import __version__ as __version__
from anytile.public_names import find as _find
from anytile.public_names import public_names as _public_names


def __getattr__(name: str) -> object:
    value = _public_names() if name == "__all__" else _find(name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_public_names()})
