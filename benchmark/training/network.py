"""Fits the embedded model's network to lessons, with jax and optax from the extra `train`. Knows no benchmark.

Deterministic: the same lessons in the same order, and the same settings, make the same weights.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.embedded.facts_in_set import RULE_FACTS
from agent.embedded.facts_of_past import GOAL_FACTS
from agent.embedded.features import FEATURES, RULE_FEATURES
from agent.embedded.scorer import PARTS, forward
from benchmark.errors import UsageError
from benchmark.training.lessons import Lesson
from browser.observation import Frozen

GROUPS: dict[str, Callable[[str], bool]] = {
    "rules": lambda name: name in RULE_FEATURES or name in RULE_FACTS,
    "goal": lambda name: name in GOAL_FACTS,
    "place": lambda name: name.startswith("place_"),
    "tick": lambda name: name.startswith("tick_"),
    "hints": lambda name: name.startswith(("near_hint", "click_hint")),
    "look": lambda name: name.startswith(("look_", "shape_")),
}
"""Features that a training can leave out, by name; without the rules there is no prior either."""
# Rows of a batch, filled up to one of these lengths each: few shapes, few compilations.
_LENGTHS = (16, 32, 64, 128, 256)
_ROWS = 2048
# Keeps a logarithm finite.
_TINY = 1e-6

Arrays = dict[str, Any]


class FitSettings(Frozen):
    """How a network is fitted; goes into the model card."""

    hidden: int = 64
    inner: int = 32
    epochs: int = 30
    rate: float = 2e-3
    decay: float = 0.02
    """Weight decay of the network: it pulls the residual to 0, and so the model to its rules."""
    dropout: float = 0.1
    """Of the features, so that no single one decides."""
    residual: bool = True
    """Without it every choice is the rules', and only how sure they are is learned."""
    judge: float = 0.3
    """How much the judgement whether the goal is reached counts beside the choice."""
    avoid: float = 0.0
    """How much a choice counts that ended an episode without the reward. Even 0.01 cost more right choices than it won:
    where nothing can be done, any choice is the last."""
    leave_out: tuple[str, ...] = ()
    """Of GROUPS."""
    seed: int = 0


@dataclass(frozen=True)
class Fitted:
    """A network, the features it reads, and how the fit went."""

    arrays: dict[str, NDArray[np.float32]]
    names: tuple[str, ...]
    loss: float


def kept_features(leave_out: Sequence[str]) -> tuple[str, ...]:
    """Return FEATURES without those of the groups named.

    Raises:
        UsageError: there is no such group.
    """
    for name in leave_out:
        if name not in GROUPS:
            raise UsageError(f"There is no group of features {name!r}; there are {', '.join(GROUPS)}.")
    return tuple(name for name in FEATURES if not any(GROUPS[group](name) for group in leave_out))


def fit(
    lessons: Sequence[Lesson], settings: FitSettings, on_epoch: Callable[[int, float], object] = lambda n, loss: None
) -> Fitted:
    """Return a network fitted to the lessons.

    Raises:
        UsageError: jax or optax is not installed, or there is no lesson to imitate.
    """
    jax, _ = _libraries()
    if not any(lesson.imitate for lesson in lessons):
        raise UsageError("No episode had the full reward, so that there is nothing to imitate; collect more.")
    names = kept_features(settings.leave_out)
    columns = np.array([FEATURES.index(name) for name in names])
    batches = _batches(lessons, columns)
    random = np.random.default_rng(settings.seed)
    arrays = _start(random, len(names), settings)
    step, begin = _stepper(settings.model_copy(update={"epochs": 1, "seed": 0, "rate": 1.0}), len(names))
    state = begin(arrays)
    key, mean, total = jax.random.PRNGKey(settings.seed), 0.0, settings.epochs * len(batches)
    for epoch in range(settings.epochs):
        losses = []
        for n, index in enumerate(random.permutation(len(batches)), start=epoch * len(batches)):
            key, own = jax.random.split(key)
            rate = settings.rate * 0.5 * (1 + np.cos(np.pi * n / total))
            arrays, state, loss = step(arrays, state, batches[index], own, rate)
            losses.append(loss)
        mean = float(np.mean([float(loss) for loss in losses]))
        on_epoch(epoch + 1, mean)
    done = {part: np.array(value, dtype=np.float32) for part, value in arrays.items()}
    done["w1"] = done["w1"] * _varies(lessons, columns)[:, None]
    return Fitted(done, names, mean)


@cache
def _stepper(settings: FitSettings, features: int) -> tuple[Callable[..., Any], Callable[[Arrays], Any]]:
    """Return what takes one step down the slope, and what makes the state it begins with; compiled once."""
    jax, optax = _libraries()
    decayed = {part: part.startswith(("w", "p2")) for part in PARTS}
    optimizer = optax.adamw(1.0, weight_decay=settings.decay, mask=decayed)

    def loss_of(arrays: Arrays, batch: Arrays, key: Any) -> Any:
        seen = jax.random.bernoulli(key, 1 - settings.dropout, (len(batch["chosen"]), 1, features))
        kept = batch["features"].astype("float32") * seen / (1 - settings.dropout)
        return _loss(jax, arrays, batch | {"features": kept}, settings)

    def step(arrays: Arrays, state: Any, batch: Arrays, key: Any, rate: float) -> tuple[Arrays, Any, Any]:
        loss, slope = jax.value_and_grad(loss_of)(arrays, batch, key)
        slope = slope | {part: 0.0 * slope[part] for part in _fixed(settings)}
        change, state = optimizer.update(slope, state, arrays)
        return optax.apply_updates(arrays, jax.tree.map(lambda one: one * rate, change)), state, loss

    return jax.jit(step), optimizer.init


def _fixed(settings: FitSettings) -> list[str]:
    """Return the parts that stay as they began: at nothing."""
    return ([] if _has_prior(settings) else ["prior"]) + ([] if settings.residual else ["w3"])


def _has_prior(settings: FitSettings) -> bool:
    return "rules" not in settings.leave_out


def _libraries() -> tuple[Any, Any]:
    try:
        import jax
        import optax
    except ModuleNotFoundError as error:
        raise UsageError(f"Training needs {error.name}: make train, or pip install jax optax.") from None
    return jax, optax


def _loss(jax: Any, arrays: Arrays, batch: Arrays, settings: FitSettings) -> Any:
    """Return what a batch's choices and judgements cost, per lesson."""
    xp = jax.numpy
    one = jax.vmap(lambda features, rules, mask: forward(arrays, features, rules, mask, xp))
    logs, reaches = one(batch["features"], batch["rules"], batch["mask"])
    log = xp.take_along_axis(logs, batch["chosen"][:, None], axis=1)[:, 0]
    share = xp.exp(log)
    imitated = -log * batch["imitate"]
    # What became of another choice than the model's own says nothing of it.
    own = jax.lax.stop_gradient(share)
    judged = xp.logaddexp(0.0, xp.where(batch["reached"], -reaches, reaches)) * batch["judge"] * own
    avoided = -xp.log(1 - share + _TINY) * batch["avoid"]
    return (imitated + settings.judge * judged + settings.avoid * avoided).sum() / batch["lessons"]


def _scales(lessons: Sequence[Lesson]) -> dict[str, float]:
    """Return what makes each kind of weight 1 in the mean over all lessons."""
    kinds = ("imitate", "judge", "avoid")
    sums = {kind: sum(getattr(lesson, kind) for lesson in lessons) for kind in kinds}
    return {kind: len(lessons) / total if total else 0.0 for kind, total in sums.items()}


def _start(random: np.random.Generator, features: int, settings: FitSettings) -> Arrays:
    """Return a network that knows nothing yet: its choices are the rules'."""
    hidden, inner = settings.hidden, settings.inner

    def drawn(rows: int, columns: int) -> NDArray[np.float32]:
        return np.asarray(random.standard_normal((rows, columns)) * np.sqrt(2 / rows), dtype=np.float32)

    def zeros(*shape: int) -> NDArray[np.float32]:
        return np.zeros(shape, dtype=np.float32)

    return {
        "prior": np.float32(0.5 if _has_prior(settings) else 0.0),
        "w1": drawn(features, hidden) * np.float32(0.5), "b1": zeros(hidden),
        "w2": drawn(hidden, inner), "p2": drawn(2 * hidden, inner) * np.float32(0.5), "b2": zeros(inner),
        "w3": zeros(inner),
        "w4": drawn(2 * hidden + inner + 2, inner), "b4": zeros(inner), "w5": zeros(inner), "b5": zeros(),
    }  # fmt: skip


def _batches(lessons: Sequence[Lesson], columns: NDArray[np.intp]) -> list[Arrays]:
    """Return the lessons in batches of about _ROWS candidates, those of like length together."""
    scale = _scales(lessons)
    return [_batch([lessons[i] for i in indexes], columns, length, scale) for length, indexes in _grouped(lessons)]


def _grouped(lessons: Sequence[Lesson]) -> Iterator[tuple[int, list[int]]]:
    lengths = [len(lesson.rules) for lesson in lessons]
    for low, high in zip((0, *_LENGTHS), (*_LENGTHS, max(lengths)), strict=True):
        chosen = [i for i, length in enumerate(lengths) if low < length <= high]
        # Spread over the batches, so that no batch holds one task alone.
        count = -(-len(chosen) // _rows(high))
        yield from ((high, chosen[n::count]) for n in range(count))


def _rows(length: int) -> int:
    return max(1, _ROWS // length)


def _batch(
    lessons: Sequence[Lesson], columns: NDArray[np.intp], length: int, scale: Mapping[str, float]
) -> Arrays:  # fmt: skip
    """Return lessons as arrays; rows that only fill up have one candidate and no weight."""
    rows = _rows(length)
    features = np.zeros((rows, length, len(columns)), dtype=np.float16)
    rules = np.zeros((rows, length), dtype=np.float32)
    mask = np.zeros((rows, length), dtype=np.float32)
    mask[:, 0] = 1.0
    told: Arrays = {kind: np.zeros(rows, dtype=np.float32) for kind in scale}
    chosen, reached = np.zeros(rows, dtype=np.int32), np.zeros(rows, dtype=bool)
    for i, lesson in enumerate(lessons):
        n = len(lesson.rules)
        features[i, :n], rules[i, :n], mask[i, :n] = lesson.features[:, columns], lesson.rules, 1.0
        chosen[i], reached[i] = lesson.chosen, lesson.reached
        for kind, factor in scale.items():
            told[kind][i] = getattr(lesson, kind) * factor
    told |= {"chosen": chosen, "reached": reached, "lessons": np.float32(len(lessons))}
    return {"features": features, "rules": rules, "mask": mask, **told}


def _varies(lessons: Sequence[Lesson], columns: NDArray[np.intp]) -> NDArray[np.float32]:
    """Return 1 for each feature that was ever there, 0 for one that was not: of it nothing was learned."""
    seen = np.zeros(len(columns), dtype=bool)
    for lesson in lessons:
        seen |= (lesson.features[:, columns] != 0).any(axis=0)
    return seen.astype(np.float32)
