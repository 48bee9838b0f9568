"""Vices & Vengeance a second time, in plain Python, written from the rules: the oracle of the simulation.

It is slow and simple on purpose, and imports nothing of this project. With the simulation it shares only where luck
comes from: game number, seed, purpose and index name four random words, whoever asks for them (`Luck`). Therefore the
two must agree game by game, to the last number and the last decision, and not only on average.

`play` plays a game, `play_turn` one defending turn of it and `play_roll` one roll. The rulings honoured are cited by id
(VV1, VV2, ...).
"""

from dataclasses import dataclass, field

SINS = ("lust", "gluttony", "greed", "sloth", "wrath", "envy", "pride")
LUST, GLUTTONY, GREED, SLOTH, WRATH, ENVY, PRIDE = range(7)
RESOLUTION = (WRATH, SLOTH, PRIDE, LUST, GREED, GLUTTONY, ENVY)  # VV10: Wrath is first, no more

KNOBS = {
    "house_seats": False,
    "target": 70,
    "exact_wins": True,
    "exact_bust": False,
    "final_round": "finish",  # finish, immediate, extra
    "penalty_dice": 2,
    "nemesis_sides": 20,
    "sins": list(SINS),  # whose effects are on
    "stolen_match": "void",  # void, follows, stays
    "stealing": "accumulate",  # accumulate, swap
    "envy_optional": False,
    "no_nemesis": "lighter",  # lighter, borrow
    "bullet_upright": 0.0,
    "start_total": 0,
    "max_rounds": 200,
}

LOW_32_BITS = 0xFFFFFFFF

DICE, REST, NEMESIS, BULLET, FIRST, WORD = 1, 2, 3, 4, 5, 6
PENALTY, CHOICE, SET_UP, SET_UP_WORD, TIE = 10, 20, 30, 40, 50  # plus the Sin, or the player, or a quarter of the seat
THREE_D6 = (6, 6, 6)

RESERVES, DESTROYED = -1, -2  # where a large Sin die is when no seat holds it

# A defender's units: 0 to 6 the small Sin dice, 7 to 9 the pairs, 10 to 12 the Spoilers, then the Nemesis dice.
FIRST_PAIR, BULLET_PAIR, FIRST_SPOILER, OWN_NEMESIS, ABSORBED = 7, 9, 10, 13, 14  # ABSORBED plus the owner's seat
SPOILER_SIDES = (12, 10, 8)

SETTING_UP, REMOVAL = 7, 8  # kinds of decision; 0 to 6 is the choice for the effect of that Sin
DECLINE = 7  # the bit of an option beside the seven Sins


# Luck -----------------------------------------------------------------------------------------------------------------


def philox(counter, key):
    """The four 32-bit words of philox4x32-10 (Salmon, Moraes, Dror and Shaw, SC 2011), from four words and two."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0 = 0xD2511F53 * c0
        p1 = 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & LOW_32_BITS, (p0 >> 32) ^ c3 ^ k1, p0 & LOW_32_BITS
        k0 = (k0 + 0x9E3779B9) & LOW_32_BITS
        k1 = (k1 + 0xBB67AE85) & LOW_32_BITS
    return c0, c1, c2, c3


# Known answer for zero counter and key, from the authors' Random123 test vectors (kat_vectors).
if philox((0, 0, 0, 0), (0, 0)) != (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8):
    raise RuntimeError("philox of the naive version is broken: it misses the known answer")


def chained_faces(word, sides):
    """A face for each die of `sides` out of one word: what is left of the word after a face makes the next face."""
    faces = []
    for sides_of_die in sides:
        product = word * sides_of_die
        faces.append((product >> 32) + 1)
        word = product & LOW_32_BITS
    return faces


def choice(word, count):
    """A number from 0 to `count` - 1."""
    return (word * count) >> 32


@dataclass
class Roll:
    """A face for every die there is. Whoever looks at one must know that it was rolled."""

    small: list  # by Sin
    large: list  # by Sin
    pairs: list  # of two faces each
    spoilers: list
    nemesis: list  # by owner's seat
    upright: bool  # the Silver Bullet


class Luck:
    """All the luck of one game, looked up when asked for. `at` is the number of a roll in the game."""

    def __init__(self, seed, game_number, nemesis_sides, bullet_upright):
        self.key = (seed & LOW_32_BITS, seed >> 32)
        self.game = (game_number & LOW_32_BITS, game_number >> 32)
        self.nemesis_sides = nemesis_sides
        self.bullet_upright = bullet_upright
        self.blocks = {}

    def word(self, purpose, index, position=0):
        if (purpose, index) not in self.blocks:
            self.blocks[purpose, index] = philox((*self.game, purpose, index), self.key)
        return self.blocks[purpose, index][position]

    def dice(self, purpose, index, position, sides=THREE_D6):
        return chained_faces(self.word(purpose, index, position), sides)

    def nemesis_dice(self, purpose, index):
        """By owner's seat, two a word."""
        return [face for word in range(4) for face in self.dice(purpose, index, word, (self.nemesis_sides,) * 2)]

    def first_player_dice(self, attempt):
        return self.nemesis_dice(FIRST, attempt)

    def set_up_dice(self, player, attempt):
        """The Mirror, and the large dice by Sin, of the player at this place in the order of play."""
        mirror, lust, gluttony = self.dice(SET_UP + player, attempt, 0)
        greed, sloth, wrath = self.dice(SET_UP + player, attempt, 1)
        envy, pride = self.dice(SET_UP + player, attempt, 2, (6, 6))
        return mirror, [lust, gluttony, greed, sloth, wrath, envy, pride]

    def set_up_word(self, player):
        return self.word(SET_UP_WORD + player, 0)

    def roll(self, at):
        pride, mirror, medusa = self.dice(DICE, at, 2)
        david, goliath, bullet = self.dice(DICE, at, 3)
        werewolf, d12 = self.dice(REST, at, 0, (6, 12))
        d10, d8, large_pride = self.dice(REST, at, 1, (10, 8, 6))
        return Roll(
            small=[*self.dice(DICE, at, 0), *self.dice(DICE, at, 1), pride],
            large=[*self.dice(REST, at, 2), *self.dice(REST, at, 3), large_pride],
            pairs=[(mirror, medusa), (david, goliath), (bullet, werewolf)],
            spoilers=[d12, d10, d8],
            nemesis=self.nemesis_dice(NEMESIS, at),
            upright=self.word(BULLET, at) < self.bullet_upright * 2**32,
        )

    def penalty_dice(self, sin, at):
        """Small, large and metallic die; the die that Gluttony took, and two further base dice."""
        return self.dice(PENALTY + sin, at, 0) + self.dice(PENALTY + sin, at, 1)

    def choice_word(self, sin, at):
        return self.word(CHOICE + sin, at)

    def removal_word(self, at):
        return self.word(WORD, at)

    def tie_break_pair(self, seat, rolling):
        return self.dice(TIE + seat // 4, rolling, seat % 4, (6, 6))


# Points ---------------------------------------------------------------------------------------------------------------


def pair_points(first, second):
    return 0 if first == second else 12 - first - second


def penalty_points(faces):
    """Every die whose number is there again is worth nothing."""
    return sum(6 - face for face in faces if faces.count(face) == 1)


def sides(unit, nemesis_sides):
    """Sides of one die of the unit."""
    if unit < FIRST_SPOILER:
        return 6
    if unit < OWN_NEMESIS:
        return SPOILER_SIDES[unit - FIRST_SPOILER]
    return nemesis_sides


def shown_nemesis(unit, defender, roll):
    """The face of a Nemesis in the defender's pool."""
    return roll.nemesis[defender if unit == OWN_NEMESIS else unit - ABSORBED]


def points(unit, defender, roll, nemesis_sides):
    """What the unit is worth now. Dice of different units never zero each other (VV31)."""
    if unit < FIRST_PAIR:
        return 6 - roll.small[unit]
    if unit == BULLET_PAIR and roll.upright:  # VV33
        return 0
    if unit < FIRST_SPOILER:
        return pair_points(*roll.pairs[unit - FIRST_PAIR])
    if unit < OWN_NEMESIS:
        return sides(unit, nemesis_sides) - roll.spoilers[unit - FIRST_SPOILER]
    return nemesis_sides - shown_nemesis(unit, defender, roll)


# Policies -------------------------------------------------------------------------------------------------------------


def sin_to_choose(policy, options, seat, holder, seats, word):
    """One of the Sins in `options`, which are in Sin order. `word` is a function, called only by `random`."""
    if policy == "random":
        return options[choice(word(), len(options))]

    def distance(sin):
        return 0 if holder[sin] == RESERVES else (holder[sin] - seat) % seats

    return min(options, key=distance)  # of those equally far the first, in Sin order


def units_to_score(policy, eligible, due, worth, sides_of, word):
    """A list of units out of `eligible`, which are in unit order. `word` is a function, called only by `random`."""
    if policy == "bank_all":
        return eligible
    if policy == "random":
        return [eligible[choice(word(), len(eligible))]] if due else []
    zeros = [unit for unit in eligible if worth[unit] == 0]
    if zeros or not due:
        return zeros
    return [min(eligible, key=lambda unit: (worth[unit], -sides_of[unit], unit))]


# The table ------------------------------------------------------------------------------------------------------------


@dataclass
class Table:
    """Everything that outlasts a turn."""

    seats: int
    lineup: list
    knobs: dict
    luck: Luck
    first_seat: int = 0
    rounds: int = 0
    turns: int = 0
    rolls: int = 0
    holder: list = field(default_factory=lambda: [RESERVES] * 7)  # of each large Sin die
    moved: set = field(default_factory=set)  # the large Sin dice that changed hands since the roll
    decisions: list = field(default_factory=list)

    def __post_init__(self):
        self.has_nemesis = [True] * self.seats
        self.totals = [self.knobs["start_total"]] * self.seats
        self.start_sins = [-1] * self.seats
        self.sin_matches = [0] * self.seats
        self.nemesis_matches = [0] * self.seats

    def sins_at(self, places):
        """The Sins whose large dice are at one of these places: seats, the reserves, or destroyed."""
        return [sin for sin in range(7) if self.holder[sin] in places]

    def seats_but(self, *left_out):
        return [seat for seat in range(self.seats) if seat not in left_out]

    def in_order_of_play(self):
        return [(self.first_seat + step) % self.seats for step in range(self.seats)]

    def move(self, sin, place):
        """The metallic Pride die need not be followed: it is always where the large Pride die is (VV8)."""
        self.holder[sin] = place
        self.moved.add(sin)


@dataclass
class Turn:
    """What lasts for one turn."""

    defender: int
    pool: set  # units not yet scored
    absorbed: set = field(default_factory=set)  # seats whose Nemesis the defender took, even if it is scored by now
    points: int = 0


def bits(numbers):
    return sum(1 << number for number in numbers)


def choose_sin(table, kind, seat, options, word):
    """The Sin that the seat chooses out of `options`, or None if there is nothing to choose."""
    if not options:
        return None  # VV17
    may_decline = kind == ENVY and table.knobs["envy_optional"]  # VV15; none of the policies ever does
    answer = sin_to_choose(table.lineup[seat], options, seat, table.holder, table.seats, word)
    if len(options) > 1 or may_decline:
        offered = bits(options) | may_decline << DECLINE
        table.decisions.append((kind, seat, offered, answer))
    return answer


# Setting up -----------------------------------------------------------------------------------------------------------


def find_first_player(table):
    tied, attempt = table.seats_but(), 0
    while len(tied) > 1:  # VV41
        faces = table.luck.first_player_dice(attempt)
        highest = max(faces[seat] for seat in tied)
        tied = [seat for seat in tied if faces[seat] == highest]
        attempt += 1
    table.first_seat = tied[0]


def matching_sins(table, player):
    """The unassigned Sins that show the number of the Mirror, at the first attempt at which there are any."""
    attempt = 0
    while True:
        mirror, large = table.luck.set_up_dice(player, attempt)
        matching = [sin for sin in table.sins_at({RESERVES}) if large[sin] == mirror]
        if matching:
            return matching
        attempt += 1


def assign_sins(table):
    for player, seat in enumerate(table.in_order_of_play()):
        options = matching_sins(table, player)
        sin = choose_sin(table, SETTING_UP, seat, options, lambda at=player: table.luck.set_up_word(at))
        table.holder[sin] = seat
        table.start_sins[seat] = sin


# Sin matches ----------------------------------------------------------------------------------------------------------


def sins_on_offer(table, sin, maker, defender):
    """The Sins that the effect of `sin` may be about."""
    if sin == ENVY and table.holder[ENVY] != maker:
        return []  # VV9: what it no longer holds it cannot give
    places = {
        WRATH: [defender],  # VV11
        GREED: [defender],  # VV13
        GLUTTONY: [RESERVES],
        LUST: [RESERVES, *table.seats_but(maker, defender)],  # VV16
        ENVY: [RESERVES, *table.seats_but(maker)],  # VV14
    }
    return table.sins_at(places[sin])


def lose_nemesis(table, turn, seat):
    """The own Nemesis of whoever made the match (VV23), unscored if it lies in the defender's pool (VV22)."""
    table.has_nemesis[seat] = False
    turn.pool.discard(ABSORBED + seat)


def take_sin(table, sin, maker, taken):
    table.move(taken, maker)
    if sin in (LUST, GREED) and table.knobs["stealing"] == "swap":  # VV12
        for other in table.sins_at({maker}):
            if other != taken:
                table.move(other, RESERVES)


def exchange_envy(table, maker, wanted):
    table.move(ENVY, table.holder[wanted])
    table.move(wanted, maker)


def apply_effect(table, turn, sin, maker, at):
    """The effect of a match. Returns the Sin that it was about, or None."""
    if SINS[sin] not in table.knobs["sins"] or sin == PRIDE:  # all that Pride does is in `penalty`
        return None
    if sin == SLOTH:
        lose_nemesis(table, turn, maker)
        return None
    options = sins_on_offer(table, sin, maker, turn.defender)
    chosen = choose_sin(table, sin, maker, options, lambda: table.luck.choice_word(sin, at))
    if chosen is None:
        return None
    if sin == WRATH:
        table.move(chosen, DESTROYED)
    elif sin == ENVY:
        exchange_envy(table, maker, chosen)
    else:
        take_sin(table, sin, maker, chosen)
    return chosen


def penalty(table, sin, taken, at):
    """Points of the penalty roll of one match (VV6). `taken` is the Sin that its effect was about."""
    small, large, metallic, taken_by_gluttony, third, fourth = table.luck.penalty_dice(sin, at)
    faces = [small, large, third, fourth][: table.knobs["penalty_dice"]]
    if sin == GLUTTONY and taken is not None:  # VV7
        faces.append(taken_by_gluttony)
    pride_rolled = sin == PRIDE or (sin == GLUTTONY and taken == PRIDE)  # VV7
    if pride_rolled and "pride" in table.knobs["sins"]:
        faces.append(metallic)
    return penalty_points(faces)


def match_maker(table, sin, roller):
    """The seat that makes a match once its turn to be resolved has come, or None (VV9)."""
    if sin not in table.moved or table.knobs["stolen_match"] == "stays":
        return roller
    if table.knobs["stolen_match"] == "follows" and table.holder[sin] != RESERVES:
        return table.holder[sin]
    return None


def resolve_sin_matches(table, turn, roll, at):
    """Returns how many matches were made. Whose turn it is rolls no large die (VV19), nor does anybody the reserves'
    (VV20); a Sin that is taken now was rolled by whoever held it before (VV18)."""
    attackers = table.seats_but(turn.defender)
    rollers = list(table.holder)
    pending = [sin for sin in RESOLUTION if sin in turn.pool and rollers[sin] in attackers]
    pending = [sin for sin in pending if roll.small[sin] == roll.large[sin]]
    table.moved.clear()
    matches = 0
    for sin in pending:
        maker = match_maker(table, sin, rollers[sin])
        if maker is not None:
            taken = apply_effect(table, turn, sin, maker, at)
            turn.points += penalty(table, sin, taken, at)
            turn.pool.remove(sin)  # VV3, so that its colour cannot match again (VV4)
            matches += 1
    table.sin_matches[turn.defender] += matches
    return matches


# Nemesis matches and the removal --------------------------------------------------------------------------------------


def absorb_nemesis_dice(table, turn, roll):
    """Every attacker's Nemesis that matches one in the pool (VV28, VV29), which stays there (VV30). Returns them, as
    units."""
    shown = [shown_nemesis(unit, turn.defender, roll) for unit in turn.pool if unit >= OWN_NEMESIS]
    rolling = [seat for seat in table.seats_but(turn.defender, *turn.absorbed) if table.has_nemesis[seat]]
    matching = {seat for seat in rolling if roll.nemesis[seat] in shown}
    units = {ABSORBED + seat for seat in matching}
    turn.absorbed |= matching
    turn.pool |= units
    table.nemesis_matches[turn.defender] += len(units)
    return units


def remove_units(table, turn, roll, at, fresh, due):
    """The defender scores some of its units; at least one if that is `due`. Units just absorbed must wait (VV25)."""
    eligible = sorted(turn.pool - fresh)
    if not eligible:
        return
    nemesis_sides = table.knobs["nemesis_sides"]
    worth = {unit: points(unit, turn.defender, roll, nemesis_sides) for unit in eligible}
    sides_of = {unit: sides(unit, nemesis_sides) for unit in eligible}
    policy = table.lineup[turn.defender]
    scored = units_to_score(policy, eligible, due, worth, sides_of, lambda: table.luck.removal_word(at))
    if len(eligible) > 1 or not due:
        table.decisions.append((REMOVAL, turn.defender, (bits(eligible), int(due)), bits(scored)))
    turn.points += sum(worth[unit] for unit in scored)
    turn.pool -= set(scored)


# A turn ---------------------------------------------------------------------------------------------------------------


def play_roll(table, turn, at):
    """Everybody rolls (VV42); Sin matches; Nemesis matches; the removal (VV1, VV5)."""
    roll = table.luck.roll(at)
    matches = resolve_sin_matches(table, turn, roll, at)
    fresh = absorb_nemesis_dice(table, turn, roll)
    remove_units(table, turn, roll, at, fresh, due=matches == 0)  # VV2
    table.rolls += 1


def full_pool(table, defender):
    """The seven small Sin dice, the pairs, the Spoilers, and the own Nemesis if there is one (VV21, VV24)."""
    nemesis = table.has_nemesis[defender] or table.knobs["no_nemesis"] == "borrow"
    return set(range(OWN_NEMESIS + nemesis))


def play_turn(table, defender):
    """Until nothing is left to roll: it never ends before (VV34), also if only absorbed dice are left (VV26)."""
    turn = Turn(defender, full_pool(table, defender))
    roll = 0
    while turn.pool:
        play_roll(table, turn, 32 * table.turns + roll)
        roll += 1
    table.totals[defender] += turn.points  # VV35
    table.turns += 1


# A game ---------------------------------------------------------------------------------------------------------------


def play_rounds(table):
    """Turns, until the game is over (VV36). Returns whether it was within the rounds allowed."""
    final_round = table.knobs["final_round"]
    last_round = None  # known once a total has reached the target
    while table.rounds < table.knobs["max_rounds"]:
        table.rounds += 1
        for seat in table.in_order_of_play():
            play_turn(table, seat)
            reached = table.totals[seat] >= table.knobs["target"]
            if reached and final_round == "immediate":
                return True
            if reached and last_round is None:
                last_round = table.rounds + (final_round == "extra")
        if table.rounds == last_round:
            return True
    return False


def find_candidates(totals, knobs):
    """The seats that win, unless there are several. None, if nobody may win."""
    target = knobs["target"]
    exact = [seat for seat, total in enumerate(totals) if total == target]
    if exact and knobs["exact_wins"]:  # VV37
        return exact
    allowed = [seat for seat, total in enumerate(totals) if total <= target or not knobs["exact_bust"]]
    return [seat for seat in allowed if totals[seat] == min(totals[other] for other in allowed)]  # VV38


def break_tie(luck, candidates):
    """The lowest score of a pair each, again and again (VV39). Returns the winner and the number of rollings."""
    rollings = 0
    while len(candidates) > 1:
        scores = {seat: pair_points(*luck.tie_break_pair(seat, rollings)) for seat in candidates}
        candidates = [seat for seat in candidates if scores[seat] == min(scores.values())]
        rollings += 1
    return candidates[0], rollings


ENDINGS = ("exactly the target", "lowest total", "all beyond the target", "round limit")


def ending(totals, winner, finished, knobs):
    """What decided the game; who stands on the target has won by it only where exactly the target wins (VV37)."""
    if not finished:
        return "round limit"
    if winner < 0:
        return "all beyond the target"
    return "exactly the target" if knobs["exact_wins"] and totals[winner] == knobs["target"] else "lowest total"


def by_seat(name, values):
    return {f"{name}_{seat}": value for seat, value in enumerate(values)}


def results(table, finished):
    candidates = find_candidates(table.totals, table.knobs) if finished else []
    winner, tie_breaks = break_tie(table.luck, candidates) if candidates else (-1, 0)
    target = table.knobs["target"]
    return {
        "winner": winner,
        "rounds": table.rounds,
        "turns": table.turns,
        "rolls": table.rolls,
        "exact_win": int(winner >= 0 and table.totals[winner] == target),
        "anyone_exact": int(target in table.totals),
        "first_seat": table.first_seat,
        **by_seat("total", table.totals),
        **by_seat("start_sin", table.start_sins),
        **by_seat("sin_matches", table.sin_matches),
        **by_seat("nemesis_matches", table.nemesis_matches),
        "sins_destroyed": len(table.sins_at({DESTROYED})),
        "nemesis_destroyed": table.has_nemesis.count(False),
        "tie_breaks": tie_breaks,
        "unfinished": int(not finished),
        "ending": ENDINGS.index(ending(table.totals, winner, finished, table.knobs)),
    }


def new_table(game_number, seed, seats, lineup, knobs):
    """A table before setting up, or ValueError if there is no such game."""
    if not set(knobs) <= set(KNOBS):
        raise ValueError(f"unknown knobs: {sorted(set(knobs) - set(KNOBS))}")
    knobs = {**KNOBS, **knobs}
    if seats not in (range(2, 8) if knobs["house_seats"] else range(3, 7)):  # VV44
        raise ValueError(f"not a game for {seats}, house_seats: {knobs['house_seats']}")
    if len(lineup) != seats:
        raise ValueError(f"{seats} seats need as many policies, found {len(lineup)}")
    return Table(seats, lineup, knobs, Luck(seed, game_number, knobs["nemesis_sides"], knobs["bullet_upright"]))


def play(game_number, seed, seats, lineup, knobs):
    """One game: every results column, and the decisions with more than one legal option.

    `lineup` is a list of policies by seat; `knobs` may leave out what has its default value. `game_number` and `seed`
    are unsigned 64-bit integers. A decision is (kind, seat, options, answer): kind 0 to 6 is the choice for the effect
    of that Sin and 7 that in setting up, with a bit mask of Sins as options (bit 7: to decline) and a number as answer;
    kind 8 is the removal, with (bit mask of the eligible units, 1 if one is due) as options and a bit mask as answer.
    """
    table = new_table(game_number, seed, seats, lineup, knobs)
    find_first_player(table)
    assign_sins(table)
    finished = play_rounds(table)
    return results(table, finished), table.decisions
