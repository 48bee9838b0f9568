"""Viking Dice a second time, in plain Python, written from the rules: the oracle of the simulation.

It is slow and simple on purpose, and imports nothing of this project. With the simulation it shares only where luck
comes from: game number, seed, purpose and index name four random words, whoever asks for them (`Luck`). Therefore the
two must agree game by game, to the last number, and not only on average.

`play` plays a game and `duel` one duel of it. The rulings honoured are cited by id (VD1, VD2, ...).
"""

KNOBS = {
    "start_life": 12,
    "dice": 3,
    "sides": 6,
    "heal": "face",  # face, total, none
    "tied_triple": "hit_and_heal",  # hit_and_heal, heal_only, hit_only
    "reroll_order": "open",  # open, simultaneous, active_first
    "max_duels": 1000,
}

LOW_32_BITS = 0xFFFFFFFF

DUEL, MORE, WORD, TARGET = 1, 2, 3, 4
ACTIVE, OPPONENT = 0, 1  # the two sides of a duel, in which order every pair below is given


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


def chained_faces(word, sides, count):
    """`count` faces, 1 to `sides`, out of one word: what is left of the word after a face makes the next face."""
    faces = []
    for _ in range(count):
        product = word * sides
        faces.append((product >> 32) + 1)
        word = product & LOW_32_BITS
    return faces


class Luck:
    """All the luck of one duel, looked up when asked for. `side` is ACTIVE or OPPONENT."""

    def __init__(self, seed, game_number, number_of_duel, dice, sides):
        self.key = (seed & LOW_32_BITS, seed >> 32)
        self.game = (game_number & LOW_32_BITS, game_number >> 32)
        self.number_of_duel = number_of_duel
        self.dice = dice
        self.sides = sides
        self.blocks = {}

    def word(self, purpose, position):
        if purpose not in self.blocks:
            self.blocks[purpose] = philox((*self.game, purpose, self.number_of_duel), self.key)
        return self.blocks[purpose][position]

    def hand(self, position):
        faces = chained_faces(self.word(DUEL, position), self.sides, min(self.dice, 3))
        if self.dice > 3:
            faces += chained_faces(self.word(MORE, position), self.sides, self.dice - 3)
        return faces

    def first_roll(self, side):
        return self.hand(side)

    def reroll(self, side):
        """A new face for every die, whether it will be used or not."""
        return self.hand(2 + side)

    def speaking_word(self, speaking_round):
        return self.word(WORD, speaking_round)

    def choice_word(self):
        return self.word(WORD, 3)

    def target_word(self):
        return self.word(TARGET, 0)


# Policies: each is a pair (name, below) -------------------------------------------------------------------------------


def dice_to_reroll(policy, own, other, first_chance, word):
    """Which of its own dice the policy rerolls, as a list of positions; an empty list is to wait.

    `own` and `other` are the hands it sees. `word` is a function, called only by a policy that decides by chance.
    """
    name, below = policy
    if name == "keep":
        return []
    if name == "random":
        mask = (word() * 2 ** len(own)) >> 32
        return [die for die in range(len(own)) if mask >> die & 1]
    if name == "trailing" and not sum(own) < sum(other):
        return []
    if name in ("threshold", "healer") and not first_chance:
        return []
    return [die for die in range(len(own)) if own[die] < below]


def chooses_to_heal(policy, luck):
    name, _ = policy
    if name == "random":
        return (luck.choice_word() * 2) >> 32 == 1
    return name == "healer"


def choose_target(policy, active, life, luck):
    """The seat to face: any living opponent (VD12)."""
    seats = len(life)
    clockwise = [(active + step) % seats for step in range(1, seats)]
    living = [seat for seat in clockwise if life[seat] > 0]
    name, _ = policy
    if len(living) == 1 or name == "keep":
        return living[0]
    if name == "random":
        return living[(luck.target_word() * len(living)) >> 32]
    least = min(life[seat] for seat in living)
    return next(seat for seat in living if life[seat] == least)


# A duel ---------------------------------------------------------------------------------------------------------------


def is_triple(hand):
    """All dice equal, however many there are."""
    return hand.count(hand[0]) == len(hand)


def rerolled(hand, positions, fresh):
    return [fresh[die] if die in positions else hand[die] for die in range(len(hand))]


def speak_open(policies, hands, luck):
    """Lower first total first, then by turns, until there is nothing left to say (VD7). Returns hands and used."""
    hands, used, waits_in_a_row, chances = list(hands), [False, False], 0, [0, 0]
    speaker = ACTIVE if sum(hands[ACTIVE]) < sum(hands[OPPONENT]) else OPPONENT
    speaking_round = 0
    while True:
        other = 1 - speaker
        positions = dice_to_reroll(
            policies[speaker],
            hands[speaker],
            hands[other],
            chances[speaker] == 0,
            lambda at=speaking_round: luck.speaking_word(at),
        )
        chances[speaker] += 1
        if positions:
            hands[speaker] = rerolled(hands[speaker], positions, luck.reroll(speaker))
            used[speaker] = True
            waits_in_a_row = 0
        else:
            waits_in_a_row += 1
        both_rerolled = used[speaker] and used[other]
        waited_after_a_reroll = not positions and used[other]
        if both_rerolled or waited_after_a_reroll or waits_in_a_row == 2:
            return hands, used
        speaker = other
        speaking_round += 1


def speak_once_each(policies, hands, luck, sees_the_outcome):
    """The active player decides, then the other: on the first rolls, or on the table as it then lies (VD7)."""
    hands_then = list(hands)
    hands, used = list(hands), [False, False]
    for side in (ACTIVE, OPPONENT):
        seen = hands if sees_the_outcome else hands_then
        positions = dice_to_reroll(
            policies[side], seen[side], seen[1 - side], True, lambda at=side: luck.speaking_word(at)
        )
        if positions:
            hands[side] = rerolled(hands[side], positions, luck.reroll(side))
            used[side] = True
    return hands, used


def changes_of_life(policies, hands, luck, knobs):
    """Nominal change for the active player and the opponent: one net number each (VD2), before the floor at 0."""
    totals = [sum(hand) for hand in hands]
    triples = [is_triple(hand) for hand in hands]
    heals = [healed(hand, knobs["heal"]) for hand in hands]
    changes = [0, 0]
    if triples[0] and triples[1]:  # VD4: both heal, equal totals included
        return heals
    if totals[0] == totals[1]:
        return changes_in_a_tie(hands, triples, heals, knobs["tied_triple"])
    winner = 0 if totals[0] > totals[1] else 1
    loser = 1 - winner
    damage = totals[winner] - totals[loser]
    if triples[loser]:  # protected, and it heals
        changes[loser] = heals[loser]
    elif triples[winner] and chooses_to_heal(policies[winner], luck):  # VD15: both hands are final here
        changes[winner] = heals[winner]
    else:
        changes[loser] = -damage
    return changes


def changes_in_a_tie(hands, triples, heals, tied_triple):
    """The higher highest die hits with its face (VD18). A lone triple follows the knob (VD1); no choice (VD3)."""
    changes = [0, 0]
    highest = [max(hand) for hand in hands]
    for side in (0, 1):
        hit = highest[1 - side] if highest[side] < highest[1 - side] else 0
        if not triples[side]:
            changes[side] = -hit
        elif tied_triple == "hit_and_heal":
            changes[side] = heals[side] - hit
        elif tied_triple == "heal_only":
            changes[side] = heals[side]
        elif tied_triple == "hit_only":
            changes[side] = -hit
    return changes


def healed(hand, heal):
    return {"face": hand[0], "total": sum(hand), "none": 0}[heal] if is_triple(hand) else 0


def duel(policies, luck, knobs):
    """One duel. Returns the two changes, the number of rerolls used, of triples at the end, of ties (0 or 1), and what
    it is called if it ends the game."""
    hands = [luck.first_roll(ACTIVE), luck.first_roll(OPPONENT)]
    used = [False, False]
    stopped = sum(hands[0]) == sum(hands[1]) or is_triple(hands[0]) or is_triple(hands[1])  # VD6: the first rolls alone
    if not stopped:
        order = knobs["reroll_order"]
        if order == "open":
            hands, used = speak_open(policies, hands, luck)
        else:
            hands, used = speak_once_each(policies, hands, luck, sees_the_outcome=order == "active_first")
    triples = is_triple(hands[0]) + is_triple(hands[1])  # VD5: also those made by a reroll
    tie = int(sum(hands[0]) == sum(hands[1]))
    return changes_of_life(policies, hands, luck, knobs), sum(used), triples, tie, ending_blow(hands)


def ending_blow(hands):
    """How a duel takes the last life of somebody: one in a tie is no attack, triple or not (VD3)."""
    low, high = sorted(hands, key=sum)
    if sum(low) == sum(high):
        return "hit in a tie"
    return "attacked by a triple" if is_triple(high) else "outscored"


ENDINGS = ("outscored", "hit in a tie", "attacked by a triple", "duel limit")

# A game ---------------------------------------------------------------------------------------------------------------


def strict_leader(life):
    """The seat with more life than every other, or None."""
    leaders = [seat for seat in range(len(life)) if life[seat] == max(life)]
    return leaders[0] if len(leaders) == 1 else None


def next_living(seat, life):
    seats = len(life)
    return next((seat + step) % seats for step in range(1, seats + 1) if life[(seat + step) % seats] > 0)


def play(game_number, seed, seats, lineup, knobs=None):
    """One game; every results column.

    `seats` is 2 to 4; `lineup` is a list of (name, below) by seat; `knobs` may leave out what has its default value.
    `game_number` and `seed` are unsigned 64-bit integers.
    """
    if len(lineup) != seats:
        raise ValueError(f"{seats} seats need as many policies, found {len(lineup)}")
    if not set(knobs or {}) <= set(KNOBS):
        raise ValueError(f"unknown knobs: {sorted(set(knobs) - set(KNOBS))}")
    knobs = {**KNOBS, **(knobs or {})}
    life = [knobs["start_life"]] * seats
    place = [-1] * seats
    duels = rerolls = triples = ties = lead_changes = 0
    leader = None
    active = 0  # VD11
    while sum(points > 0 for points in life) >= 2 and duels < knobs["max_duels"]:  # VD21
        luck = Luck(seed, game_number, duels, knobs["dice"], knobs["sides"])
        target = choose_target(lineup[active], active, life, luck)
        changes, rerolls_now, triples_now, tie, blow = duel((lineup[active], lineup[target]), luck, knobs)
        duels += 1
        rerolls += rerolls_now
        triples += triples_now
        ties += tie
        alive_before = sum(points > 0 for points in life)
        for seat, change in zip((active, target), changes, strict=True):
            life[seat] = max(0, life[seat] + change)  # VD20
            if life[seat] == 0:
                place[seat] = alive_before  # VD22; a duel costs one player life at most, so two never leave together
        now_leading = strict_leader(life)
        if now_leading is not None:
            lead_changes += leader is not None and now_leading != leader
            leader = now_leading
        active = next_living(active, life)  # VD13, also if the active player was just eliminated
    alive = [seat for seat in range(seats) if life[seat] > 0]
    winner = alive[0] if len(alive) == 1 else -1
    if winner >= 0:
        place[winner] = 1
    return {
        "duels": duels,
        "winner": winner,
        **{f"life_{seat}": life[seat] for seat in range(seats)},
        **{f"place_{seat}": place[seat] for seat in range(seats)},
        "rerolls": rerolls,
        "triples": triples,
        "ties": ties,
        "lead_changes": lead_changes,
        "unfinished": int(len(alive) > 1),
        "ending": ENDINGS.index("duel limit" if len(alive) > 1 else blow),
    }
