"""The games. What a table of games does; knows nothing of sweeps, files or screens. See sims/README.md."""
