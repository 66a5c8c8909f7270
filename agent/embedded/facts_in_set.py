"""How each candidate stands to the others of its tick: by the rules' score, and by what it shares with the goal."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Of these also by how much a candidate falls behind the best of its operation.
COMPARED = (
    "name_share", "name_of_goal", "name_rare", "near_scope_share", "near_before_share", "near_hint_share",
    "near_label_share", "value_share", "meant_any", "number_gap",
)  # fmt: skip
RULE_FACTS = (
    "rule_score",
    "rule_behind",
    "rule_behind_alike",
    "rule_rank",
    "rule_lead",
    "rule_share",
    "rule_share_alike",
)
SET_FACTS: tuple[str, ...] = (*RULE_FACTS, "set_alike", *(f"behind_{name}" for name in COMPARED))
# The rules' scores run to 20 and further apart than a network likes; this many are one.
_SCALE = 5.0
_LIMIT = 3.0
# Candidates of one operation: the logarithm of 150 is 5.
_LOG_LIMIT = 5.0

Matrix = NDArray[np.float32]


def set_facts(scores: NDArray[np.float64], operations: Sequence[str], compared: Matrix) -> Matrix:
    """Return the facts of each candidate in the set, in the order of SET_FACTS.

    Args:
        scores: the rules' score of each candidate.
        compared: the columns named in COMPARED.
    """
    n = len(scores)
    _, group = np.unique(np.array(operations), return_inverse=True)
    best = scores.max()
    best_alike = _best(scores, group)
    order = np.empty(n)
    order[np.argsort(-scores, kind="stable")] = np.arange(n)
    second = np.partition(scores, n - 2)[n - 2] if n > 1 else best
    shares = np.exp(scores - best)
    raised = np.exp(scores - best_alike[group])
    total_alike = np.bincount(group, weights=raised)
    alike = np.bincount(group)[group]
    columns = [
        np.clip(scores / _SCALE, -_LIMIT, _LIMIT),
        np.clip((scores - best) / _SCALE, -_LIMIT, 0.0),
        np.clip((scores - best_alike[group]) / _SCALE, -_LIMIT, 0.0),
        1 / (1 + order),
        np.where(order == 0, np.clip((best - second) / _SCALE, 0.0, _LIMIT), 0.0),
        shares / shares.sum(),
        raised / total_alike[group],
        np.log(alike) / _LOG_LIMIT,
    ]
    behind = [compared[:, i] - _best(compared[:, i], group)[group] for i in range(compared.shape[1])]
    return np.stack([*columns, *behind], axis=1).astype(np.float32)


def _best(values: NDArray[np.floating], group: NDArray[np.intp]) -> NDArray[np.floating]:
    """Return the greatest value of each group."""
    best = np.full(int(group.max()) + 1, -np.inf, dtype=values.dtype)
    np.maximum.at(best, group, values)
    return best
