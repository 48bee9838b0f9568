"""Studies: a YAML file as the cells that it asks for, or one line that says what is wrong with it, and where.

    game: viking
    seats: [2, 3]                         any scalar may be a list; lists multiply into cells, the last key fastest
    policies: [threshold, keep...]        see `lab.lineup`, of populations `lab.population`
    knobs: {start_life: [9, 12]}
    zip: {dice: [2, 3], sides: [6, 8]}    lists that advance together; a list of such mappings multiplies
    studies: {short: {}, long: {knobs: {start_life: 200}}}    parts that share the defaults above

From file to cells: `sims.core.document` (values with their lines), `_parts` (defaults merged), `_Part` (axes, their
product).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, product
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from lab import catalogue
from lab.cell import Cell, Entry
from lab.clauses import Clause, check, read_clause
from lab.errors import BadInput, unknown
from lab.find import Wanted, read_find
from lab.goals import Goal, check_goals, read_goals
from lab.lineup import (
    FILL,
    HOW_TO_NAME,
    MAX_CELLS,
    Lineup,
    allowed,
    choices,
    make,
    read_lineups,
    some,
    value_of,
)
from lab.population import Mixture, Population
from sims.core.document import NAME, Given, one_line, read_document
from sims.core.game import Game, Settings, Whole, knob, shelf_of


class General(Settings):
    """What every game can be asked for."""

    seed: Whole = knob(Cell.seed, "Games of one seed and number share their luck.", low=0, high=2**64 - 1)
    games: Whole = knob(Cell.games, "Game numbers a cell.", low=1, high=10**12)
    keep_games: Whole = knob(Cell.keep_games, "How many of the first games leave a row each.", low=0, high=10**12)
    rotate_seats: bool = knob(Cell.rotate_seats, "Play every game number in each rotation of the line-up.")
    limit: Whole = knob(20_000_000, "Game numbers a cell after which `lab ask` gives up.", low=100, high=10**12)
    unfinished: float = knob(0.01, "The share of unfinished plays that a cell may have.", low=0.0, high=1.0)


DEFAULT_LIMIT = 20_000_000
"""Game numbers a cell after which `lab ask` gives up."""
SWEPT = ("seed", "games", "seats", "rotate_seats", "policies")
"""Keys beside the knobs that may be lists."""
PART_KEYS = ("game", "question", "expect", "find", "until", "limit", "unfinished", "keep_games", *SWEPT, "knobs", "zip")
STUDY_KEYS = ("name", *PART_KEYS, "studies")


class Expectation(NamedTuple):
    """What a part of a study expects of each of its cells, and when to give up."""

    clauses: tuple[Clause, ...]
    limit: int
    find: tuple[Wanted, ...] = ()
    """The inverse questions: which value of a knob makes something so."""


@dataclass(frozen=True)
class Study:
    """What a study asks for."""

    name: str
    question: str
    path: Path
    cells: tuple[Cell, ...]
    varied: tuple[str, ...]
    """Names of the parameters (`Cell.parameters`) that differ between cells, in their order."""
    expects: dict[str, Expectation] = field(default_factory=dict)
    """By part (the empty name, if there are none): what its cells are expected to show, for `lab ask`."""
    until: dict[str, tuple[Goal, ...]] = field(default_factory=dict)
    """By part: what its cells are played for, if that is not a number of games (which is then their limit)."""
    populations: tuple[Population, ...] = ()
    """What expectations are held against: cells, or mixtures of some. All their cells are in `cells`."""
    unfinished: dict[str, float] = field(default_factory=dict)
    """By part, where it says so: the share of unfinished plays that a cell may have (`lab.checks`)."""


def read_study(path: str | Path) -> Study:
    """The study in a file. Raises `BadInput`, one line, for whatever is wrong with it."""
    path = Path(path)
    root = read_document(path, "study", "game and policies")
    fields = _fields(root, "study", STUDY_KEYS)
    name = _name(fields["name"]) if "name" in fields else path.stem
    question = _text(fields["question"]) if "question" in fields else ""
    parts, count = [], 0
    for title, part in _parts(root):
        parts.append(_Part(title, part, path.parent))
        count += parts[-1].count
        if count > MAX_CELLS:
            raise root.error(_too_many(count))
    cells = tuple(cell for part in parts for cell in part.cells())
    expects = {part.title: part.expectation() for part in parts}
    until = {part.title: goals for part in parts if (goals := part.goals())}
    populations = tuple(population for part in parts for population in part.populations)
    unfinished = {part.title: share for part in parts if (share := part.unfinished()) is not None}
    return Study(name, question, path, cells, _varied(cells), expects, until, populations, unfinished)


def _varied(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Names of the parameters in which some cell is not like the first."""
    rows = [cell.parameters() for cell in cells]
    names = dict.fromkeys(name for row in rows for name in row)
    return tuple(name for name in names if any(row.get(name) != rows[0].get(name) for row in rows))


def _too_many(count: int) -> str:
    return f"{count:,} cells; a study has at most {MAX_CELLS:,}"


def _text(given: Given) -> str:
    if not isinstance(given.value, str):
        raise given.wrong("is not text")
    return given.value.strip()


def _name(given: Given) -> str:
    if not isinstance(given.value, str) or not NAME.fullmatch(given.value):
        raise given.wrong("is not a name; up to 100 letters, digits, blanks and any of _.+-")
    return given.value


def _fields(given: Given, owner: str, keys: Sequence[str]) -> dict[str, Given]:
    """A mapping with none but these keys."""
    fields = given.named(f"keys of a {owner}")
    for key in fields:
        if key not in keys:
            raise given.wrong_key(f"a key of a {owner}", key, keys)
    return fields


# From values to parts, to axes, to cells.


def _parts(root: Given) -> Iterator[tuple[str, Given]]:
    """Name and keys of each part, the defaults merged in; one without a name if the study has no parts."""
    defaults = {key: value for key, value in root.value.items() if key in PART_KEYS}
    if "studies" not in root.value:
        yield "", replace(root, value=defaults)
        return
    studies: Given = root.value["studies"]
    parts = studies.named("parts by their names")
    if not parts:
        raise studies.error("has no parts")
    for name, part in parts.items():
        _name(Given(name, "studies", part.line))
        yield name, replace(part, value=_with_defaults(_fields(part, "part", PART_KEYS), defaults))


def _with_defaults(own: dict[str, Given], defaults: dict[str, Given]) -> dict[str, Given]:
    """Knobs merge by name; what a part zips, it does not inherit; its other keys replace the defaults'."""
    zipped = {name for each in _zips(own["zip"]) for name in each.value} if "zip" in own else set()
    merged = {key: value for key, value in defaults.items() if key not in zipped} | own
    if "knobs" in defaults:
        inherited = {key: value for key, value in defaults["knobs"].named("knobs").items() if key not in zipped}
        place = own.get("knobs", defaults["knobs"])
        merged["knobs"] = replace(place, value=inherited | (place.named("knobs") if "knobs" in own else {}))
    return merged


def _zips(given: Given) -> list[Given]:
    """The mappings of lists that advance together, without empty ones."""
    listed = some(given) if isinstance(given.value, list) else [given]
    return [each for each in listed if each.named("lists by their names")]


@dataclass(frozen=True)
class _Axis:
    """What varies together: rows of values."""

    names: tuple[str, ...]
    rows: list[tuple[Any, ...]]


class _Part:
    """A part of a study, or all of it: its axes, and the cells that these make."""

    def __init__(self, title: str, given: Given, folder: Path) -> None:
        self.title = title
        self.given = given
        self.fields: dict[str, Given] = given.value
        self.folder = folder
        self.game = self._game()
        if "question" in self.fields:
            _text(self.fields["question"])
        self.keep_games = self._keep_games()
        self.axes = self._seated(list(self._axes()))
        self.count = self._count()

    def _game(self) -> Game:
        names = ", ".join(catalogue.game_names())
        if "game" not in self.fields:
            raise self.given.error(f"game is missing ({names})")
        given = self.fields["game"]
        if not isinstance(given.value, str):
            raise given.wrong(f"is not the name of one game ({names})")
        try:
            return catalogue.game(given.value)
        except BadInput as error:
            raise type(error)(str(given.error(one_line(error)))) from error

    def _keep_games(self) -> int:
        given = self.fields.get("keep_games", Given(Cell.keep_games))
        words = {"none": 0, "all": -1}
        if isinstance(given.value, str) and given.value in words:
            return words[given.value]
        if isinstance(given.value, str | list | dict):
            raise given.wrong(f"is not none, all or {allowed(General.model_fields['keep_games'])}")
        return int(value_of(General, "keep_games", given))

    def expectation(self) -> Expectation:
        """What it expects, held against every cell."""
        given = self.fields.get("expect")
        listed = [] if given is None else some(given) if isinstance(given.value, list) else [given]
        clauses = tuple(read_clause(each, self.folder) for each in listed)
        asked = self.fields.get("find")
        wanted = () if asked is None else read_find(asked, self.game, self.folder)
        for each in wanted:
            self._check_free(each)
        for clause in (*clauses, *(each.clause for each in wanted)):
            self._check_clause(clause)
        for population in self.populations if wanted else ():
            for each in wanted:
                each.check(population, self.game)
        return Expectation(clauses, self._limit(), wanted)

    def _check_clause(self, clause: Clause) -> None:
        """It must be about something in every cell; where it is about a policy, in some cell."""
        about = [each for population in self.populations for each in population.cells if clause.is_about(each)]
        for cell in about or self.cells():
            check(clause, cell, self.game.column_names(cell.seats, cell.knobs))

    def _check_free(self, wanted: Wanted) -> None:
        """A knob that is looked for has no other place in the study."""
        names = {name for axis in self.axes for name in axis.names}
        if wanted.knob in names:
            raise wanted.clause.given.error(f"looks for {wanted.knob}, which also stands in the study; one place only")

    def goals(self) -> tuple[Goal, ...]:
        """What its cells are played for, held against every cell."""
        if "until" not in self.fields:
            return ()
        if "games" in self.fields:
            raise self.fields["until"].error("stands beside games; a cell is played for one of them")
        goals = read_goals(self.fields["until"], self.folder)
        for cell in self.cells():
            check_goals(goals, cell, self.game.column_names(cell.seats, cell.knobs))
        return goals

    def unfinished(self) -> float | None:
        """The share of unfinished plays that it allows; None if it says nothing of that."""
        given = self.fields.get("unfinished")
        return None if given is None else float(value_of(General, "unfinished", given))

    def _limit(self) -> int:
        return value_of(General, "limit", self.fields["limit"]) if "limit" in self.fields else DEFAULT_LIMIT

    def _axes(self) -> Iterator[_Axis]:
        """One axis a swept key, one a knob, and one for what is zipped together, as they are written."""
        places: dict[str, Given] = {}
        for key, given in self.fields.items():
            if key in SWEPT:
                yield _Axis((key,), self._rows({key: given}, places))
            elif key == "knobs":
                for name, value in given.named("knobs").items():
                    if name not in self.game.knobs.model_fields:
                        raise given.wrong_key(f"a knob of {self.game.name}", name, self.game.knobs.model_fields)
                    yield _Axis((name,), self._rows({name: value}, places))
            elif key == "zip":
                for each in _zips(given):
                    yield self._zip(each, places)

    def _zip(self, given: Given, places: dict[str, Given]) -> _Axis:
        fields: dict[str, Given] = given.value
        known = (*self.game.knobs.model_fields, *SWEPT)
        for name, value in fields.items():
            if name not in known:
                raise given.wrong_key(f"a knob of {self.game.name} or a key that can be zipped", name, known)
            if not isinstance(value.value, list):
                raise value.wrong("is not a list; lists of one length advance together")
        if len({len(value.value) for value in fields.values()}) > 1:
            lengths = ", ".join(f"{name} {len(value.value)}" for name, value in fields.items())
            raise given.error(f"has lists of different lengths: {lengths}")
        return _Axis(tuple(fields), self._rows(fields, places, zipped=True))

    def _rows(self, fields: dict[str, Given], places: dict[str, Given], zipped: bool = False) -> list[tuple[Any, ...]]:
        """The values of these keys, side by side. places: where the keys stand that were read before."""
        for name, given in fields.items():
            if before := places.get(name):
                raise given.error(f"also stands in {before.line.rpartition(':')[0]}, as {before.where}; one place only")
            places[name] = given
        return list(zip(*(self._values(name, given, zipped) for name, given in fields.items()), strict=True))

    def _values(self, name: str, given: Given, zipped: bool) -> list[Any]:
        if name == "policies":
            return read_lineups(self.game, given, self.folder, one_each=zipped)
        if name == "seats":
            return [self._seats(each) for each in (some(given) if isinstance(given.value, list) else [given])]
        model = General if name in SWEPT else self.game.knobs
        if shelf_of(model.model_fields[name]):
            given = self._placed(given)
        return [value_of(model, name, each) for each in some(given)] if zipped else choices(model, name, given)

    def _placed(self, given: Given) -> Given:
        """Content packs, a relative path as it leads there from the current directory: the study's folder is second."""
        if isinstance(given.value, list):
            return replace(given, value=[self._placed(each) for each in given.value])
        second = self.folder / str(given.value)
        is_there = second.is_file() and not Path(str(given.value)).is_file()
        return replace(given, value=str(second)) if is_there else given

    def _seats(self, given: Given) -> int:
        return _known_seats(self.game, given)

    def _seated(self, axes: list[_Axis]) -> list[_Axis]:
        """The axes, with those of seats and of line-ups made one that holds only what fits."""
        lineups = next((axis for axis in axes if "policies" in axis.names), None)
        if lineups is None:
            raise self.given.error(f"policies is missing; {HOW_TO_NAME}")
        seats = next((axis for axis in axes if "seats" in axis.names), None)
        if seats is None:
            return axes
        place, number = lineups.names.index("policies"), seats.names.index("seats")
        if seats is lineups:
            for row in lineups.rows:
                _check_fit(row[place], [row[number]])
            return axes
        wanted = list(dict.fromkeys(row[number] for row in seats.rows))
        for row in lineups.rows:
            _check_fit(row[place], wanted)
        fitting = {each: [row for row in lineups.rows if row[place].fits(each)] for each in wanted}
        others = [axis for axis in axes if axis is not lineups and axis is not seats]
        count = sum(len(fitting[row[number]]) for row in seats.rows) * prod(len(axis.rows) for axis in others)
        if count > MAX_CELLS:
            raise self.given.error(_too_many(count))
        rows = [row + more for row in seats.rows for more in fitting[row[number]]]
        both = _Axis(seats.names + lineups.names, rows)
        first = seats if axes.index(seats) < axes.index(lineups) else lineups
        return [both if axis is first else axis for axis in axes if axis is first or axis in others]

    def _count(self) -> int:
        """How many cells there are, mixtures counted as their line-ups."""
        lineups = next(axis for axis in self.axes if "policies" in axis.names)
        rows = [dict(zip(lineups.names, row, strict=True)) for row in lineups.rows]
        count: int = sum(row["policies"].size(row.get("seats") or _fewest(self.game, row["policies"])) for row in rows)
        return count * prod(len(axis.rows) for axis in self.axes if axis is not lineups)

    def cells(self) -> Iterator[Cell]:
        """Its cells; of those that differ in nothing but the number of games, the largest."""
        found: dict[Any, Cell] = {}
        for cell in (cell for population in self.populations for cell in population.cells):
            key = _key(cell)
            if key not in found or found[key].games < cell.games:
                found[key] = cell
        yield from found.values()

    @cached_property
    def populations(self) -> tuple[Population, ...]:
        """Its cells and mixtures of cells; of those that differ in nothing but the number of games, the largest."""
        names = [name for axis in self.axes for name in axis.names]
        found: dict[Any, Population] = {}
        for rows in product(*(axis.rows for axis in self.axes)):
            population = self._population(dict(zip(names, chain(*rows), strict=True)))
            key = population.chances, population.text, *map(_key, population.cells)
            if key not in found or found[key].cells[0].games < population.cells[0].games:
                found[key] = population
        return tuple(found.values())

    def _population(self, values: dict[str, Any]) -> Population:
        lineup: Lineup | Mixture = values.pop("policies")
        seats = values.pop("seats", None) or _fewest(self.game, lineup)
        entries, chances = zip(*lineup.members(seats), strict=True)
        if not isinstance(lineup, Mixture):
            return Population((self._cell(values, seats, entries[0]),))
        if values.setdefault("rotate_seats", True) is False:
            raise self.fields.get("rotate_seats", self.given).error("is false; in a mixture all seats rotate")
        return Population(tuple(self._cell(dict(values), seats, each) for each in entries), chances, lineup.text)

    def _cell(self, values: dict[str, Any], seats: int, lineup: tuple[Entry, ...]) -> Cell:
        general = {name: values.pop(name) for name in SWEPT if name in values}
        if "until" in self.fields:
            general["games"] = self._limit()
        place = self.fields.get("knobs", replace(self.given, where="knobs"))
        knobs = make(self.game.knobs, values, place)
        _check_house(self.game, seats, knobs, self.fields.get("seats", self.fields.get("policies", self.given)))
        return Cell(self.game.name, seats, lineup, knobs, keep_games=self.keep_games, part=self.title, **general)


def _key(cell: Cell) -> Any:
    """All but the number of games."""
    return cell.seats, cell.lineup, cell.knobs, cell.seed, cell.rotate_seats


def _known_seats(game: Game, given: Given) -> int:
    seats = {float(each): each for each in game.all_seats}
    if type(given.value) not in (int, float) or given.value not in seats:
        raise given.wrong(f"is not a number of seats of {game.name} ({', '.join(map(str, game.all_seats))})")
    return seats[given.value]


def _fewest(game: Game, lineup: Lineup | Mixture) -> int:
    """The fewest seats that a line-up fits, house seats only where no others do."""
    return lineup.fewest(game.seats if any(map(lineup.fits, game.seats)) else game.house_seats)


def _check_house(game: Game, seats: int, knobs: Any, given: Given) -> None:
    if seats in game.house_seats and not knobs.house_seats:
        without = ", ".join(map(str, game.seats))
        raise given.error(
            f"has {seats} seats, which {game.name} plays only with house_seats: true (without: {without})"
        )


def _check_fit(lineup: Lineup | Mixture, seats: Sequence[int]) -> None:
    if not any(map(lineup.fits, seats)):
        found = ", ".join(map(str, seats))
        raise lineup.given.error(
            f"has {len(lineup.entries)} policies, which fit none of the seats asked for ({found}); "
            f"NAME{FILL} fills the seats that remain"
        )


# One cell from a command line.


def part_of(study: Study, part: str | None) -> Study:
    """The study with the cells of one part alone; all of it, if none is named."""
    if part is None:
        return study
    cells = tuple(cell for cell in study.cells if cell.part == part)
    if not cells:
        parts = dict.fromkeys(cell.part for cell in study.cells if cell.part)
        raise BadInput(f"{study.path}: {unknown('a part', part, parts)}")
    return replace(study, cells=cells, varied=_varied(cells))


def with_games(study: Study, games: int | None) -> Study:
    """The study with so many games a cell, if they are given, in place of what it says of games or of `until`."""
    if games is None:
        return study
    games = checked_games(games)
    return replace(study, cells=tuple(replace(cell, games=games) for cell in study.cells), until={})


def checked_games(games: int) -> int:
    """Games a cell from `--games`, in place of the study's."""
    return int(value_of(General, "games", Given(games, "--games")))


def cell_from_options(
    game: str,
    policies: Sequence[str],
    *,
    seats: int | None,
    games: int,
    seed: int,
    settings: Sequence[str],
    changes: Sequence[str] = (),
) -> Cell:
    """The cell of `lab run GAME --policy P --seats N --games N --seed N --set KNOB=VALUE`.

    policies: one for all seats, or one a seat; `threshold:below=3` sets weights. seats: None for as many as there are
    policies, or the game's fewest if one serves all. settings: `KNOB=VALUE`, with `lust,greed` or `none` for a list.
    changes: the same, of `--vs`: they overrule settings.
    """
    sheet = catalogue.game(game)
    if not policies:
        raise BadInput(f"--policy is missing; {HOW_TO_NAME}")
    given = Given([Given(each, "--policy") for each in policies], "--policy")
    lineup, *more = read_lineups(sheet, given, Path())
    if more or isinstance(lineup, Mixture):
        raise given.error("is a population, and this is one cell: name one policy for all seats, or one a seat")
    asked = seats
    if seats is not None:
        seats = _known_seats(sheet, Given(seats, "--seats"))
        _check_fit(lineup, [seats])
    seats = seats if seats is not None else _fewest(sheet, lineup)
    knobs = make(sheet.knobs, _knobs(sheet, settings, "--set") | _knobs(sheet, changes, "--vs"), Given(None, "--set"))
    _check_house(sheet, seats, knobs, Given(seats, "the line-up" if asked is None else "--seats"))
    return Cell(
        sheet.name,
        seats,
        lineup.seated(seats),
        knobs,
        seed=value_of(General, "seed", Given(seed, "--seed")),
        games=checked_games(games),
    )


def _knobs(game: Game, settings: Sequence[str], option: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text in settings:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise Given(text, option).wrong("has no value; write KNOB=VALUE")
        if name not in game.knobs.model_fields:
            raise BadInput(f"{option} " + unknown(f"a knob of {game.name}", name[:200], game.knobs.model_fields))
        if name in found:
            raise Given(name, option).wrong("is set twice")
        [found[name]] = choices(game.knobs, name, Given(value, f"{option} {name}", raw=True))
    return found
