"""What a design has shown, in files: indices.parquet, effects.parquet, and the rest in study.json."""

from collections.abc import Sequence
from math import nan
from pathlib import Path
from typing import Any

import pyarrow as pa

from lab.errors import BadInput
from lab.estimate import Estimate
from lab.pairs import Difference
from lab.sense.model import Effect, Factor, Index, Measure, Sense, Spread
from lab.store import Store, read_rows, write_rows


def write(found: Sense, folder: Path) -> None:
    names = [f"{name}{end}" for name in ("sd", "first", "total") for end in ("", "_low", "_high")]
    indices = [
        {"figure": each.measure.name, "unit": each.measure.unit, "knob": each.factor.name, "games": found.games,
         "mean": found.spreads[each.measure].mean}
        | _three("sd", found.spreads[each.measure].deviation)
        | _three("first", each.first)
        | _three("total", each.total)
        for each in found.indices
    ]  # fmt: skip
    effects = [
        {"figure": each.measure.name, "unit": each.measure.unit, "knob": each.factor.name, "games": found.games,
         "base": each.factor.levels[each.factor.base], "level": each.level, "at_base": each.change.first,
         "difference": each.change.difference, "low": each.change.low, "high": each.change.high}
        for each in found.effects
    ]  # fmt: skip
    write_rows(folder / "indices.parquet", indices, _table((), ("mean", *names)))
    write_rows(folder / "effects.parquet", effects, _table(("base", "level"), ("at_base", "difference", "low", "high")))


def _table(texts: Sequence[str], numbers: Sequence[str]) -> pa.Schema:
    return pa.schema([
        *((name, pa.string()) for name in ("figure", "unit", "knob")), ("games", pa.int64()),
        *((name, pa.string()) for name in texts), *((name, pa.float64()) for name in numbers),
    ])  # fmt: skip


def _three(name: str, of: Estimate) -> dict[str, float]:
    return {name: of.estimate, f"{name}_low": of.low, f"{name}_high": of.high}


def manifest_of(found: Sense) -> dict[str, Any]:
    """What the tables do not hold, for study.json."""
    return {
        "design": found.design, "rotated": found.rotated,
        "factors": [{"name": each.name, "levels": list(each.levels), "base": each.base} for each in found.factors],
        "measures": [[each.name, each.unit] for each in found.measures],
        "undefined": [[each.name, each.unit] for each in found.undefined],
    }  # fmt: skip


def read(folder: Path) -> Sense:
    """What `sense` has written."""
    manifest = Store(folder).manifest()
    if "sense" not in manifest or not (folder / "effects.parquet").is_file():
        raise BadInput(f"{folder}: no sensitivity there (a folder that `lab sense` wrote)")
    kept = manifest["sense"]
    indices, effects = read_rows(folder / "indices.parquet"), read_rows(folder / "effects.parquet")
    factors = {each["name"]: Factor(each["name"], tuple(each["levels"]), each["base"]) for each in kept["factors"]}
    return Sense(
        name=manifest["name"],
        factors=tuple(factors.values()),
        measures=tuple(Measure(*each) for each in kept["measures"]),
        undefined=tuple(Measure(*each) for each in kept["undefined"]),
        spreads={_measure(row): Spread(row["mean"], _estimate(row, "sd")) for row in indices},
        indices=tuple(
            Index(_measure(row), factors[row["knob"]], _estimate(row, "first"), _estimate(row, "total"))
            for row in indices
        ),
        effects=tuple(Effect(_measure(row), factors[row["knob"]], row["level"], _difference(row)) for row in effects),
        design=kept["design"],
        games=effects[0]["games"] if effects else 0,
        rotated=kept["rotated"],
        played=0,
        seconds=0.0,
    )


def _measure(row: dict[str, Any]) -> Measure:
    return Measure(row["figure"], row["unit"])


def _estimate(row: dict[str, Any], name: str) -> Estimate:
    return Estimate(row[name], row[f"{name}_low"], row[f"{name}_high"])


def _difference(row: dict[str, Any]) -> Difference:
    first, change = row["at_base"], row["difference"]
    return Difference(row["figure"], first, first + change, change, row["low"], row["high"], nan)
