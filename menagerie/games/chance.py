"""Chance that anyone can check: everything random in a match follows from its seed.

See "Shuffles that anyone can check" in docs/rules/safari.md.
"""

import hashlib
import hmac
import struct
from collections.abc import Iterator, MutableSequence, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

SEED_BYTES = 32
_RANGE = 1 << 64


def commitment(seed: bytes) -> str:
    """What is published of the seed before the match ends: its SHA-256, in lowercase hex."""
    return hashlib.sha256(seed).hexdigest()


def stream(seed: bytes, purpose: str) -> Iterator[int]:
    """The endless 64-bit numbers that the seed yields for one purpose."""
    block = 0
    while True:
        digest = hmac.digest(seed, f"{purpose}:{block}".encode("ascii"), "sha256")
        yield from struct.unpack(">4Q", digest)
        block += 1


def below(numbers: Iterator[int], n: int) -> int:
    """A number from 0 to n - 1, each as likely as the others."""
    limit = _RANGE - _RANGE % n
    return next(u for u in numbers if u < limit) % n


def shuffled(items: Sequence[T], seed: bytes, purpose: str) -> list[T]:
    """The items in the order that the seed gives them (Fisher-Yates from the last index)."""
    result = list(items)
    shuffle(result, stream(seed, purpose))
    return result


def shuffle(items: MutableSequence[Any], numbers: Iterator[int]) -> None:
    """Shuffle in place by such numbers."""
    for i in range(len(items) - 1, 0, -1):
        j = below(numbers, i + 1)
        items[i], items[j] = items[j], items[i]


def lot(seed: bytes) -> int:
    """The lots that decide who begins: 0 White, 1 Black."""
    return below(stream(seed, "lots"), 2)
