"""Seeds from stale records: the few configs that were fastest with another version of a template, to be tried first.

Their times teach nothing, for today's template makes other code of them; but what was best before is often good still.
Only where no trial of today's version is there: those say more, and the warm start has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anytile.db.record_keeper import Keeping
from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.template import Template
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.estimate.rank import Foretold
from anytile.tuner.ledger.ledger import normalised
from anytile.tuner.tasks.warm_start import adopted, observed

TOP = 4  # configs of each template that are measured again


def outdated(store: Keeping, wanted: Mapping[Workload, Sequence[Template]], target: Target) -> Iterator[Foretold]:
    """For exactly these workloads and this target, the fastest first, with the knobs that the templates have today."""
    for workload, templates in wanted.items():
        trials = store.trials(workload=workload, target=target, status=Status.OK, kind="search", sound=True)
        for one in templates:
            of = [t for t in trials if t.template == one.name]
            if any(t.versions is not None and t.versions.template == one.version for t in of):
                continue
            fastest = [observed(t) for t in sorted(of, key=lambda t: (normalised(t), str(t.config)))]
            space = one.space(workload, target)
            if fastest and len(space):
                fitting = dict.fromkeys(o.config for o in adopted(fastest, space, one.default(workload, target)))
                yield from (Foretold(workload, one.name, config) for config in list(fitting)[:TOP])
