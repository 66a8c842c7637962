"""What ptxas says, and occupancy against numbers from NVIDIA's occupancy calculator."""

from __future__ import annotations

import pytest

from anytile.codegen.cuda.facts import kernel_facts, occupancy, parse_ptxas
from anytile.dispatch.backends import backend
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.target import Target

CUDA = Target.parse("cuda -arch=sm_90a")
LOG = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_90a'
ptxas info    : Function properties for k
    24 bytes stack frame, 20 bytes spill stores, 28 bytes spill loads
ptxas info    : Used 96 registers, used 1 barriers, 24 bytes cumulative stack size, 41472 bytes smem, 392 bytes cmem[0]
"""


def test_the_log() -> None:
    assert parse_ptxas(LOG) == {
        "registers": 96,
        "stack": 24,
        "spills": 48,
        "in_memory": 0,
        "static_shared": 41472,
        "serialised": 0,
    }
    assert set(parse_ptxas("").values()) == {0}


SERIALISED = (
    "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to "
    "insufficient register resources for the wgmma pipeline in the function 'k'"
)


def test_a_stack_frame_is_its_spills_or_an_array() -> None:
    array = LOG.replace("24 bytes stack frame", "152 bytes stack frame")
    assert "128 bytes of a thread's arrays" in str(backend(CUDA).hopeless(parse_ptxas(array)))
    assert backend(CUDA).hopeless(parse_ptxas(LOG)) is None
    few = LOG.replace(
        "24 bytes stack frame, 20 bytes spill stores, 28", "16 bytes stack frame, 12 bytes spill stores, 12"
    )
    assert parse_ptxas(few)["in_memory"] == 0  # a frame is whole pieces


def test_matrix_instructions_that_wait_for_each_other() -> None:
    assert parse_ptxas(LOG + SERIALISED)["serialised"] == 1
    assert "wait for each other" in str(backend(CUDA).hopeless(parse_ptxas(LOG + SERIALISED)))


@pytest.mark.parametrize(
    ("arch", "registers", "shared", "threads", "blocks"),
    [
        ("sm_90a", 32, 0, 256, 8),  # the threads of a multiprocessor
        ("sm_90a", 128, 0, 256, 2),  # its registers
        ("sm_90a", 129, 0, 256, 1),  # which are handed out in units
        ("sm_90a", 32, 100 << 10, 128, 2),  # its shared memory
        ("sm_90a", 32, 0, 32, 32),  # its blocks
        ("sm_75", 32, 0, 32, 16),
        ("sm_86", 32, 0, 256, 6),
        ("sm_80", 255, 0, 512, 0),  # more registers than there are
        ("sm_80", 32, 0, 2048, 0),
        ("sm_80", 32, 164 << 10, 128, 0),
    ],
)
def test_occupancy(arch: str, registers: int, shared: int, threads: int, blocks: int) -> None:
    assert occupancy(gpu_facts(Target.parse(f"cuda -arch={arch}")), registers, shared, threads) == blocks


def test_facts_of_a_launch() -> None:
    gpu = gpu_facts(Target.parse("cuda -arch=sm_90a"))
    facts = kernel_facts(gpu, parse_ptxas(LOG), shared=0, threads=128)
    assert facts["blocks_per_sm"] == 5
    assert facts["occupancy"] == 5 * 128 / 2048
    assert facts["shared"] == 41472
