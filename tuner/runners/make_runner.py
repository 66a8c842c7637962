"""The runners by name. All of them follow the Runner protocol; only where the work is done differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anytile.core.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from anytile.db.records.records import Trial
    from anytile.tuner.protocol.candidate import Runner

RUNNERS = ("ray", "inline", "replay")


def make_runner(
    name: str,
    *,
    ray_address: str | None = None,
    trials: Iterable[Trial] | None = None,
    lock_folder: Path | None = None,
    log: Callable[[str], None] | None = None,
) -> Runner:
    """`ray_address` is for `ray` only, `trials` for `replay` only. Nothing is started by this."""
    if ray_address is not None and name != "ray":
        raise SpecError(f"--ray {ray_address}: the runner is {name!r}; a cluster needs --runner ray")
    if name == "inline":
        from anytile.tuner.runners.inline import InlineRunner

        return InlineRunner(lock_folder, log)
    if name == "ray":
        from anytile.tuner.runners.ray_runner import RayRunner

        return RayRunner(ray_address, lock_folder, log)
    if name == "replay":
        from anytile.tuner.runners.replay import ReplayRunner

        if trials is None:
            raise SpecError("--runner replay: there is nothing to replay; give it the trials of a stored campaign")
        return ReplayRunner(trials)
    raise SpecError(f"--runner {name!r}: expected one of {', '.join(RUNNERS)}")
