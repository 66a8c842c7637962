"""The figures of docs/performance.md and of the README's table are those of the results that are kept."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULTS = {p.stem: json.loads(p.read_text()) for p in sorted((ROOT / "benchmarks" / "results").glob("*.json"))}
# What the README's table says -> the claim, or the share of two systems' times, that it rounds.
ROWS = {
    "dense layers of BERT-base, m in 1..16": ("dense-zen4", "against the best rival, m in 1..16: geometric mean"),
    "the same, every m from 17 on": ("dense-zen4", "against the best rival, m >= 17: geometric mean"),
    "the same, share of the core's multiply-add peak, m from 32 on": (
        "dense-zen4",
        "share of the FMA peak, m >= 32: geometric mean",
    ),
    "attention's two products, 8 to 64 tokens": (
        "batch-matmul-zen4",
        "against the best rival, T in 8..64: geometric mean",
    ),
    "layers of ResNet-50": ("conv2d-zen4", "ResNet-50 layers against the best rival: geometric mean"),
    "softmax, layer_norm and gelu, untuned": (
        "small-ops-zen4",
        "softmax, layer_norm, gelu against the best rival: geometric mean",
    ),
    "BERT-base, 1 to 128 tokens": ("bert-zen4", "BERT against the best rival: geometric mean over T"),
    "an LSTM, a token": ("models-zen4", "LSTM, 1 layer(s), per token against the best rival"),
    "a Tree-LSTM, a leaf, against torch": ("models-zen4", "Tree-LSTM per token against torch"),
    "BERT-base in 8 bits, against what rivals have in 8 bits": (
        "quantised-zen4",
        "int8 against the best rival's: geometric mean over T",
    ),
    "a decoder's token, 1.1 billion weights in 4 bits, behind 128": (
        "tokens-zen4",
        "decode of 1.1b, 128 read, against the best rival",
    ),
    "eight models out of ONNX files, of images, words and sound": (
        "imported-zen4",
        "imported models against the best rival: geometric mean",
    ),
    "39 small networks of many kinds, untuned, of sizes mostly unknown, against onnxruntime": (
        "networks-zen4",
        "small networks against onnxruntime: geometric mean",
    ),
}


# What the page's table of a Zen 5 says -> the results, and how the claims begin whose mean and worst it rounds.
OF_ZEN_5 = {
    "dense layers of BERT-base, m in 1..16": ("dense-zen5", "against the best rival, m in 1..16: "),
    "the same, m from 17 on": ("dense-zen5", "against the best rival, m >= 17: "),
    "the same, share of the core's multiply-add peak, m from 32 on": ("dense-zen5", "share of the FMA peak, m >= 32: "),
    "attention's products, 8 to 64 tokens": ("batch-matmul-zen5", "against the best rival, T in 8..64: "),
    "the same, 65 to 256 tokens": ("batch-matmul-zen5", "against the best rival, T in 65..256: "),
    "layers of ResNet-50": ("conv2d-zen5", "ResNet-50 layers against the best rival: "),
    "BERT-base, 1 to 128 tokens": ("models-zen5", "BERT against the best rival: "),
    "BERT-base in 8 bits, against what rivals have in 8 bits": ("quantised-zen5", "int8 against the best rival's: "),
    "layers of ResNet-50 in 8 bits, against onnxruntime's": (
        "narrow-conv2d-zen5",
        "ResNet-50's convolutions in 8-bit integers against onnxruntime's: ",
    ),
    "small networks, against onnxruntime": ("networks-zen5", "small networks against onnxruntime: "),
    "single operators, against onnxruntime": ("operators-zen5", "operators against onnxruntime: "),
    "single operators of any size, against compiled for the size": (
        "operators-zen5",
        "operators of any size against compiled for the size: ",
    ),
}


def claims() -> list[str]:
    """The rows of the page's last table, as the results have them."""
    found = []
    for name, results in RESULTS.items():
        for c in results["summary"]:
            floor = f"{c['bound']} {c['floor']:.3g}"
            found.append(f"| {name} | {c['claim']} | {c['value']:.3g} | {floor} |{'' if c['ok'] else ' missed'} |")
    return found


def test_every_claim_stands_with_its_figure() -> None:
    shown = re.findall(rf"^\| (?:{'|'.join(RESULTS)}) \|.*$", PAGE, re.MULTILINE)
    assert shown == claims(), "the table should be:\n" + "\n".join(claims())


def test_the_models_times_are_those_measured() -> None:
    tokens, took, faster = re.findall(r"^\| (?:BERT-base, tokens|ms|against the fastest) \|(.*)\|$", PAGE, re.MULTILINE)
    by_tokens: dict[int, dict[str, float]] = {}
    for row in RESULTS["bert-zen4"]["rows"]:
        if "t" in row["case"]:
            by_tokens.setdefault(row["case"]["t"], {})[row["system"]] = row["seconds"]
    cells = [(int(t), float(ms), x.strip()) for t, ms, x in zip(*map(_cells, (tokens, took, faster)), strict=True)]
    expected = []
    for t, times in by_tokens.items():
        own = times.pop("anytile")
        expected.append((t, float(f"{own * 1e3:.3g}"), f"{min(times.values()) / own:.2f}x"))
    assert cells == expected


def _cells(line: str) -> list[str]:
    return line.split("|")


def test_the_table_of_a_zen_5_rounds_what_was_measured() -> None:
    table = PAGE[PAGE.index("| one core of a Zen 5 |") :].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    expected = []
    for what, (results, begin) in OF_ZEN_5.items():
        values = [c["value"] for c in RESULTS[results]["summary"] if c["claim"].startswith(begin)]
        expected.append([what, *(f"{v:.0%}" if "peak" in what else f"{v:.2f}x" for v in values)])
    assert rows == expected


@pytest.mark.parametrize("what", ROWS)
def test_the_readme_rounds_what_was_measured(what: str) -> None:
    results, claim = ROWS[what]
    (value,) = [c["value"] for c in RESULTS[results]["summary"] if c["claim"] == claim]
    (said,) = re.findall(rf"^\| {re.escape(what)} \| ([^|]*) \|", README, re.MULTILINE)
    number: Any = re.fullmatch(r"(\d+(?:\.(\d+))?)(x|%)", said.strip())
    assert number is not None, f"{what}: {said}"
    scaled = value * 100 if number[3] == "%" else value
    assert float(number[1]) == round(scaled, len(number[2] or ""))


def test_the_readme_shows_no_other_figures() -> None:
    table = README[README.index("| one core of a Zen 4 server") :].partition("\n\n")[0]
    rows = [line.split("|")[1].strip() for line in table.splitlines()[2:]]
    assert sorted(rows) == sorted(ROWS)
