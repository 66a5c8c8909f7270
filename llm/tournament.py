"""Probabilities of more options than one vote can hold, from several votes. Knows neither questions nor models."""

import math
from collections.abc import Callable, Generator, Sequence

Shares = dict[str, float]
"""Option id -> probability; they sum to 1."""
Votes = Generator[Sequence[str], Shares, Shares]
"""Yields the options of each vote, is sent what the vote gave, and returns the shares of all options."""


def tournament(options: Sequence[str], size: int) -> Votes:
    """Return the votes that decide between any number of options, each over at most `size`, which is at least 2.

    Where they do not fit one vote, groups of near equal size vote first, then their winners. Within a group options
    keep their ratios, and the winners have those of the last vote: so the winner of all is the most probable, and all
    sum to 1. It assumes that two options' ratio does not depend on the others that stand beside them.
    """
    if len(options) <= size:
        return (yield options)
    heats = []
    for group in _groups(options, size):
        heats.append((yield group))
    winners = [likeliest(heat) for heat in heats]
    final = yield from tournament(winners, size)
    shares = {
        option: final[winner] * share / heat[winner]
        for heat, winner in zip(heats, winners, strict=True)
        for option, share in heat.items()
    }
    total = math.fsum(shares.values())
    return {option: shares[option] / total for option in options}


def decide(options: Sequence[str], size: int, vote: Callable[[Sequence[str]], Shares]) -> Shares:
    """Return the shares of all options, with `vote` called for each vote."""
    votes = tournament(options, size)
    try:
        asked = next(votes)
        while True:
            asked = votes.send(vote(asked))
    except StopIteration as done:
        return dict(done.value)


def likeliest(shares: Shares) -> str:
    """Return the most probable option; the first of those that tie."""
    return max(shares, key=lambda option: shares[option])


def _groups(options: Sequence[str], size: int) -> list[Sequence[str]]:
    count = math.ceil(len(options) / size)
    bounds = [n * len(options) // count for n in range(count + 1)]
    return [options[first:last] for first, last in zip(bounds, bounds[1:], strict=False)]
