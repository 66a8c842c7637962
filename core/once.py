"""What is made once in a process and kept for good, such as machine code that somebody may always be running.

`functools.cache` lets threads that ask at the same time make a value each, and keeps one: the code of the others would
be unmapped under whoever has an address of it. Here one thread makes it, and the others wait.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")


def once(make: Callable[[*Arguments], Result]) -> Callable[[*Arguments], Result]:
    """The same function, which makes one value for each choice of arguments; errors are not kept."""
    making, kept = threading.Lock(), functools.cache(make)

    @functools.wraps(make)
    def made(*args: *Arguments) -> Result:
        with making:
            return kept(*args)

    return made
