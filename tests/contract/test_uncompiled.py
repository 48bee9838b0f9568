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
policies = ["random", *(policy for policy in catalogue.policies(name) if policy not in sys.argv[2:])]
for first in range(0, len(policies), 2):  # every policy in turn, at the smallest table
    rows = play(match(name, policies[first:], catalogue.game(name).seats[0], seed=2**63 + 5), 2**40, 2)
    print(rows.tolist())
"""


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        *((name, ("raider",)) for name in catalogue.game_names()),
        pytest.param("vengeance", (), marks=pytest.mark.full, id="raider, which takes its time"),
    ],
)
def test_results_are_the_same_without_the_compiler(name, left_out):
    def run(**environment):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", PLAY, name, *left_out],
            cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    compiled, plain = run(NUMBA_DISABLE_JIT="0"), run(NUMBA_DISABLE_JIT="1")
    assert compiled == plain
    assert len(compiled) > 150
