"""Pages of sorted sets, from the highest score down."""

from typing import Any

Cursor = tuple[int, str]
"""Where an item stands: its score and its id. Both fall from page to page."""


def below(redis: Any, name: str, before: Cursor | None, count: int) -> list[Cursor]:
    """At least `count` of the places below `before`, unless there are fewer; None: of all.

    One read finds them, so nothing slips by between two while others come and go.
    """
    highest = "+inf" if before is None else before[0]
    wanted = count
    while True:
        rows = redis.zrevrangebyscore(name, highest, "-inf", start=0, num=wanted, withscores=True)
        found = [(int(score), member.decode()) for member, score in rows]
        fresh = [place for place in found if before is None or place < before]
        if len(fresh) >= count or len(found) < wanted:
            return fresh
        wanted *= 2
