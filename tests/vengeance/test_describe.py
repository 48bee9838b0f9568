"""Games in words. The transcripts are `replays/*.txt`, on the pack `box.yaml`: a change of rules, luck or words shows
there as a difference that people can read; after checking it, write them anew with
`python -m tests.vengeance.test_describe`.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from lab.replay import replay
from lab.study import cell_from_options
from tests.vengeance.common import BOX

REPLAYS = Path(__file__).parent / "replays"
GOLDEN = {
    "two": (["brawler:speed=1.5", "random"], [], 1),
    "alone": (["random"], ["hero=0", "max_rolls=3", "kill_range=den"], 2),
}


def told(name: str) -> list[str]:
    policies, settings, game = GOLDEN[name]
    of = cell_from_options("vengeance", policies, seats=None, games=1, seed=0, settings=[f"content={BOX}", *settings])
    return list(replay(of, game))


@pytest.mark.parametrize("name", GOLDEN)
def test_replays_are_told_as_before(name):
    assert told(name) == (REPLAYS / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def test_every_game_can_be_told():
    of = cell_from_options("vengeance", ["random"], seats=4, games=1, seed=0, settings=[])
    for game in range(20):
        lines = list(replay(replace(of, seed=game), game))
        assert sum("Preparation dice" in line for line in lines) == 4 or any("is dead" in line for line in lines)
        assert any(line.startswith("The end") for line in lines)


if __name__ == "__main__":
    for title in GOLDEN:
        (REPLAYS / f"{title}.txt").write_text("\n".join(told(title)) + "\n", encoding="utf-8")
