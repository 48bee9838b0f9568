"""Sin City a second time, in plain Python, written from the rules: the oracle of the simulation.

It is slow and simple on purpose, and imports nothing of this project. With the simulation it shares only where luck
comes from: game number, seed, purpose and index name four random words, whoever asks for them (`Luck`). Therefore the
two must agree game by game, to the last number and the last decision, and not only on average.

`play` plays a game. A `Game` can also be set up by hand (`Game.position`), with scripted dice (`ScriptedLuck`), and
played by the turn or by the phase. The rulings honoured are cited by id (SC1, SC3, ...).
"""

from collections import Counter, namedtuple
from dataclasses import dataclass, field

VICTIM, CRIMINAL, AGENT, HERO, BOSS, PSYCHOPATH = "victim", "criminal", "agent", "hero", "boss", "psychopath"
EVENT = "event"

# The deck: label, kind, Fighting, Sin, traits. The numbers are the ids.
CHARACTERS = (
    ("Dame", VICTIM, 1, 1, ""),  # 0
    ("Thug", CRIMINAL, 2, 1, ""),  # 1
    ("Private Investigator", HERO, 3, 1, "investigation"),  # 2
    ("Serial Killer", PSYCHOPATH, 4, 3, "tough"),  # 3
    ("Streetwalker", VICTIM, 2, 1, ""),  # 4
    ("Model", VICTIM, 1, 1, ""),  # 5
    ("Photographer", VICTIM, 1, 1, "investigation"),  # 6
    ("Assistant", VICTIM, 1, 1, ""),  # 7
    ("Niece", VICTIM, 1, 1, ""),  # 8
    ("Bombers", AGENT, 4, 1, ""),  # 9
    ("Explosives Expert", AGENT, 4, 1, ""),  # 10
    ("Son", VICTIM, 1, 1, ""),  # 11
    ("Paid Killer", AGENT, 4, 1, ""),  # 12
    ("Police Officer", HERO, 2, 1, "investigation"),  # 13
    ("Chauffeur", CRIMINAL, 4, 1, "defender"),  # 14
    ("Ex-Military", HERO, 5, 1, ""),  # 15
    ("Catholic Priest", VICTIM, 1, 2, ""),  # 16
    ("Psychiatrist", VICTIM, 1, 1, "doctor"),  # 17
    ("Actress", VICTIM, 1, 1, ""),  # 18
    ("Money Man", CRIMINAL, 1, 3, ""),  # 19
    ("Multi-Millionaire", BOSS, 1, 3, ""),  # 20
    ("District Attorney", HERO, 1, 1, "law"),  # 21
    ("Torturer", PSYCHOPATH, 3, 2, "investigation"),  # 22
    ("Femme Fatale", AGENT, 3, 1, ""),  # 23
    ("Crooked Cop", CRIMINAL, 3, 2, "law"),  # 24
    ("Detective", HERO, 3, 1, "law|investigation"),  # 25
    ("Wife", VICTIM, 1, 1, ""),  # 26
    ("Sinister Doctor", PSYCHOPATH, 3, 3, "doctor"),  # 27
    ("Thief", CRIMINAL, 2, 1, ""),  # 28
    ("Eloquent Goons", CRIMINAL, 2, 1, ""),  # 29
    ("Dealer", BOSS, 2, 2, ""),  # 30
    ("Cowgirl", AGENT, 3, 1, ""),  # 31
    ("Professional Athlete", VICTIM, 4, 1, ""),  # 32
    ("Police Security", AGENT, 3, 1, "defender"),  # 33
    ("Editor", VICTIM, 1, 2, ""),  # 34
    ("Madam", BOSS, 3, 2, ""),  # 35
    ("Huge Thug", CRIMINAL, 3, 1, ""),  # 36
    ("Daughter", VICTIM, 1, 1, ""),  # 37
    ("Secretary", VICTIM, 1, 1, "investigation"),  # 38
    ("Honest Cop", HERO, 3, 1, "law"),  # 39
    ("Sucker", VICTIM, 1, 1, ""),  # 40
    ("Bartender", VICTIM, 2, 1, "investigation"),  # 41
    ("Angry Loner", CRIMINAL, 3, 2, ""),  # 42
    ("Little Girl", VICTIM, 1, 1, ""),  # 43
    ("Guards", CRIMINAL, 2, 1, "defender"),  # 44
    ("Parole Officer", HERO, 2, 1, "law"),  # 45
    ("Trafficking Ring", BOSS, 2, 4, ""),  # 46
    ("Enforcer", AGENT, 4, 1, ""),  # 47
    ("Assassin", AGENT, 5, 1, ""),  # 48
    ("Shadowy Crime Lord", BOSS, 4, 4, ""),  # 49
    ("Bruiser", HERO, 5, 1, "tough"),  # 50
    ("Street Thug", CRIMINAL, 2, 1, ""),  # 51
    ("Silent Assassin", AGENT, 6, 1, ""),  # 52
    ("Stoolie", CRIMINAL, 1, 1, "investigation"),  # 53
    ("Landlady", VICTIM, 2, 1, ""),  # 54
    ("Mercenaries", AGENT, 3, 1, ""),  # 55
    ("Organ Harvesting Operation", BOSS, 3, 4, ""),  # 56
    ("Dancer", VICTIM, 2, 2, ""),  # 57
    ("Barfly", VICTIM, 2, 1, ""),  # 58
    ("Pornographer", VICTIM, 1, 2, ""),  # 59
    ("Protector", HERO, 4, 1, "tough"),  # 60
    ("Sociopath", PSYCHOPATH, 4, 3, ""),  # 61
    ("Street Gang", CRIMINAL, 3, 2, ""),  # 62
    ("Senator", BOSS, 1, 3, "law"),  # 63
    ("Tong Gang Member", CRIMINAL, 3, 1, ""),  # 64
    ("Lawyer", VICTIM, 1, 1, "law"),  # 65
    ("Street Doc", VICTIM, 2, 1, "doctor"),  # 66
    ("Gambler", VICTIM, 1, 1, ""),  # 67
    ("Skinhead", CRIMINAL, 2, 1, ""),  # 68
    ("Traitor", VICTIM, 1, 2, ""),  # 69
    ("Hitman", AGENT, 3, 1, ""),  # 70
    ("Mafia Thug", CRIMINAL, 3, 1, ""),  # 71
    ("Waitress", VICTIM, 1, 1, ""),  # 72
    ("Mob Boss", BOSS, 3, 4, ""),  # 73
)
EVENTS = (
    ("Friend", "search_agent"),  # 74
    ("Twin Guns", "fight+2"),  # 75
    ("Back-Up", "fight+2"),  # 76
    ("Military Hardware", "fight+2"),  # 77
    ("Razor Wire", "fight+2"),  # 78
    ("Martial Arts", "fight+2"),  # 79
    ("Shootout", "fight+2"),  # 80
    ("Revenge", "fight_or_find+1"),  # 81
    ("Tar Pits", "fight_or_find+1"),  # 82
    ("Old Town", "find+2"),  # 83
    ("Know Where to Look", "find+2"),  # 84
    ("On the Run", "find-2"),  # 85
    ("Scene of the Crime", "law+2"),  # 86
    ("Beat Up Some Cops", "law-2"),  # 87
    ("Cops Show Up", "discard_target"),  # 88
    ("Prison", "discard_target"),  # 89
    ("Seduction", "seduce"),  # 90
    ("Dead Cop", "all_draw_2"),  # 91
    ("Hospital Stay", "save_killed"),  # 92
    ("Suicide", "kill_non_boss"),  # 93
    ("Execution", "kill_non_boss"),  # 94
    ("Framed", "discard_hero"),  # 95
    ("Call in Favors", "draw_2"),  # 96
)

KNOBS = {
    "deck_copies": 1,  # SC1
    "help_limit": 0,  # SC4; 0 is no limit
    "summoning_sickness": False,  # SC5
    "attacks": "each",  # SC7: each, one
    "fight_score": "sum",  # SC9: sum, highest
    "fight_bonus": "dice",  # SC10: dice, total
    "investigation": "once",  # SC20: once, each
    "torture": "every_turn",  # SC33: every_turn, own_turn
    "goal": 100,  # SC44
    "max_turns": 400,  # SC47
    "hand": 7,
    "draw": 2,
    "max_hand": 7,
    "find_on": 4,
    "hero_bounty": 10,
    "opening_card": -1,  # an id, whose first copy is dealt first to `opening_seat`; -1 is none
    "opening_seat": 0,
}

ENDINGS = SINNING, KILL, TORTURE, TURNS = range(4)

LOW_32_BITS = 0xFFFFFFFF

# Purposes of luck
SHUFFLE_LUCK, START_LUCK, DEED_LUCK = 1, 2, 3
INVESTIGATE_LUCK, DOCTOR_LUCK, TOUGH_LUCK, TORTURE_LUCK, WORD_LUCK = 4, 5, 6, 7, 20
DOCTORS = (17, 27, 66)


# Luck -----------------------------------------------------------------------------------------------------------------


def philox(counter, key):
    """The four 32-bit words of philox4x32-10 (Salmon, Moraes, Dror and Shaw, SC 2011), from four words and two."""
    a, b, c, d = counter
    first_key, second_key = key
    for _ in range(10):
        left = a * 0xD2511F53
        right = c * 0xCD9E8D57
        a = (right >> 32) ^ b ^ first_key
        b = right & LOW_32_BITS
        c = (left >> 32) ^ d ^ second_key
        d = left & LOW_32_BITS
        first_key = (first_key + 0x9E3779B9) & LOW_32_BITS
        second_key = (second_key + 0xBB67AE85) & LOW_32_BITS
    return a, b, c, d


def faces_of(word, count=3):
    """The first D6s within a word: what is left of the word after a die makes the next."""
    faces = []
    for _ in range(count):
        product = word * 6
        faces.append((product >> 32) + 1)
        word = product & LOW_32_BITS
    return faces


def choice(word, count):
    """A number from 0 to `count` - 1."""
    return (word * count) >> 32


class Luck:
    """All the luck of one game, looked up when asked for. `turn` is the number of the player turn, from 0."""

    def __init__(self, seed, game_number):
        self.key = (seed & LOW_32_BITS, seed >> 32)
        self.game = (game_number & LOW_32_BITS, game_number >> 32)

    def words(self, purpose, index):
        return philox((*self.game, purpose, index & LOW_32_BITS), self.key)

    def die(self, purpose, index, number=0):
        """Die `number` of the twelve within four words."""
        return faces_of(self.words(purpose, index)[number // 3])[number % 3]

    def at(self, turn, card):
        return turn * 512 + card.number

    def shuffled(self, nth, cards):
        """The cards in the order of the game's nth shuffle, top first. Before it they are sorted."""
        cards = ascending(cards)
        for place in range(len(cards) - 1, 0, -1):
            word = self.words(SHUFFLE_LUCK, 128 * nth + place // 4)[place % 4]
            other = choice(word, place + 1)
            cards[place], cards[other] = cards[other], cards[place]
        return cards

    def start(self, attempt, seat):
        return self.die(START_LUCK, attempt, seat)

    def deed_die(self, turn, card, side, n):
        """Die n of a side in what a card does: the attack, or law. An index has eight for each, four in a word."""
        nth, place = divmod(n, 8)
        word = self.words(DEED_LUCK, 8 * self.at(turn, card) + nth)[2 * side + place // 4]
        return faces_of(word, 4)[place % 4]

    def find(self, turn, attacker):
        return self.deed_die(turn, attacker, 0, 0)

    def attack_dice(self, turn, attacker, count):
        return [self.deed_die(turn, attacker, 0, 1 + n) for n in range(count)]

    def defence_dice(self, turn, attacker, count):
        return [self.deed_die(turn, attacker, 1, 1 + n) for n in range(count)]

    def law(self, turn, user):
        return self.deed_die(turn, user, 0, 0)

    def investigate(self, turn, investigator):
        """The roll, and how many cards. `investigator` is None if the roll is the player's (SC20)."""
        index = turn * 512 + 511 if investigator is None else self.at(turn, investigator)
        return self.die(INVESTIGATE_LUCK, index, 0), self.die(INVESTIGATE_LUCK, index, 1)

    def doctor(self, turn, cause, nth, side, doctor):
        """`cause` is the attacker of the fight or the event, `nth` how often that was played in this turn before."""
        index = 2 * (8 * self.at(turn, cause) + min(nth, 7)) + side
        return self.die(DOCTOR_LUCK, index, 3 * doctor.copy + DOCTORS.index(doctor.id))

    def tough(self, turn, killed):
        return self.die(TOUGH_LUCK, self.at(turn, killed))

    def torture(self, turn, captive):
        return self.die(TORTURE_LUCK, self.at(turn, captive))

    def word(self, turn, nth):
        return self.words(WORD_LUCK, turn * 4096 + nth)[0]


class ScriptedLuck(Luck):
    """Luck for positions set up by hand: the dice named are thrown in the order of the script, and it is an error to
    throw one that is not left in it. `attack` and `defence` are lists of lists, `investigate` of pairs. Shuffles and
    the words of the policy `random` are as of seed 0, game 0."""

    def __init__(self, find=(), attack=(), defence=(), law=(), investigate=(), doctor=(), tough=(), torture=()):
        super().__init__(0, 0)
        self.script = {
            "find": [*find],
            "attack": [*attack],
            "defence": [*defence],
            "law": [*law],
            "investigate": [*investigate],
            "doctor": [*doctor],
            "tough": [*tough],
            "torture": [*torture],
        }

    def thrown(self, kind):
        if not self.script[kind]:
            raise AssertionError(f"no {kind} roll is left in the script")
        return self.script[kind].pop(0)

    def dice_thrown(self, kind, count):
        faces = self.thrown(kind)
        if len(faces) != count:
            raise AssertionError(f"{kind}: {count} dice are thrown, the script has {faces}")
        return faces

    def spent(self):
        """Whether all was thrown that is in the script."""
        return not any(self.script.values())

    def find(self, turn, attacker):
        return self.thrown("find")

    def attack_dice(self, turn, attacker, count):
        return self.dice_thrown("attack", count)

    def defence_dice(self, turn, attacker, count):
        return self.dice_thrown("defence", count)

    def law(self, turn, user):
        return self.thrown("law")

    def investigate(self, turn, investigator):
        return self.thrown("investigate")

    def doctor(self, turn, cause, nth, side, doctor):
        return self.thrown("doctor")

    def tough(self, turn, killed):
        return self.thrown("tough")

    def torture(self, turn, captive):
        return self.thrown("torture")


# Cards ----------------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Card:
    """A physical card. What a character in play goes through is kept on it."""

    id: int
    copy: int
    label: str
    kind: str
    fight: int = 0
    sin: int = 0
    traits: tuple = ()
    effect: str = ""  # of an event
    owner: int | None = None  # while in play, captive or not
    captor: object = None  # the psychopath that holds it
    captives: list = field(default_factory=list)  # of a psychopath
    sick: bool = False  # SC5
    acted: bool = False  # attacked or used law in this turn

    @property
    def number(self):
        return 97 * self.copy + self.id

    @property
    def order(self):
        """What "lowest id" means."""
        return self.id, self.copy

    def __repr__(self):
        return f"{self.label} {self.number}"


def ascending(cards):
    return sorted(cards, key=lambda card: card.order)


def new_cards(copies):
    """By number, each id `copies` times (SC1)."""
    cards = []
    for copy in range(copies):
        for label, kind, fight, sin, traits in CHARACTERS:
            number = len(cards) % 97
            cards.append(Card(number, copy, label, kind, fight, sin, tuple(traits.split("|")) if traits else ()))
        for label, effect in EVENTS:
            cards.append(Card(len(cards) % 97, copy, label, EVENT, effect=effect))
    return cards


# Options --------------------------------------------------------------------------------------------------------------

Option = namedtuple("Option", "what card target", defaults=(None, None))

PASS, NO, YES = Option("pass"), Option("no"), Option("yes")

NO_OR_YES = [NO, YES]

# Events that are played on the owner's own turn, in the Help or the Kill Phase (SC13). All others are reactions or
# belong to a roll.
FREE_EVENTS = ("search_agent", "discard_target", "seduce", "all_draw_2", "kill_non_boss", "discard_hero", "draw_2")
TARGETED_EVENTS = ("discard_target", "seduce", "kill_non_boss", "discard_hero")

# Whom each kind may attack (SC14); victims and bosses nobody.
PREY = {
    HERO: (CRIMINAL, AGENT, HERO, BOSS, PSYCHOPATH),
    PSYCHOPATH: (VICTIM,),
    CRIMINAL: (VICTIM, HERO, AGENT, CRIMINAL),
    AGENT: (CRIMINAL, BOSS, HERO, AGENT),
    VICTIM: (),
    BOSS: (),
}


# Baselines ------------------------------------------------------------------------------------------------------------
# Each takes (kind, seat, options, game) and returns the number of an option.


def lowest(options):
    return min(options, key=lambda option: option.card.order)


def lowest_sin(options):
    return min(options, key=lambda option: (option.card.sin, option.card.order))


def discard(options, kept_in_hand=()):
    """Events before characters; the events named first."""
    events = [option for option in options if option.card.kind == EVENT]
    first = [option for option in events if option.card.effect in kept_in_hand]
    if first or events:
        return lowest(first or events)
    return lowest_sin(options)


def play_characters(options):
    """Every playable character, lowest id first; of several bosses the one with the highest Sin."""
    characters = [option for option in options if option.what == "play" and option.card.kind != EVENT]
    bosses = [option for option in characters if option.card.kind == BOSS]
    if len(bosses) > 1:
        best = min(bosses, key=lambda option: (-option.card.sin, option.card.order))
        characters = [option for option in characters if option.card.kind != BOSS or option is best]
    return lowest(characters) if characters else PASS


def act(options, seat):
    """The lowest-id character that has something to do; an attack if there is one, else law."""

    def considered(option):
        on_own_victim = option.what == "attack" and option.target.owner == seat  # a psychopath's
        return option.what in ("attack", "law") and not on_own_victim

    acts = [option for option in options if considered(option)]
    if not acts:
        return PASS
    acting = lowest(acts).card
    acts = [option for option in acts if option.card is acting]
    attacks = [option for option in acts if option.what == "attack"]
    return min(attacks or acts, key=lambda option: (-option.target.sin, option.target.fight, option.target.order))


def builder(kind, seat, options, game):
    if kind == "INVESTIGATE":
        return options.index(YES)
    if kind == "HELP":
        return options.index(play_characters(options))
    if kind == "DISCARD":
        return options.index(discard(options))
    return 0  # passes, and saves nobody


def brawler(kind, seat, options, game):
    if kind == "SPEND":
        return options.index(YES)
    if kind == "KILL":
        return options.index(act(options, seat))
    return builder(kind, seat, options, game)


SCHEMER_HELP = ("all_draw_2", "draw_2", "search_agent")
SCHEMER_KILL = ("discard_target", "kill_non_boss", "seduce", "discard_hero")
SCHEMER_KEEPS = ("fight_or_find+1", "find+2", "find-2", "law+2", "law-2", "save_killed")


def schemer(kind, seat, options, game):
    if kind == "HELP":
        events = [option for option in options if option.card and option.card.effect in SCHEMER_HELP]
        events = [option for option in events if option.card not in game.played_this_help]
        if events:
            return options.index(lowest(events))
    if kind == "FRIEND":
        best = min(options, key=lambda option: (-option.card.fight, option.card.order))
        return options.index(best)
    if kind == "KILL" and not game.killing_begun:
        events = [option for option in options if option.card and option.card.effect in SCHEMER_KILL]
        events = [option for option in events if option.target.owner != seat]
        if events:
            event = lowest(events).card
            events = [option for option in events if option.card is event]
            best = min(events, key=lambda option: (-option.target.sin, -option.target.fight, option.target.order))
            return options.index(best)
    if kind == "FIGHT" and not game.window_played[game.window_side]:
        bonuses = [option for option in options if option.card and option.card.effect == "fight+2"]
        if bonuses:
            return options.index(lowest(bonuses))
    if kind == "DISCARD":
        return options.index(discard(options, SCHEMER_KEEPS))
    return brawler(kind, seat, options, game)


BASELINES = {"builder": builder, "brawler": brawler, "schemer": schemer, "random": None}


# The game -------------------------------------------------------------------------------------------------------------


class GameOver(Exception):
    """Somebody has won, and nothing happens any more (SC44)."""


class Game:
    """The table and all that lies on it, before the deck is shuffled.

    `lineup` holds by seat the name of a baseline or a function of (kind, seat, options, game) that returns the number
    of an option. An option has `what`, `card` and `target`.
    """

    def __init__(self, seed=0, number=0, seats=2, knobs=None, lineup=None, luck=None):
        knobs = knobs or {}
        if not set(knobs) <= set(KNOBS):
            raise ValueError(f"unknown knobs: {sorted(set(knobs) - set(KNOBS))}")
        self.knobs = {**KNOBS, **knobs}
        if seats not in range(2, 7):  # SC49
            raise ValueError(f"not a game for {seats}")
        self.lineup = list(lineup or ["builder"] * seats)
        if len(self.lineup) != seats:
            raise ValueError(f"{seats} seats need as many policies, found {len(self.lineup)}")
        self.cards = new_cards(self.knobs["deck_copies"])
        if seats * self.knobs["hand"] > len(self.cards):
            raise ValueError("the hands exceed the deck")
        self.luck = luck or Luck(seed, number)
        self.seats = seats

        # Where cards are. A captive is with its captor.
        self.deck = list(self.cards)  # top first
        self.discard_pile = []
        self.out_of_the_game = []
        self.hands = [[] for _ in range(seats)]
        self.areas = [[] for _ in range(seats)]  # free characters
        self.resolving = []  # events that are being played

        self.shuffles = 0
        self.first_seat = 0
        self.turn = -1  # before the first
        self.active = 0
        self.asked = 0  # decisions in this turn
        self.decisions = []

        # Of the turn and its phases
        self.credits = 0  # +2 to a Find roll, from investigation
        self.attacks_made = 0
        self.characters_played = 0
        self.played_this_help = []
        self.plays_this_turn = Counter()  # of each event
        self.killing_begun = False  # an attack or law in this Kill Phase
        self.window_side, self.window_played = 0, [0, 0]

        # Results, by seat
        self.points = [0] * seats
        self.sinning = [0] * seats
        self.kills = [0] * seats
        self.tortured = [0] * seats
        self.lost = [0] * seats
        self.captured = [0] * seats
        self.played = [0] * seats
        self.first_played_by = {}  # of each id
        self.winner, self.ending, self.unfinished = -1, None, False

    # Setting up

    def set_up(self):
        self.deck = self.next_shuffle(self.deck)
        hand, opening = self.knobs["hand"], self.knobs["opening_card"]
        if opening >= 0 and self.knobs["opening_seat"] < self.seats:
            at, to = self.deck.index(self.cards[opening]), self.knobs["opening_seat"] * hand
            self.deck[at], self.deck[to] = self.deck[to], self.deck[at]
        for seat in range(self.seats):
            self.hands[seat] = self.deck[:hand]
            del self.deck[:hand]
        self.roll_for_start()
        self.check()

    def roll_for_start(self):
        """SC3"""
        tied, attempt = list(range(self.seats)), 0
        while len(tied) > 1:
            faces = {seat: self.luck.start(attempt, seat) for seat in tied}
            tied = [seat for seat in tied if faces[seat] == max(faces.values())]
            attempt += 1
        self.first_seat = tied[0]

    def position(self, hands=(), areas=(), captives=(), points=(), deck=None, discard_pile=(), active=0):
        """Set up by hand: numbers of cards. `captives`: captor, captive and the captive's owner each; a captive is in
        no area. `deck`: top first; where none is given it is the rest of the cards, ascending, else the rest is out of
        the game. The seat `active` is to have its turn."""
        self.deck, self.discard_pile = [], [self.cards[number] for number in discard_pile]
        for seat, numbers in enumerate(hands):
            self.hands[seat] = [self.cards[number] for number in numbers]
        for seat, numbers in enumerate(areas):
            for number in numbers:
                self.put_into_play(self.cards[number], seat)
        for captor, captive, owner in captives:
            self.cards[captive].owner, self.cards[captive].captor = owner, self.cards[captor]
            self.cards[captor].captives.append(self.cards[captive])
        for seat, value in enumerate(points):
            self.points[seat] = value
        rest = [card for card in ascending(self.cards) if card not in self.places()]
        if deck is None:
            self.deck = rest
        else:
            self.deck = [self.cards[number] for number in deck]
            self.out_of_the_game = [card for card in rest if card not in self.deck]
        self.turn, self.active = 0, active
        self.check()
        return self

    # Where cards are

    def places(self):
        """Every card as often as it lies somewhere."""
        found = [*self.deck, *self.discard_pile, *self.out_of_the_game, *self.resolving]
        for pile in (*self.hands, *self.areas):
            found += pile
            for card in pile:
                found += card.captives
        return found

    def check(self):
        """Every card is in one place only, and in play only what can be."""
        if Counter(card.number for card in self.places()) != Counter(card.number for card in self.cards):
            raise AssertionError("a card is nowhere, or in two places")
        in_play = []
        for seat, area in enumerate(self.areas):
            in_play += area
            if any(card.owner != seat or card.kind == EVENT or card.captor for card in area):
                raise AssertionError("a character is not where it belongs")
            if sum(card.kind == BOSS for card in area) > 1:
                raise AssertionError("a player has two bosses")
            for captor in area:
                in_play += captor.captives
                for captive in captor.captives:
                    if captor.kind != PSYCHOPATH or captive.kind not in (VICTIM, HERO) or captive.captor is not captor:
                        raise AssertionError("a captive is not where it belongs")
        if any(card.captives or card.captor or card.owner is not None for card in self.cards if card not in in_play):
            raise AssertionError("a card that is not in play has an owner, a captor or captives")

    def clockwise_from(self, seat):
        return [(seat + step) % self.seats for step in range(self.seats)]

    def free_characters(self):
        """Of all seats (SC38: captives are none of them)."""
        return ascending(card for area in self.areas for card in area)

    def events_in_hand(self, seat, effects):
        return ascending(card for card in self.hands[seat] if card.effect in effects)

    def next_shuffle(self, cards):
        cards = self.luck.shuffled(self.shuffles, cards)
        self.shuffles += 1
        return cards

    def draw(self, seat, count):
        for _ in range(count):
            if not self.deck and self.discard_pile:  # SC41b
                self.deck, self.discard_pile = self.next_shuffle(self.discard_pile), []
            if self.deck:  # SC42
                self.hands[seat].append(self.deck.pop(0))

    def put_into_play(self, card, seat):
        card.owner = seat
        self.areas[seat].append(card)

    def set_free(self, captive):
        """SC37. It is never sick (SC5)."""
        captive.captor.captives.remove(captive)
        captive.captor = None
        captive.sick = False
        self.put_into_play(captive, captive.owner)

    def take_from_play(self, card):
        """A free character or a captive, which must be put elsewhere. Its own captives are free (SC39)."""
        for captive in list(card.captives):
            self.set_free(captive)
        if card.captor:
            card.captor.captives.remove(card)
            card.captor = None
        else:
            self.areas[card.owner].remove(card)
        card.owner, card.sick, card.acted = None, False, False

    def discard_from_play(self, card):
        """Discarded by an event, or jailed (SC41)."""
        self.lost[card.owner] += 1
        self.take_from_play(card)
        self.discard_pile.append(card)

    # Decisions

    def ask(self, kind, seat, options):
        """What the seat chooses. With one option there is nothing to decide."""
        if len(options) == 1:
            return options[0]
        self.check()
        policy = self.lineup[seat]
        if policy == "random":
            number = choice(self.luck.word(self.turn, self.asked), len(options))
        else:
            number = (policy if callable(policy) else BASELINES[policy])(kind, seat, options, self)
        if number not in range(len(options)):
            raise AssertionError(f"there is no option {number} of {options}")
        self.asked += 1
        self.decisions.append((self.turn, seat, kind, number, len(options)))
        return options[number]

    # Points

    def earn(self, seat, points, account):
        self.points[seat] += points
        account[seat] += points

    def look_for_victory(self, ending):
        """SC44"""
        for seat in self.clockwise_from(self.active):
            if self.points[seat] >= self.knobs["goal"]:
                self.winner, self.ending = seat, ending
                raise GameOver

    # Playing cards

    def count_play(self, seat, card):
        self.hands[seat].remove(card)
        self.played[seat] += 1
        self.first_played_by.setdefault(card.id, seat)

    def lay_down(self, seat, event):
        """An event is played. It is not in the discard pile before its effect is over (SC41b)."""
        self.count_play(seat, event)
        self.plays_this_turn[event] += 1
        self.resolving.append(event)

    def lay_aside(self, event):
        self.resolving.remove(event)
        self.discard_pile.append(event)

    def play_character(self, seat, card):
        self.count_play(seat, card)
        self.put_into_play(card, seat)
        card.sick = self.knobs["summoning_sickness"]  # SC5
        self.characters_played += 1

    def has_boss(self, seat):
        return any(card.kind == BOSS for card in self.areas[seat])

    def event_targets(self, seat, effect):
        free = self.free_characters()
        if effect == "discard_target":  # SC13b, also for the next two
            return free
        if effect == "kill_non_boss":
            return [card for card in free if card.kind != BOSS]
        if effect == "discard_hero":
            return [card for card in free if card.kind == HERO]
        opposing = [card for card in free if card.owner != seat]  # seduce: SC45
        return [card for card in opposing if card.kind != BOSS or not self.has_boss(seat)]  # SC6

    def event_options(self, seat, event):
        if event.effect not in FREE_EVENTS:  # SC13
            return []
        if event.effect not in TARGETED_EVENTS:
            return [Option("play", event)]
        return [Option("play", event, target) for target in self.event_targets(seat, event.effect)]

    def play_event(self, seat, event, target):
        nth = self.plays_this_turn[event]
        self.lay_down(seat, event)
        if event.effect == "draw_2":
            self.draw(seat, 2)
        elif event.effect == "all_draw_2":
            for drawing in self.clockwise_from(seat):
                self.draw(drawing, 2)
        elif event.effect == "search_agent":
            self.search_agent(seat)
        elif event.effect == "seduce":
            self.seduce(seat, target)
        elif event.effect == "kill_non_boss":
            if not self.saved_by_doctor(target, event, nth, side=0):  # SC25b
                self.lost[target.owner] += 1  # and nobody is rewarded
                self.die(target)
        else:
            self.discard_from_play(target)
        self.lay_aside(event)

    def search_agent(self, seat):
        """SC46"""
        agents = ascending(card for card in self.deck if card.kind == AGENT)
        if agents:
            agent = self.ask("FRIEND", seat, [Option("take", agent) for agent in agents]).card
            self.deck.remove(agent)
            self.hands[seat].append(agent)
        self.deck = self.next_shuffle(self.deck)

    def seduce(self, seat, target):
        """For good (SC45), with its captives (SC39). It is never sick (SC5), and may act (SC48)."""
        self.areas[target.owner].remove(target)
        self.put_into_play(target, seat)
        target.sick = False

    # Killing

    def saved_by_doctor(self, dying, cause, nth, side):
        """SC26. Every doctor rolls."""
        doctors = [card for card in ascending(self.areas[dying.owner]) if "doctor" in card.traits]
        rolls = [self.luck.doctor(self.turn, cause, nth, side, doctor) for doctor in doctors]
        return 6 in rolls

    def reward(self, killer, killed):
        """SC24"""
        if killer.kind == CRIMINAL:
            return 1
        if killer.kind == AGENT:
            return 2
        if killer.kind == HERO and killed.kind in (BOSS, PSYCHOPATH):
            return self.knobs["hero_bounty"]
        return 0

    def die(self, killed):
        """What is left to do with a killed character: Tough, then Hospital Stay (SC27)."""
        owner = killed.owner
        tough = "tough" in killed.traits and self.luck.tough(self.turn, killed) >= 4  # SC25
        self.take_from_play(killed)
        pile = self.discard_pile if tough else self.out_of_the_game  # SC41
        pile.append(killed)
        self.offer_hospital_stay(killed, pile, owner)

    def offer_hospital_stay(self, killed, pile, owner):
        """SC29"""
        for seat in self.clockwise_from(owner):
            stays = self.events_in_hand(seat, ["save_killed"])
            if stays and self.ask("SAVE", seat, NO_OR_YES) == YES:
                self.lay_down(seat, stays[0])
                pile.remove(killed)
                self.hands[seat].append(killed)
                self.lay_aside(stays[0])
                return

    def kill_in_fight(self, attacker, deaths):
        """`deaths`: who dies and who killed it, the attacker's death first (SC27)."""
        killed = []
        for dying, killer in deaths:
            side = 0 if dying is attacker else 1
            if not self.saved_by_doctor(dying, attacker, 0, side):  # SC25: not killed, and no reward
                killed.append((dying, killer))
        for dying, killer in killed:
            self.lost[dying.owner] += 1
            self.earn(killer.owner, self.reward(killer, dying), self.kills)
        self.look_for_victory(KILL)
        for dying, _ in killed:
            self.die(dying)

    def capture(self, captive, captor):
        self.areas[captive.owner].remove(captive)
        captive.captor = captor
        captor.captives.append(captive)
        self.captured[captor.owner] += 1

    # Attacks and law

    def targets(self, attacker):
        """SC14"""
        if attacker.kind == BOSS or attacker.kind == VICTIM or "defender" in attacker.traits:
            return []
        found = []
        for target in self.free_characters():
            own = target.owner == attacker.owner
            if target.kind not in PREY[attacker.kind] or (own and attacker.kind != PSYCHOPATH):
                continue
            if target.kind == BOSS and self.is_protected(target):
                continue
            found.append(target)
        return found

    def is_protected(self, boss):
        """SC15, from attacks only (SC16)"""
        return any(card.kind in (AGENT, CRIMINAL) for card in self.areas[boss.owner])

    def window(self, kind, sides, effects):
        """The cards played before a roll (SC11, SC12): any number, in turn, until both sides pass in a row.

        `sides`: the seat that speaks for the attacker or law user, and the one for the other side; `effects`: of either
        side what each effect is worth to its roll. Returns the sum of each side, and the cards."""
        sums, cards = [0, 0], []
        self.window_played = [0, 0]
        side, passes = 0, 0
        while passes < 2:
            self.window_side = side
            playable = self.events_in_hand(sides[side], effects[side])
            chosen = self.ask(kind, sides[side], [PASS, *[Option("play", card) for card in playable]])
            if chosen == PASS:
                passes += 1
            else:
                passes = 0
                self.lay_down(sides[side], chosen.card)
                self.window_played[side] += 1
                sums[side] += effects[side][chosen.card.effect]
                cards.append(chosen.card)
            side = 1 - side
        return *sums, cards

    def finds(self, attacker, target):
        bonus = 0
        if self.credits and self.ask("SPEND", attacker.owner, NO_OR_YES) == YES:  # SC22
            self.credits -= 1
            bonus = 2
        effects = {"find+2": 2, "fight_or_find+1": 1}, {"find-2": -2}
        more, less, cards = self.window("FIND", (attacker.owner, target.owner), effects)
        found = self.luck.find(self.turn, attacker) + bonus + more + less >= self.knobs["find_on"]
        for card in cards:
            self.lay_aside(card)
        return found

    def fight_score(self, faces, bonus):
        best = max(faces) if self.knobs["fight_score"] == "highest" else sum(faces)  # SC9
        return best + bonus

    def fight(self, attacker, target):
        """The two scores."""
        effects = {"fight+2": 2, "fight_or_find+1": 1}
        ours, theirs, cards = self.window("FIGHT", (attacker.owner, target.owner), (effects, effects))
        if self.knobs["fight_bonus"] == "dice":  # SC10
            dice, totals = (attacker.fight + ours, target.fight + theirs), (0, 0)
        else:
            dice, totals = (attacker.fight, target.fight), (ours, theirs)
        attack = self.fight_score(self.luck.attack_dice(self.turn, attacker, dice[0]), totals[0])
        defence = self.fight_score(self.luck.defence_dice(self.turn, attacker, dice[1]), totals[1])
        for card in cards:
            self.lay_aside(card)
        return attack, defence

    def attack(self, attacker, target):
        attacker.acted = True
        self.attacks_made += 1
        if not self.finds(attacker, target):  # SC8: that was its attack
            return
        attack, defence = self.fight(attacker, target)
        attacker_dies, target_dies = (attacker, target), (target, attacker)
        if attack > defence:
            if attacker.kind == PSYCHOPATH:  # of a victim: SC30
                self.capture(target, attacker)
            else:
                self.kill_in_fight(attacker, [target_dies])
        elif attack < defence:
            if target.kind == PSYCHOPATH and attacker.kind == HERO:  # SC34
                self.capture(attacker, target)
            else:
                self.kill_in_fight(attacker, [attacker_dies])
        elif attacker.kind == PSYCHOPATH:  # SC31
            self.kill_in_fight(attacker, [attacker_dies])
        else:  # SC23, SC36
            self.kill_in_fight(attacker, [attacker_dies, target_dies])

    def use_law(self, user, target):
        """SC17, SC18"""
        user.acted = True
        more, less, cards = self.window("LAW", (user.owner, target.owner), ({"law+2": 2}, {"law-2": -2}))
        if self.luck.law(self.turn, user) + more + less >= 6:
            self.discard_from_play(target)
        for card in cards:
            self.lay_aside(card)

    # The phases of a turn

    def help_options(self):
        seat, limit = self.active, self.knobs["help_limit"]
        options = [PASS]
        for card in ascending(self.hands[seat]):
            if card.kind == EVENT:
                options += self.event_options(seat, card)
            elif limit and self.characters_played >= limit:  # SC4
                continue
            elif card.kind != BOSS or not self.has_boss(seat):  # SC6
                options.append(Option("play", card))
        return options

    def help_phase(self):
        self.characters_played = 0
        self.played_this_help = []
        while (chosen := self.ask("HELP", self.active, self.help_options())) != PASS:
            self.played_this_help.append(chosen.card)
            if chosen.card.kind == EVENT:
                self.play_event(self.active, chosen.card, chosen.target)
            else:
                self.play_character(self.active, chosen.card)
            self.check()

    def sin_phase(self):
        """SC7b"""
        scoring = [card for card in self.areas[self.active] if not card.sick]
        self.earn(self.active, sum(card.sin for card in scoring), self.sinning)
        self.look_for_victory(SINNING)
        investigators = ascending(card for card in scoring if "investigation" in card.traits)
        if self.knobs["investigation"] == "once":  # SC20
            investigators = [None] if investigators else []
        for investigator in investigators:
            if self.ask("INVESTIGATE", self.active, NO_OR_YES) == YES:
                self.investigate(investigator)

    def investigate(self, investigator):
        """SC21: 1 to 4 show cards, which none of the policies remembers."""
        face, _ = self.luck.investigate(self.turn, investigator)
        if face >= 5:  # SC22
            self.credits += 1

    def kill_options(self):
        seat = self.active
        options = [PASS]
        attacks_left = self.knobs["attacks"] == "each" or not self.attacks_made  # SC7
        for card in ascending([*self.hands[seat], *self.areas[seat]]):
            if card.kind == EVENT:
                options += self.event_options(seat, card)
            elif card.owner == seat and not card.acted and not card.sick:
                if attacks_left:
                    options += [Option("attack", card, target) for target in self.targets(card)]
                if "law" in card.traits:
                    opposing = [target for target in self.free_characters() if target.owner != seat]
                    options += [Option("law", card, target) for target in opposing]
        return options

    def kill_phase(self):
        self.killing_begun = False
        while (chosen := self.ask("KILL", self.active, self.kill_options())) != PASS:
            if chosen.what == "play":
                self.play_event(self.active, chosen.card, chosen.target)
            else:
                self.killing_begun = True
                (self.attack if chosen.what == "attack" else self.use_law)(chosen.card, chosen.target)
            self.check()

    def hand_limit(self):
        """SC43"""
        hand = self.hands[self.active]
        while len(hand) > self.knobs["max_hand"]:
            card = self.ask("DISCARD", self.active, [Option("discard", card) for card in ascending(hand)]).card
            hand.remove(card)
            self.discard_pile.append(card)

    def torture(self):
        """SC33"""
        for seat in self.clockwise_from(self.active):
            if self.knobs["torture"] == "own_turn" and seat != self.active:
                continue
            for captive in ascending(captive for captor in self.areas[seat] for captive in captor.captives):
                self.torture_one(captive, seat)
                self.check()

    def torture_one(self, captive, seat):
        face = self.luck.torture(self.turn, captive) + (captive.kind == HERO)  # SC34
        if face >= 6:
            self.set_free(captive)
            return
        if face <= 2:
            self.lost[captive.owner] += 1
        self.earn(seat, 1, self.tortured)
        self.look_for_victory(TORTURE)
        if face <= 2:
            self.die(captive)  # SC28: no doctor

    def begin_turn(self):
        self.asked = 0
        self.credits = 0
        self.attacks_made = 0
        self.plays_this_turn.clear()
        for card in self.cards:
            card.acted = card.sick = False

    def play_turn(self):
        """The turn of the active seat, or `GameOver`."""
        self.begin_turn()
        self.draw(self.active, self.knobs["draw"])
        self.help_phase()
        self.sin_phase()
        self.kill_phase()
        self.hand_limit()
        self.torture()
        self.check()

    # A game

    def run(self):
        self.set_up()
        try:
            while self.turn + 1 < self.knobs["max_turns"]:
                self.turn += 1
                self.active = (self.first_seat + self.turn) % self.seats
                self.play_turn()
        except GameOver:
            self.check()
            return
        self.ending, self.unfinished = TURNS, True  # SC47
        best = [seat for seat in range(self.seats) if self.points[seat] == max(self.points)]
        self.winner = best[0] if len(best) == 1 else -1

    def row(self):
        """The results columns, in their order."""
        groups = {
            "points": self.points,
            "sinning": self.sinning,
            "kills": self.kills,
            "torture": self.tortured,
            "lost": self.lost,
            "captives": self.captured,
            "played": self.played,
        }
        row = {"winner": self.winner, "first_seat": self.first_seat, "turns": self.turn + 1}
        for name, values in groups.items():
            for seat, value in enumerate(values):
                row[f"{name}_{seat}"] = value
        row["unfinished"] = int(self.unfinished)
        row["ending"] = self.ending
        for number in range(97):
            row[f"card_{number}"] = self.first_played_by.get(number, -1) + 1
        return row


def play(seed, game, seats, knobs, lineup):
    """One game: every results column, and the decisions with more than one legal option, each (turn, seat, kind, number
    of the option chosen, number of options).

    `lineup` holds by seat the name of a baseline or a function, see `Game`; `knobs` may leave out what has its default
    value. `seed` and `game` are unsigned 64-bit integers.
    """
    table = Game(seed, game, seats, knobs, lineup)
    table.run()
    return table.row(), table.decisions
