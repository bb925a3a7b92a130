"""The use cases: create, take a seat, move, resign, settle what is due, wake bots.

The API and the workers call these and nothing below them, so that every move,
whoever makes it, takes one path: load, decide purely, commit, hand on.
"""
