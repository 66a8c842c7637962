"""What can be left out of a kernel that is a relay, or changed: each is a fault that running it must name.

By the text that is there, as a pattern, and what stands instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

PHASES = {  # of who hands stages over
    r"__syncthreads\(\);": "",
    r"at_mbarrier_fence\(\);": "",
    r"at_mbarrier_wait\(.*\);": "",
    r"at_mbarrier_expect\((.*), \d+\);": r"at_mbarrier_arrive(\1);",
    r"(at_mbarrier_expect\(.*), \d+\);": r"\1, 8192);",
    r"if \(threadIdx.x % 32 == 0\) at_mbarrier_arrive\(.*\);": "",
    r"(at_mbarrier_wait\(&full.*, )(.*)\);": r"\g<1>1 - \2);",
    r"(at_mbarrier_wait\(&empty.*, )(.*)\);": r"\g<1>1 - (\2));",
    r"(at_mbarrier_init\(&empty.*), 4\);": r"\1, 1);",
    r"(at_mbarrier_init\(&full.*), 1\);": r"\1, 2);",
    r"at_wgmma_fence\(\);": "",
    r"at_wgmma_wait<0>\(acc\);": "",
    r"at_wgmma_pending<1>\(\);": "at_wgmma_pending<2>();",
    r"if \((.*) && threadIdx.x % 32 == 0\) at_mbarrier_arrive\(.*\);": "",
}
IN_CLUSTERS = {  # of what blocks do for each other
    r"at_cluster_barrier\(\);": "",
    r"at_mbarrier_wait\(&empty.*\);": "",
    r"at_mbarrier_arrive_all<2>": "at_mbarrier_arrive",
    r"(at_mbarrier_init\(&empty.*), 8\);": r"\1, 4);",
    r"(at_bulk_copy_to\(\s*)3,": r"\g<1>1,",
    r"(at_bulk_copy_to\(\s*)\b3,": r"\g<1>2,",
    r"\[blockIdx.x % 2 \* 16\]": "[0]",
}
IN_BOXES = {  # of bulk stores
    r"at_group_barrier\(\);": "",
    r"at_fence_async\(\);": "",
    r"at_bulk_commit\(\);": "",
    r"at_bulk_wait<0>\(\);": "at_bulk_wait<1>();",
    r"at_bulk_wait<1>\(\);": "at_bulk_wait<2>();",
    r"% 128 == 0\) at_bulk_wait": "% 128 == 32) at_bulk_wait",
}


def spoilt(text: str, faults: Mapping[str, str]) -> list[str]:
    """The text with each fault at each place where there is room for it, one at a time."""
    return [
        text[: found.start()] + found.expand(instead) + text[found.end() :]
        for pattern, instead in faults.items()
        for found in re.finditer(pattern, text)
    ]
