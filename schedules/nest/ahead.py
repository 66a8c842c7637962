"""What blocks ask for ahead: of a kernel that is launched early, the part before it waits for what was launched before.

Invariant: whatever stands there is in the kernel at most once for a block, by conditions on blocks alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from anytile.schedules.nest.nodes import Ahead, Alloc, Block, Guard, Loop, LoopKind, Stmt, block
from anytile.schedules.nest.traverse import children


def leading(s: Stmt) -> Iterator[Ahead]:
    """Those of a statement that a block comes to before anything else of it."""
    match s:
        case Ahead():
            yield s
        case Loop(kind=LoopKind.BLOCK) | Alloc() | Guard() | Block():
            for inside in children(s):
                yield from leading(inside)


def asked_ahead(s: Stmt) -> Stmt:
    """What a block begins with, the bodies of these; an empty block where there are none."""
    match s:
        case Ahead(body):
            return body
        case Loop(kind=LoopKind.BLOCK) | Alloc():
            return asked_ahead(s.body)
        case Guard(condition, body, otherwise):
            then, rest = asked_ahead(body), block() if otherwise is None else asked_ahead(otherwise)
            if then == rest:  # as of blocks that differ in their rows alone
                return then
            return Guard(condition, then, rest if rest != block() else None)
        case Block(statements):
            return block(*map(asked_ahead, statements))
        case _:
            return block()
