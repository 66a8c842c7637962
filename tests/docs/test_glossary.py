"""Every word of the glossary is found where the glossary says that it lives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| \[`([^`]+)`\]\(\.\./([^)]+)\) \|$", re.MULTILINE)
ROWS = ROW.findall((ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"))


def test_it_has_the_words_and_no_row_is_malformed() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("|") and not line.startswith(("| ---", "| word |"))]
    assert len(rows) == len(ROWS) >= 40
    words = [word for word, *_ in ROWS]
    assert len(set(words)) == len(words)


@pytest.mark.parametrize(("word", "field", "here", "shown", "path"), ROWS, ids=[row[0] for row in ROWS])
def test_a_word_lives_where_it_is_said_to(word: str, field: str, here: str, shown: str, path: str) -> None:
    assert shown == path
    text = f"{path}\n{(ROOT / path).read_text(encoding='utf-8')}"
    spelled = r"[\s_]+".join(map(re.escape, word.split()))
    assert re.search(rf"(?<![A-Za-z]){spelled}(?:e?s)?(?![a-z])", text, re.IGNORECASE), f"{path} does not say {word!r}"
