"""`evolve`: evolutionary search: breed from the fastest, let the cost model choose, keep a share for chance.

A batch is made in four steps. A pool of untried configs: all of them in a space of up to WHOLE, else mutants and
crosses of the fastest, bred for a few generations with the model as the judge. A first ranking by what is cheap to know
(the knobs, and how they divide the sizes); a second one of the best SHORTLIST with the loop nest's features as well; a
third one, of NOMINEES for each place, with what their code is like (its size, its instructions, its spills).
Then a choice that gives up a little of the predicted speed for variety, since sixteen near twins teach little more than
one; beside it, a share of mutants of the fastest few, whatever the model believes elsewhere; and, last, a share of
random picks, so that no wrong belief of the model lasts. A nominee that does not compile is chosen: it costs no time on
the device, and once it is stored the model of failures learns from it.

Until there are FEWEST observations to learn from, there is no model: the seeds (the template's default, an older plan),
the best of related workloads, neighbours of the best so far, and configs far from everything tried.

Found no better after 64 trials on the tables of benchmarks/data (20 seeds): batches of 8, throughout or at first, and
openings of 4, all of them sooner within a few percent; flatter, fewer or slower trees; other weights of disagreement,
variety, chance and the top; a longer shortlist; a static estimate of the cycles as a feature or to open with.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anytile.db.records.records import Status
from anytile.schedules.templates.base.space import Config, ConfigSpace
from anytile.tuner.search.encoding import Encoding, encode, spread
from anytile.tuner.search.model import FEWEST, CostModel, FailureModel, Quality
from anytile.tuner.search.state import Observation, SearchState, no_facts, no_features

WHOLE = 32_768  # spaces up to this size are scored whole
SHORTLIST = 32  # configs whose loop nests are looked at, per batch
NOMINEES = 2  # configs that are built for each one chosen by the model
CHANCE = 12  # one pick in so many, rounded up, is random
EARLY_CHANCE = 4  # the same while the model is young: a first belief must not decide where the search stays
VARIETY = 0.15  # how much predicted speed (in deviations) a twin of a chosen config is charged
NEARBY = 0.15  # distance at which that charge has fallen to a third
BOLDNESS = 0.5  # weight of the members' disagreement: what the model is unsure of is worth a look
LOCAL = 3  # one pick in so many differs in one knob from one of the fastest few
PARENTS = 3
OF_EACH_WORD = 3  # configs in the opening with each value of a word knob, however rare it is in the space
DOUBTFUL = 0.5  # likelihood of failing above which a config is left out
WARM_LIMIT = 512
BREED = 2048
GENERATIONS = 3

Score = Callable[[Sequence[int]], NDArray[np.float64]]


def propose(state: SearchState, count: int) -> list[Config]:
    """The next batch, best first, its random picks last."""
    count = min(count, state.left)
    if count <= 0:
        return []
    encoding = encode(state.space)
    seen = {state.space.index(c) for c in state.seen if c in state.space}
    chosen = _opening(state, encoding, seen, count) if not _enough(state) else _guided(state, encoding, seen, count)
    return [state.space[i] for i in chosen]


def assess(state: SearchState) -> Quality:
    """How well a model of this history foretells what it has not seen, by cross-validation."""
    history = [o for o in state.history if _counts(o) and o.config in state.space]
    if len(history) < FEWEST:
        return Quality(len(history))
    rows = cheap_rows(state)[[state.space.index(o.config) for o in history]]
    return CostModel(rows, [o.seconds for o in history], [o.group for o in history], state.seed, members=2).quality()


def _counts(o: Observation) -> bool:
    """What the cost model learns from: times, and timeouts as slower than all. Other failures say nothing of speed."""
    return o.ok or o.status is Status.TIMEOUT


def _warm(state: SearchState) -> list[Observation]:
    return [o for o in state.warm[-WARM_LIMIT:] if o.config in state.space]


def _enough(state: SearchState) -> bool:
    """Failures teach too: half of the fewest observations must have a time, the rest may lack one."""
    if not state.history:
        return False
    known = (*state.history, *_warm(state))
    return len(known) >= FEWEST and sum(map(_counts, known)) >= FEWEST // 2


def _opening(state: SearchState, encoding: Encoding, seen: set[int], count: int) -> list[int]:
    """Without a model: what is known to be good elsewhere, what is near the best so far, and what is far from all."""
    space, rng = state.space, state.rng("opening")
    taken = set(seen)
    chosen: list[int] = []

    def take(indices: Iterable[int], most: int) -> None:
        for index in indices:
            if most <= 0 or len(chosen) >= count:
                return
            if index not in taken:
                taken.add(index)
                chosen.append(index)
                most -= 1

    take((space.index(c) for c in state.seeds if c in space), count)
    take(_best_elsewhere(state), count // 2)
    for having in _by_word(space):
        rng.shuffle(having)
        take(having, OF_EACH_WORD - sum(i in taken for i in having))
    for o in state.measured[:2]:
        near = [space.index(c) for c in space.neighbours(o.config)]
        rng.shuffle(near)
        take(near, count // 4)
    missing = count - len(chosen)
    free = [i for i in range(len(space)) if i not in taken]
    # Far apart among a random few: the farthest of all would be the corners of the space, which are seldom good.
    pool = rng.sample(free, min(len(free), 3 * missing))
    tried = sorted(space.index(c) for c in state.tried if c in space)
    return chosen + spread(encoding, pool, [*tried, *chosen], missing)


def _by_word(space: ConfigSpace) -> list[list[int]]:
    """For each value of the knobs that are words, the configs that have it: ways of working, not amounts."""
    return [
        [i for i, config in enumerate(space) if config[knob.name] == value]
        for knob in space.knobs
        for value in knob.values
        if isinstance(value, str) and len(knob.values) > 1
    ]


def _best_elsewhere(state: SearchState) -> list[int]:
    """The fastest configs of each warm group in turn."""
    groups: dict[str, list[Observation]] = {}
    for o in _warm(state):
        if o.ok:
            groups.setdefault(o.group, []).append(o)
    ranked = [sorted(g, key=lambda o: o.seconds) for g in groups.values()]
    longest = max(map(len, ranked), default=0)
    return [state.space.index(g[place].config) for place in range(longest) for g in ranked if place < len(g)]


def _guided(state: SearchState, encoding: Encoding, seen: set[int], count: int) -> list[int]:
    """With a model: pool, three rankings, a varied choice, mutants of the best, and chance."""
    rng = state.rng("guided")
    space, cheap = state.space, cheap_rows(state)
    known = [*(o for o in state.history if o.config in space), *(_from_elsewhere(o) for o in _warm(state))]
    doubt = FailureModel(cheap[[space.index(o.config) for o in known]], [not o.ok for o in known], state.seed)
    lessons = [o for o in known if _counts(o)]
    at = [space.index(o.config) for o in lessons]
    detailed = state.features is not no_features
    first = _taught(lessons, cheap[at], state.seed, members=2 if detailed else 4)

    def judge(indices: Sequence[int]) -> NDArray[np.float64]:
        rows = cheap[list(indices)]
        scores = first.predict(rows, BOLDNESS)
        if doubt.trained:  # behind all others, not gone: a space may consist of doubtful ones
            scores = scores - 1e3 * (doubt.probability(rows) > DOUBTFUL)
        return scores

    pool = _pool(state, seen, judge, rng)
    scores = judge(pool)
    best = np.argsort(-scores, kind="stable")[: SHORTLIST if detailed else 8 * SHORTLIST]
    likely, merit = [pool[i] for i in best], scores[best]
    rows = cheap[[*at, *likely]]
    if detailed:
        rows = np.array([_detailed_row(cheap, state, i) for i in [*at, *likely]])
        merit = _merit(lessons, rows, state.seed) - 1e3 * (merit < -500)
    by_chance = -(-count // (EARLY_CHANCE if len(known) < 2 * FEWEST else CHANCE)) if count > 1 else 0
    nearby = count // LOCAL
    wanted = count - by_chance - nearby
    chosen: list[int] = []
    if state.facts is not no_facts:
        nominees = _varied(encoding, likely, merit, NOMINEES * wanted)
        code = dict(zip(nominees, state.facts([space[i] for i in nominees]), strict=True))
        chosen = [i for i in nominees if code[i] is None][:wanted]
        built = [place for place, i in enumerate(likely) if code.get(i) is not None]
        likely, merit = [likely[place] for place in built], merit[built]
        columns = _columns([*(o.facts for o in lessons), *(code[i] or {} for i in likely)])
        if columns.size:
            rows = np.hstack([rows[[*range(len(at)), *(len(at) + place for place in built)]], columns])
            merit = _merit(lessons, rows, state.seed) - 1e3 * (merit < -500)
    chosen += _varied(encoding, likely, merit, wanted - len(chosen))
    chosen += _next_to_the_best(state, {*seen, *chosen}, judge)[:nearby]
    rest = sorted(set(range(len(space))) - seen - set(chosen))
    missing = count - len(chosen)
    sure = [rest[i] for i in np.flatnonzero(doubt.probability(cheap[rest]) <= DOUBTFUL)]
    return chosen + rng.sample(sure if len(sure) >= missing else rest, missing)


def _taught(lessons: Sequence[Observation], rows: NDArray[np.float64], seed: int, members: int = 4) -> CostModel:
    return CostModel(rows, [o.seconds for o in lessons], [o.group for o in lessons], seed, members)


def _merit(lessons: Sequence[Observation], rows: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Of the configs whose rows come after those of the lessons."""
    return _taught(lessons, rows[: len(lessons)], seed).predict(rows[len(lessons) :], BOLDNESS)


def _next_to_the_best(state: SearchState, taken: set[int], judge: Score) -> list[int]:
    """What differs in one knob from one of the fastest few, the most promising first."""
    near = [state.space.index(c) for o in state.measured[:PARENTS] for c in state.space.neighbours(o.config)]
    fresh = [i for i in dict.fromkeys(near) if i not in taken]
    return [fresh[i] for i in np.argsort(-judge(fresh), kind="stable")] if fresh else []


def _from_elsewhere(o: Observation) -> Observation:
    """Its times are not comparable with the history's, whatever its group is called."""
    return replace(o, group=f"elsewhere {o.group}")


def _detailed_row(cheap: NDArray[np.float64], state: SearchState, index: int) -> list[float]:
    return [*cheap[index], *state.features(state.space[index])]


def _columns(facts: Sequence[Mapping[str, float]]) -> NDArray[np.float64]:
    """One per fact, whatever the compiler reports; nan where somebody's is not known."""
    names = sorted({name for of in facts for name in of})
    return np.array([[of.get(name, np.nan) for name in names] for of in facts], dtype=np.float64)


def _varied(encoding: Encoding, pool: Sequence[int], merit: NDArray[np.float64], count: int) -> list[int]:
    """The best, each choice charging what is near it."""
    left = merit.astype(np.float64, copy=True)
    chosen: list[int] = []
    for _ in range(min(count, len(pool))):
        at = int(np.argmax(left))
        chosen.append(pool[at])
        left -= VARIETY * np.exp(-encoding.distances(pool[at], pool) / NEARBY)
        left[at] = -np.inf
    return chosen


def _pool(state: SearchState, seen: set[int], judge: Score, rng: random.Random) -> list[int]:
    space = state.space
    if len(space) <= WHOLE:
        return [i for i in range(len(space)) if i not in seen]
    parents = [space.index(o.config) for o in state.measured[:32]]
    pool: dict[int, None] = {}
    for _ in range(GENERATIONS):
        children = _children(state, parents or rng.sample(range(len(space)), 32), rng)
        pool |= dict.fromkeys(i for i in children if i not in seen)
        members = list(pool)
        order = np.argsort(-judge(members), kind="stable")
        parents = [members[i] for i in order[:64]]
    return list(pool)


def _children(state: SearchState, parents: Sequence[int], rng: random.Random) -> list[int]:
    """Mutants, crosses and strangers, a third each."""
    space = state.space
    out: list[int] = []
    for _ in range(BREED // 3):
        mother, father = space[rng.choice(parents)], space[rng.choice(parents)]
        out.append(space.index(rng.choice(space.neighbours(mother) or [mother])))
        child = Config(tuple(rng.choice(pair) for pair in zip(mother.values, father.values, strict=True)))
        if child in space:
            out.append(space.index(child))
        out.append(rng.randrange(len(space)))
    return out


@functools.lru_cache(maxsize=8)
def _rows_of(encoding: Encoding, sizes: tuple[int, ...]) -> NDArray[np.float64]:
    return encoding.with_sizes(sizes)


def cheap_rows(state: SearchState) -> NDArray[np.float64]:
    """What is known of every config without looking at its nest: row i is space[i]."""
    return _rows_of(encode(state.space), state.sizes)
