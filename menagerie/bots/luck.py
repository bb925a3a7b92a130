"""Luck for bots: a small generator, so that a seed and a budget give one move."""

from collections.abc import Iterator

_MASK = (1 << 64) - 1


def numbers(seed: int) -> Iterator[int]:
    """The endless 64-bit numbers of a seed (SplitMix64, by Steele, Lea and Flood)."""
    state = seed & _MASK
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        mixed = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _MASK
        yield mixed ^ mixed >> 31
