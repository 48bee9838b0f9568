"""Every game plays the same without the compiler, if slowly."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lab import catalogue

ROOT = Path(__file__).parents[2]
PLAY = """
import sys
import numpy as np
from tests.contract.test_games import match, play
from lab import catalogue

name = sys.argv[1]
fewest, *_, most = catalogue.game(name).seats
for seats in (fewest, most):
    rows = play(match(name, ["random", *catalogue.policies(name)], seats, seed=2**63 + 5), 2**40, 4)
    print(rows.tolist())
"""


@pytest.mark.parametrize("name", catalogue.game_names())
def test_results_are_the_same_without_the_compiler(name):
    def run(**environment):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", PLAY, name],
            cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    compiled, plain = run(NUMBA_DISABLE_JIT="0"), run(NUMBA_DISABLE_JIT="1")
    assert compiled == plain
    assert len(compiled) > 300
