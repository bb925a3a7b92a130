"""The core of the referee: rules, clocks, matches, records and bots.

`games`, `bots`, `clock`, `match` and `record` are pure: they do no I/O, read
no clock and draw no luck that they were not handed. `store` is all of Redis,
`play` the use cases that the API and the workers share. Imports go inward only.
"""
