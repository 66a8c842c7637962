"""Words of the mapped files that native code watches: where each is in memory, and whether a part of it is gone."""

from __future__ import annotations

MOST_MAPPED = 64  # files at once; of more, one that is cut off ends the process
PAGE, SPANS = 0, 1  # how large pages are; from here on three words for each file
SPAN = 3
SPAN_BEGIN, SPAN_END, SPAN_LOST = range(SPAN)  # an end of 0 where there is none
