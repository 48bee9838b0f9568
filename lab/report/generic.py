"""The sections of a report that work for any game, from its fact sheet and the figures alone.

answer(r)                            what stands out, part by part, in words
who_wins(cells), what_moves(cells)   pictures of one part
cell_table(r)                        every cell, as `lab show` prints it
"""

from typing import Any

import pandas as pd

from lab import catalogue, figures, results, tables
from lab.errors import LabError
from lab.notes import notes
from lab.report import findings
from lab.report.findings import Effect, Place
from lab.report.output import listed, percent, plus_minus, safe, say, show, table
from lab.results import FIGURE, Results

MOST_LABELS = 40
"""A picture of dots has no more lines."""
PICTURES = 4
"""A parameter gets no more."""
MOST_ROWS = 1000
"""A table of cells has no more, of each part."""


# In words


def heading(r: Results) -> None:
    """The title: the study's question; and what was played."""
    cells, games = len(r.cells), listed(_title(name) for name in r.games)
    played = f"{cells} cells" if cells > 1 else "one cell"
    say(
        f"# {safe(r.question or r.name)}\n\nStudy `{r.name}` of {safe(games)}: {played}, {per_cell(r.cells)} games"
        f"{' each' if cells > 1 else ''}, {r.cells['plays'].sum():,} plays in all."
        + "".join(f"\n\n**{safe(each)}**" for each in notes(r.cells["row"]))
    )


def _title(game: str) -> str:
    try:
        return catalogue.game(game).title
    except LabError:
        return game


def per_cell(cells: pd.DataFrame) -> str:
    """How many games a cell has: `100,000` or `100,000 to 1,000,000`."""
    games = sorted(set(cells["games"]))
    return " to ".join(f"{each:,}" for each in dict.fromkeys((games[0], games[-1])))


def answer(r: Results) -> None:
    """What stands out, part by part: who wins, and what each varied parameter moves most."""
    lines, several = [], len(r.parts) > 1
    for name, cells in r.parts.items():
        lines += [f"- **{safe(name)}**"] if several else []
        lines += [f"{'  ' * several}- {line}" for line in (_winner(cells), *_moves(cells))]
    say("\n".join(lines))
    say(
        "In brackets and after ± are 95 % intervals, each for its figure alone; a share is called clear of a fair one "
        "if it is so with all of them looked at together. What is said here was picked because it stands out most."
    )


def _winner(cells: pd.DataFrame) -> str:
    """The share of wins that is furthest from a fair one."""
    places = findings.places(cells)
    place, cell, row = _furthest(places)
    seats, policies = int(cells.loc[cell, "seats"]), cells.loc[cell, "row"]["policies"]
    count = sum(len(each.wins) for each in places)
    clear = sum(int(findings.clear(each.wins, 1, count).sum()) for each in places)
    entry = place.startswith("entry")
    who = f"`{policies[int(place.split()[1])]}` ({place}, from every seat in turn)" if entry else place.capitalize()
    where = safe(findings.described(cells, cell, ["policies", *findings.varied_knobs(cells)]))
    share, fair = percent(row[FIGURE] / seats, 2), f"{100 / seats:.2f} %"
    if seats == 1:
        return f"Won least often: {share} of the games ({where})."
    line = f"{who} wins {share} of the games with {seats} seats ({where}); a fair share is {fair}. "
    if clear:
        line += f"Of {count} such shares {clear} are clear of a fair one."
    else:
        line += "That is furthest from it, and no share of wins is clear of a fair one."
    if not entry and len(findings.alike(cells)) < len(cells):
        line += " Seats were not rotated: seat and policy act together."
    return line


def _furthest(places: list[Place]) -> tuple[str, str, Any]:
    """The place, cell and row of the figure furthest from a fair share."""
    found = []
    for place in places:
        k = int((place.wins["estimate"] - 1).abs().argmax())
        found.append((place.name, str(place.wins.index[k]), place.wins.iloc[k]))
    return max(found, key=lambda each: abs(each[2].estimate - 1))


def _moves(cells: pd.DataFrame) -> list[str]:
    """Of each parameter looked at, what it moves most."""
    lines = []
    for name in findings.looked_at(cells):
        effect = findings.effects(cells, name)[0]
        how = "" if effect.is_clear else "nothing clearly, "
        lines.append(f"`{name}` moves {how}`{effect.quantity.name}` most: {_ends(effect)}.")
    return lines


def _ends(effect: Effect) -> str:
    """`from 7.9 ± 0.1 at 9 to 12.3 ± 0.1 at 15 duels (keep...)`"""
    quantity = effect.quantity
    first, last = (f"{quantity.text(row)} at {_code(value)}" for value, row in effect.ends)
    unit = "" if quantity.percent or quantity.unit == quantity.name else f" {safe(quantity.unit)}"
    return f"from {first} to {last}{unit}" + (f" ({_code(effect.strongest)})" if effect.strongest else "")


def _code(value: Any) -> str:
    """A name as it stands in a study; numbers stand as they are."""
    return f"`{value}`" if isinstance(value, str) else str(value)


# Pictures


def who_wins(cells: pd.DataFrame) -> None:
    """Draw the shares of wins by seat (or by entry of the line-up), averaged over the knobs; then by category."""
    labels = _labels(cells)
    drawn = {
        place.name: results.average(place.wins, labels[(cells["seats"] > number).to_numpy()])
        for number, place in enumerate(findings.places(cells))
    }
    order = list(dict.fromkeys(labels))
    if len(order) > MOST_LABELS:
        gaps = pd.DataFrame({name: (line["estimate"] - 1).abs() for name, line in drawn.items()}).max(axis=1)
        furthest = set(gaps.nlargest(MOST_LABELS).index)
        order = [name for name in order if name in furthest]
    size = figures.tall(len(order), len(drawn))
    axes = figures.axes("Who wins", "share of wins, as a multiple of a fair share", size=size)
    for number, (name, line) in enumerate(drawn.items()):
        figures.dots(axes, order, line.reindex(order), name, number=number, of=len(drawn))
    figures.level(axes, 1)
    figures.legend(axes)
    show(axes, _wins_caption(cells, drawn, len(order)))
    if lines := tables.crossed(list(cells["row"])):
        caption = "Wins by order of play and by category, and how games end; averaged over the cells. "
        table(lines, f"{caption}n: cases. Intervals are for 95 %, each for its figure alone.")


def _labels(cells: pd.DataFrame) -> pd.Series:
    """Number of seats and kind of line-up of each cell, as far as they vary."""
    kinds, seats = findings.kinds(cells), cells["seats"].astype(str) + " seats"
    if cells["seats"].nunique() == 1:
        return kinds
    return seats if kinds.nunique() == 1 else seats + ", " + kinds


def _wins_caption(cells: pd.DataFrame, drawn: dict[str, pd.DataFrame], lines: int) -> str:
    found = [(name, label, row) for name, line in drawn.items() for label, row in line.iterrows()]
    least, most = (choose(found, key=lambda each: each[2].estimate) for choose in (min, max))
    ends = ", least ".join(f"{plus_minus(row)} for {place} ({safe(label)})" for place, label, row in (most, least))
    over = _over(findings.varied_knobs(cells))
    entry = " An entry is a place in the line-up, from every seat in turn." if "entry 0" in drawn else ""
    only = f" Only the {lines} lines furthest from a fair share." if lines == MOST_LABELS else ""
    n = _n(cells["plays"].sum())
    return f"Wins, as a multiple of a fair share{over}: most {ends}.{entry}{only} {n}"


def what_moves(cells: pd.DataFrame, pictures: int = PICTURES) -> None:
    """Draw what each varied parameter moves, the strongest effects first: curves over numbers, dots for names."""
    for parameter in findings.looked_at(cells):
        for number, effect in enumerate(findings.effects(cells, parameter)[:pictures]):
            if number == 0 or effect.is_clear:
                draw(cells, effect)


def draw(cells: pd.DataFrame, effect: Effect) -> None:
    """Draw one effect (`lab.report.findings.effects`)."""
    quantity, (first, *_) = effect.quantity, effect.lines.values()
    unit = "share of games" if quantity.percent else quantity.unit
    title = f"{quantity.name} by {effect.parameter}"
    if scale := findings.is_scale(first.index):
        size = figures.SIZE[0], figures.SIZE[1] + 0.2 * max(0, len(effect.lines) - 3)  # the legend's, below
        axes = figures.axes(title, effect.parameter, unit, percent="y" * quantity.percent, size=size)
        for number, (name, line) in enumerate(effect.lines.items()):
            figures.curve(axes, line.index, line, name, number=number)
        if len(first) <= 8:
            axes.set_xticks(first.index)
    else:
        order = list(dict.fromkeys(value for line in effect.lines.values() for value in line.index))[:MOST_LABELS]
        size = figures.tall(len(order), len(effect.lines))
        axes = figures.axes(title, unit, percent="x" * quantity.percent, size=size)
        for number, (name, line) in enumerate(effect.lines.items()):
            figures.dots(axes, order, line.reindex(order), name, number=number, of=len(effect.lines))
    if quantity.unit == findings.FAIR:
        figures.level(axes, 1, axis="y" if scale else "x")
    figures.legend(axes)
    show(axes, _effect_caption(cells, effect))


def _effect_caption(cells: pd.DataFrame, effect: Effect) -> str:
    averaged = [name for name in ("seats", "policies", *findings.varied_knobs(cells)) if name in results.varied(cells)]
    averaged = [name for name in averaged if name != effect.parameter]
    if "policies" in averaged and (effect.strongest or findings.kinds(cells).nunique() == 1):
        averaged.remove("policies")
    clear = "" if effect.is_clear else " No change is clear."
    return f"`{effect.quantity.name}`{_over(averaged)}: {_ends(effect)}.{clear} {_n(effect.n)}"


def _over(names: list[str]) -> str:
    return f", averaged over {listed(f'`{name}`' for name in names)}" if names else ""


def _n(plays: int) -> str:
    return f"n = {plays:,} plays."


# Tables


def cell_table(r: Results) -> None:
    """Every cell with its shares of wins and headline columns, numbered as `lab replay --cell` takes them."""
    numbered = [row | {"number": number} for number, row in enumerate(r.cells["row"])]
    for part, rows in tables.by_part(numbered).items():
        unfinished, plays = (sum(row[key] for row in rows) for key in ("unfinished", "plays"))
        caption = f"Part {safe(part)}: " if part else ""
        caption += f"{len(rows)} cells. seat: share of wins; "
        if any(row["rotate_seats"] for row in rows):
            caption += "entry: place in the line-up, from every seat in turn; "
        if len(rows) > MOST_ROWS:
            caption += f"only the first {MOST_ROWS:,}, `lab show` prints all; "
        table(tables.summary(rows)[:MOST_ROWS], f"{caption}n = {plays:,} plays, {unfinished:,} unfinished.")
