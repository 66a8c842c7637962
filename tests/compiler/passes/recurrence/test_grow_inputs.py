"""Caches that come back longer are appended to from call to call: what that copies, and that nobody's array changes."""

from __future__ import annotations

import threading
from typing import Any as AnyType

import numpy as np
import pytest

import anytile
from anytile.compiler.evaluate import evaluate
from anytile.compiler.module import Module
from anytile.compiler.passes.recurrence.grow_inputs import grow_inputs
from anytile.core.errors import ArgumentError, SpecError
from anytile.vm.executable import Executable
from anytile.vm.program import isa
from tests.support.cases.compiled_modules import Compiled, check, random, same

HEADS = """
def main(x: Tensor[(?b, ?t, 8), float32], keys: Tensor[(?b, 2, ?past, 4), float32],
    values: Tensor[(?b, 2, ?past, 4), float32]) {
  let q = transpose(reshape(x, shape=(0, 0, 2, 4)), perm=(0, 2, 1, 3));
  let k = concat(keys, q, axis=2);
  let v = concat(values, tanh(q), axis=2);
  let mixed = batch_matmul(softmax(batch_matmul(q, k, rhs="bnk")), v);
  let place = sizes_of(x, keys, sizes="d5 + d1");
  (place, (mixed, (k, v)))
}
"""
ROWS = """
def main(x: Tensor[(1, ?t, 3), float32], seen: Tensor[(1, ?past, 3), float32]) {
  let all = concat(seen, negative(x), axis=1);
  (sum(all, axis=(1,)), all)
}
"""
NONE = np.zeros((1, 0, 3), np.float32)


def grown(text: str) -> Compiled:
    return Compiled(grow_inputs(Module.parse(text)))


def rows() -> anytile.Session:
    return anytile.Session(anytile.compile(Module.parse(ROWS), growing=True))


def turned(x: AnyType) -> AnyType:
    """(batch, heads, rows, width) with the rows first."""
    return x.transpose(2, 0, 1, 3)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("past", [0, 1, 5])
def test_what_is_computed_stays(batch: int, past: int) -> None:
    made = grown(HEADS)
    x, keys, values = random(0, batch, 2, 8), random(1, batch, 2, past, 4), random(2, batch, 2, past, 4)
    place, (mixed, (k, v)) = evaluate(Module.parse(HEADS), (x, keys, values))
    given = [np.ascontiguousarray(turned(t)) for t in (keys, values)]
    same(check(made, x, *given), (place, (mixed, (turned(k), turned(v)))))


@pytest.mark.slow
def test_products_read_caches_where_they_lie() -> None:
    """Nothing moves a cache: one kernel reads both, attention, and the rows behind are written."""
    made = anytile.compile(Module.parse(HEADS), growing=True)
    code = made.functions[made.main].code
    assert sum(isinstance(i, isa.AppendTensor) for i in code) == 2
    lying = random(1, 500, 1, 2, 4)
    assert large(made, lying) == 1
    assert large(anytile.compile(Module.parse(HEADS)), lying.transpose(1, 2, 0, 3).copy()) == 3  # with two joins


def large(exe: Executable, cache: AnyType) -> int:
    """How many kernels have as much as a cache before them, for one token behind it."""
    found = anytile.Session(exe).profile({"x": random(0, 1, 1, 8), "keys": cache, "values": cache})
    return sum(e.nbytes >= cache.nbytes for e in found.events)


def test_a_cache_is_copied_where_its_room_ends_alone() -> None:
    session, count = rows(), 1000
    seen, copied, joined = NONE, 0, 0
    for i in range(count):
        total, longer = session(np.full((1, 1, 3), i, np.float32), seen)
        assert longer.shape == (1, i + 1, 3)
        joined += longer.nbytes
        copied += longer.nbytes * (longer.ctypes.data != seen.ctypes.data)
        seen = longer
    np.testing.assert_array_equal(seen[0, :, 0], -np.arange(count, dtype=np.float32))
    np.testing.assert_allclose(total, seen.sum(1), rtol=1e-4)
    assert copied < 4 * seen.nbytes < joined / 100


def test_an_array_that_two_calls_make_longer_stays_what_it_is() -> None:
    session = rows()
    _, first = session(random(0, 1, 4, 3), NONE)
    before = first.copy()
    _, one = session(random(1, 1, 1, 3), first)
    _, other = session(random(2, 1, 1, 3), first)
    assert one.ctypes.data == first.ctypes.data != other.ctypes.data
    np.testing.assert_array_equal(first, before)
    np.testing.assert_array_equal(one, np.concatenate([before, -random(1, 1, 1, 3)], 1))
    np.testing.assert_array_equal(other, np.concatenate([before, -random(2, 1, 1, 3)], 1))


def test_two_results_never_share_a_cache_that_came_in() -> None:
    text = ROWS.replace("(sum(all, axis=(1,)), all)", "(all, reshape(all, shape=(-1, 3)))")
    session = anytile.Session(anytile.compile(Module.parse(text), growing=True))
    seen = NONE
    for i in range(5):
        longer, rows = session(np.full((1, 1, 3), i, np.float32), seen)
        assert not np.shares_memory(rows, longer)
        assert rows.tolist() == longer[0].tolist() == [[-n] * 3 for n in range(i + 1)]
        rows += 7
        seen = longer


@pytest.mark.parametrize("cut", [slice(0, 3), slice(1, None)])
def test_a_part_of_a_cache_has_no_room_behind_it(cut: slice) -> None:
    """An earlier token was wrong: what stood behind it stays with who has the whole."""
    session = rows()
    _, whole = session(random(0, 1, 4, 3), NONE)
    before = whole.copy()
    _, made = session(random(1, 1, 2, 3), whole[:, cut])
    np.testing.assert_array_equal(whole, before)
    np.testing.assert_array_equal(made, np.concatenate([before[:, cut], -random(1, 1, 2, 3)], 1))


def test_views_of_a_cache_are_known_by_where_they_lie() -> None:
    session = rows()
    _, first = session(random(0, 1, 5, 3), NONE)
    _, second = session(random(1, 1, 1, 3), np.frombuffer(memoryview(first).cast("B"), np.float32).reshape(1, -1, 3))
    assert second.ctypes.data == first.ctypes.data


def test_a_cache_whose_memory_went_back_is_nobodys() -> None:
    """Another array may come to lie there, as long as what was, with no room behind it."""
    session = rows()
    _, first = session(random(0, 1, 4, 3), NONE)
    del first
    for seed in range(20):
        given = random(seed, 1, 4, 3)
        behind = given.copy()
        _, made = session(random(1, 1, 1, 3), given)
        np.testing.assert_array_equal(given, behind)
        np.testing.assert_array_equal(made[:, :4], given)


def test_a_call_that_fails_leaves_the_room() -> None:
    session = rows()
    _, first = session(random(0, 1, 4, 3), NONE)
    with pytest.raises(ArgumentError):
        session(random(0, 1, 4, 2), first)
    session.memory_limit = 1
    _, second = session(random(1, 1, 1, 3), first)
    assert second.ctypes.data == first.ctypes.data


def test_one_thread_has_the_room() -> None:
    session, rounds = rows(), 50
    _, first = session(random(0, 1, 4, 3), NONE)
    before, found = first.copy(), {}
    barrier = threading.Barrier(4)

    def run(number: int) -> None:
        seen = first
        barrier.wait()
        for i in range(rounds):
            _, seen = session(np.full((1, 1, 3), number + i, np.float32), seen)
        found[number] = seen

    threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for number, seen in found.items():
        wanted = -np.arange(number, number + rounds, dtype=np.float32)
        np.testing.assert_array_equal(seen[:, :4], before)
        np.testing.assert_array_equal(seen[0, 4:, 1], wanted)


def test_an_executable_from_a_file_does_so_too(tmp_path: AnyType) -> None:
    anytile.compile(Module.parse(ROWS), growing=True).save(tmp_path / "rows.exe")
    session = anytile.Session(tmp_path / "rows.exe")
    _, first = session(random(0, 1, 4, 3), NONE)
    _, second = session(random(1, 1, 1, 3), first)
    assert second.ctypes.data == first.ctypes.data


@pytest.mark.parametrize(
    "made",
    [
        "concat(tanh(x), seen, axis=0)",
        "concat(seen, x, x, axis=0)",
        "tanh(concat(seen, x, axis=0))",
        "concat(tanh(seen), x, axis=0)",
        "seen",
    ],
)
def test_what_nothing_grows_in_is_refused(made: str) -> None:
    module = Module.parse(
        f"def main(x: Tensor[(?t, 3), float32], seen: Tensor[(?p, 3), float32]) {{ ({made}, sum(x)) }}"
    )
    with pytest.raises(SpecError, match=r"growing=True: no result is an input with more behind it"):
        anytile.compile(module, growing=True)


def test_an_input_that_grows_two_ways_is_appended_to_one_way() -> None:
    made = grown("""
    def main(x: Tensor[(?t, ?t), float32], seen: Tensor[(?t, ?t), float32]) {
      (concat(seen, x, axis=0), concat(seen, x, axis=1), concat(seen, negative(x), axis=0), seen)
    }
    """)
    x, seen = random(0, 3, 3), random(1, 3, 3)
    below, beside, second, same_as = check(made, x, seen)
    np.testing.assert_array_equal(below, np.concatenate([seen, x], 0))
    np.testing.assert_array_equal(beside, np.concatenate([seen, x], 1))
    np.testing.assert_array_equal(second, np.concatenate([seen, -x], 0))
    np.testing.assert_array_equal(same_as, seen)
