"""All of Redis.

`keys.py` names every key, its type, its lifetime and who writes it; every
change of a match is one `.lua` file run atomically, with a Python method of
the same name in `matches.py`. Nothing here decides anything about a game.
"""
