"""The laboratory: questions, sweeps, statistics, files, reports. Names no game.

The way of a study can be read off the folder: `study` -> `cell` -> `seating` -> `arena` -> `tally` -> `estimate` ->
`store`; `runner` drives it and `cli` is what people type.
"""

__version__ = "0.1.0"
