"""What every game stands on: `kernel` (how code is compiled), `rng` (luck with coordinates), `game` (the contract)."""
