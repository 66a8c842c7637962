"""The public face of an executable: the program that a session runs, with its file and explanation as methods.

What is below works on `program.executable.Executable` and calls functions. Kernels are linked by `dataclasses.replace`,
so whoever is given a face gets one back.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from anytile.vm.profile import Profile
from anytile.vm.program import executable
from anytile.vm.storage import file
from anytile.vm.why import why


class Executable(executable.Executable):
    """A compiled model; `main` is where it begins. `devices[0]` is the host.

    `demands` says by input and axis which steps of the model want a size to be a number, or another's: for people.
    """

    __slots__ = ()

    @classmethod
    def of(cls, data: executable.Executable) -> Executable:
        """The face of what was read or made."""
        return cls(*(getattr(data, f.name) for f in fields(data)))

    def save(self, path: str | Path) -> None:
        """Write it to one file, which `anytile.load` reads on any machine."""
        file.save(self, path)

    def why(
        self,
        profile: Profile | None = None,
        *,
        model: str | Path = "FILE",
        db: str | None = None,
        precision: str = "",
    ) -> str:
        """Every kernel with what it runs and how that is known; after a profile, its share of the time.

        The last line says how many kernels tuning may make faster, if there are any, and the command for it, with the
        file of the model, the precision that it was compiled with and the database if they are named.
        """
        return why(self, profile, model, db, precision)
