"""A goal in the words of the page: what nothing on the page says is taken for what means most nearly the same there.

So all that reads a goal need know nothing of it. Knows no rules.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agent import colors
from agent.embedded.goal import GENERIC_STEMS, STRONG_KINDS
from agent.embedded.vectors import is_known, likeness
from agent.embedded.words import NUMBER_WORDS, STOP_WORDS, confirms, meanings, normal, ordinal, stem, tokens
from agent.tick import Tick
from agent.values import goal_values, word_set
from browser.observation import Observation

# Below this two words have a topic in common, not a meaning.
ALIKE = 0.45
# Of many names one is alike by chance: above the names of a small page, so much more for ten times as many.
FEW_NAMES, RISE = 10, 0.1
# The next best name on the page, and the next best word of the goal, must be this much less alike.
CLEARER_BY = 0.1
# Where the goal itself asks for what is similar, the most alike is meant, however little; below this it is chance.
ALIKE_AT_ALL = 0.1
# The mean of a longer name is like anything.
LONGEST = 3

# By these a goal says what to do, or how one thing stands to another; they name nothing.
_ASKING = word_set(
    "set show tell tick mark check uncheck fill write go see visit display let change describe describes match matches "
    "fit fits contain contains represent represents belong belongs please best same similar move drag "
    "want wants wanted need needs back"
)
# Between a label and its value in a goal.
_JOINS = word_set("a an the as is be are to of for in into")
# Opposites are used alike, and so have like vectors.
_OPPOSITE_PAIRS = (
    "yes no, open close, next previous, accept decline, add remove, add delete, show hide, up down, left right, "
    "first last, start end, start stop, begin end, on off, buy sell, more less, increase decrease, large small, "
    "big small, high low, new old, import export, upload download, expand collapse, enable disable, allow deny, "
    "like dislike, lock unlock, before after, male female, north south, east west, black white, hot cold"
)
_ASKS_SIMILAR = re.compile(r"\b(?:similar|synonyms?|alike|related)\b", re.IGNORECASE)
_WORD = re.compile(r"(?<![\w@.#/-])[^\W\d_]+(?:['’](?!s\b)[^\W\d_]+)?(?![\w@#/-]|\.\w)")
_NAME = re.compile(r"[^\W\d_]+(?:[ '’&-]+[^\W\d_]+)*")
_BEGINS = re.compile(r"(?:^|[.!?:;])\s*$")
_OPPOSITES: dict[str, set[str]] = {}
for _pair in _OPPOSITE_PAIRS.split(", "):
    for _one, _other in permutations(_pair.split()):
        _OPPOSITES.setdefault(_one, set()).add(_other)


class _Said(NamedTuple):
    """A word of the goal, or two in a row."""

    words: tuple[str, ...]
    start: int
    end: int
    beside_value: bool
    """A text to type stands beside it with only small words between, so that it may be that text's label."""

    asks: bool
    """It begins a sentence, and so says what to do: that is the name of a button, not of anything longer."""

    def apart(self, other: "_Said") -> bool:
        return self.end <= other.start or other.end <= self.start


class _Name(NamedTuple):
    """What the page calls something."""

    text: str
    of_field: bool
    """It is the label of a field for text."""


def in_page_words(tick: Tick) -> Tick:
    """Return the tick with what the page does not say put in the page's words, in goal and texts to type.

    It is the tick itself where nothing fits. Candidates keep their places.
    """
    names = tuple(_names(tick.observation))
    swaps = _swaps(tick.goal, names, _spoken(tick.observation)) if names else ()
    if not swaps:
        return tick
    goal = tick.goal
    for start, end, name in swaps:
        goal = goal[:start] + name + goal[end:]
    put = {tick.goal[start:end]: name for start, end, name in swaps}
    candidates = tuple(
        c.model_copy(update={"value": put[c.value]}) if c.operation == "TYPE" and c.value in put else c
        for c in tick.candidates
    )
    return tick.model_copy(update={"goal": goal, "candidates": candidates})


def _names(observation: Observation) -> Iterable[_Name]:
    """Yield the names of controls and options, each once; labels of fields in lower case, as goals say them."""
    seen: set[str] = set()
    for e in observation.elements:
        is_label = e.editable or e.tag == "select"
        own = e.name or (e.placeholder or e.before if is_label else "")
        for text, of_field in ((own, is_label), *((option.label, False) for option in e.options)):
            name = normal(text)
            if name not in seen and _NAME.fullmatch(name) and 0 < len(_telling(name)) <= LONGEST:
                seen.add(name)
                yield _Name(name if of_field else " ".join(text.split()), of_field and e.editable)


def _spoken(observation: Observation) -> frozenset[str]:
    texts = [block.text for block in observation.texts]
    for e in observation.elements:
        texts += [e.name, e.hint, e.placeholder or "", e.value or "", *(option.label for option in e.options)]
    return frozenset(word for text in texts for word in tokens(text))


@lru_cache(maxsize=256)
def _swaps(goal: str, names: tuple[_Name, ...], spoken: frozenset[str]) -> tuple[tuple[int, int, str], ...]:
    """Return the spans of the goal to replace, the last first, each with the page's name for it."""
    asks_similar = _ASKS_SIMILAR.search(goal) is not None
    # Where what is similar is asked for, another form of a word is that; else it is the word itself.
    same: Callable[[str], str] = str if asks_similar else stem
    asked = frozenset(map(same, tokens(goal)))
    free = [name for name in names if not frozenset(map(same, _telling(name.text))) <= asked]
    said = spoken if asks_similar else frozenset(s for word in spoken for s in meanings(stem(word)))
    unsaid = _unsaid(goal, lambda word: same(word) in said, types=any(name.of_field for name in names))
    if not free or not unsaid:
        return ()
    alike = likeness([one.words for one in unsaid], [_telling(name.text) for name in free])
    sure = ALIKE + RISE * max(0.0, math.log10(len(free) / FEW_NAMES))
    least, clearer = (ALIKE_AT_ALL, 0.0) if asks_similar else (sure, CLEARER_BY)
    found = [(one.start, one.end, name.text) for one, name in _matched(unsaid, free, alike, least, clearer)]
    return tuple(sorted(found, reverse=True))


def _telling(name: str) -> tuple[str, ...]:
    """Return the words of a name without those that only join others."""
    return tuple(word for word in tokens(name) if word not in STOP_WORDS)


def _matched(
    unsaid: Sequence[_Said], names: Sequence[_Name], alike: NDArray[np.float32], least: float, clearer: float
) -> list[tuple[_Said, _Name]]:  # fmt: skip
    """Return what of the goal is which name, the most alike first: each name once, and no word twice."""
    left = alike.copy()
    # What is less alike than this neither is meant nor makes anything else unclear.
    for i, j in np.argwhere(alike >= least - clearer):
        if not _may_be(unsaid[i], names[j]):
            left[i, j] = 0.0
    taken = []
    while (best := float(left.max())) >= least:
        i, j = divmod(int(left.argmax()), len(names))
        one, rivals = unsaid[i], left.copy()
        rivals[i, j] = 0.0
        apart = [k for k, other in enumerate(unsaid) if one.apart(other)]
        if best - max(rivals[i].max(), rivals[apart, j].max(initial=0.0)) < clearer:
            left[i, j] = 0.0
            continue
        taken.append((one, names[j]))
        left[:, j] = 0.0
        left[[k for k in range(len(unsaid)) if k not in apart]] = 0.0
    return taken


def _may_be(one: _Said, name: _Name) -> bool:
    """Tell whether what is said may be what the page calls so, however alike the two are."""
    told = _telling(name.text)
    if name.of_field and not one.beside_value:
        return False
    # The mean of more words is like anything that a page is about; to confirm is what a sentence begins with.
    if len(told) > len(one.words) or (confirms(tokens(name.text)) and not one.asks):
        return False
    return not _opposite(one.words, told)


def _opposite(one: Iterable[str], other: Iterable[str]) -> bool:
    return any(not _OPPOSITES.get(word, set()).isdisjoint(other) for word in one)


def _unsaid(goal: str, is_said: Callable[[str], bool], *, types: bool) -> list[_Said]:
    """Return the words and pairs of words that name something which the page does not say."""
    values = [(v.start, v.start + len(v.text), v.kind) for v in goal_values(goal) if v.kind in STRONG_KINDS]
    # What is quoted is rather to be typed where something can be; one word with a capital may be a name on the page,
    # several are a name of something else.
    kept = [
        (a, b) for a, b, kind in values if (kind != "capitalised" or " " in goal[a:b]) and (types or kind != "quoted")
    ]
    words = [m for m in _WORD.finditer(goal) if not any(a < m.end() and m.start() < b for a, b in kept)]
    new = {m.start() for m in words if _is_a_name(word := m.group().lower()) and not is_said(word)}

    def said(first: re.Match[str], last: re.Match[str], *texts: str) -> _Said:
        beside = _beside_value(goal, first.start(), last.end(), values)
        return _Said(texts, first.start(), last.end(), beside, _BEGINS.search(goal[: first.start()]) is not None)

    found = [said(m, m, m.group().lower()) for m in words if m.start() in new]
    for one, other in pairwise(words):
        texts = one.group().lower(), other.group().lower()
        second = other.start() in new or stem(texts[1]) in GENERIC_STEMS
        if one.start() in new and second and goal[one.end() : other.start()] == " " and all(map(is_known, texts)):
            found.append(said(one, other, *texts))
    return found


def _is_a_name(word: str) -> bool:
    names_nothing = word in STOP_WORDS | _ASKING or word in NUMBER_WORDS or ordinal(word) is not None
    return not names_nothing and word not in colors.NAMED and stem(word) not in GENERIC_STEMS


def _beside_value(goal: str, start: int, end: int, values: Iterable[tuple[int, int, str]]) -> bool:
    gaps = [goal[b:start] if b <= start else goal[end:a] for a, b, _ in values if b <= start or end <= a]
    return any(_JOINS.issuperset(tokens(gap)) for gap in gaps)
