"""What LLVM's library says itself is what the package around it says."""

from __future__ import annotations

import ctypes
import importlib.util

import llvmlite.binding as llvm
import pytest

from anytile.schedules.hardware import llvm_library


@pytest.mark.parametrize("is_found", [True, False])
def test_it_says_what_the_package_says(is_found: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    llvm_library._library.cache_clear()
    llvm_library._answers.cache_clear()
    if not is_found:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert llvm_library.version() == llvm.llvm_version_info
    assert llvm_library.host_cpu_name() == llvm.get_host_cpu_name()
    assert llvm_library.host_cpu_features() == dict(llvm.get_host_cpu_features())
    kept = llvm_library._answers()
    llvm_library._library.cache_clear()
    llvm_library._answers.cache_clear()
    with monkeypatch.context() as patch:
        if is_found:  # what was kept is the same, and nothing is loaded for it
            patch.setattr(ctypes, "CDLL", None)
        assert llvm_library._answers() == kept
    llvm_library._library.cache_clear()
    llvm_library._answers.cache_clear()
