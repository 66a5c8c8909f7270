"""The learned part of the embedded model: a small network over the candidates of a tick. numpy only at run time.

A candidate's score is the rules' score times a learned factor, plus a residual that the network reads from the
candidate's features and from all candidates pooled. Beside the candidates stands "none of these", with a logit of its
own: how likely it is that no choice from here on reaches the goal.
"""

import hashlib
import json
import operator
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.embedded.features import FEATURES

# Raise it when `forward` changes its meaning: older weights no longer fit.
FORMAT = 1
SHIPPED = Path(__file__).with_name("weights.npz")
LEARNED = Path(__file__).with_name("learned.npz")
"""A network that was fitted without the rules, to show what learning alone comes to."""
PARTS = ("prior", "w1", "b1", "w2", "p2", "b2", "w3", "w4", "b4", "w5", "b5")
"""The arrays of a network; `prior` is the factor of the rules' score."""
# Smaller than any score, and still a number.
_NEVER = -1e9
# Multiplications in one product; OpenBLAS, which numpy brings along, starts threads above 262,144.
_BLOCK = 200_000

Arrays = Mapping[str, Any]


class WeightsError(Exception):
    """A file holds no weights that this code can use; the message says what to do."""


def forward(
    arrays: Arrays, features: Any, rules: Any, mask: Any, xp: Any = np, product: Any = operator.matmul
) -> tuple[Any, Any]:
    """Return the log probability of each candidate, and the logit of "one of these reaches the goal".

    Args:
        arrays: the PARTS.
        features: shape (candidates, features).
        rules: the rules' scores, shape (candidates,).
        mask: 1 for a candidate, 0 for a row that only fills up.
        xp: numpy, or a library with its functions that can differentiate.
        product: multiplies matrices.
    """
    hidden = xp.maximum(product(features, arrays["w1"]) + arrays["b1"], 0.0) * mask[:, None]
    pooled = xp.concatenate([hidden.sum(axis=0) / mask.sum(), hidden.max(axis=0)])
    inner = xp.maximum(product(hidden, arrays["w2"]) + pooled @ arrays["p2"] + arrays["b2"], 0.0)
    scores = xp.where(mask > 0, arrays["prior"] * rules + inner @ arrays["w3"], _NEVER)
    scores = scores - scores.max()
    logs = scores - xp.log(xp.exp(scores).sum())
    shares = xp.exp(logs)
    spread = -(shares * xp.where(mask > 0, logs, 0.0)).sum()
    about = xp.concatenate([pooled, shares @ inner, xp.stack([shares.max(), spread])])
    reaches = xp.maximum(about @ arrays["w4"] + arrays["b4"], 0.0) @ arrays["w5"] + arrays["b5"]
    return logs, reaches


class Scorer:
    """A network with the names of the features that it reads."""

    def __init__(self, arrays: Arrays, names: Sequence[str]) -> None:
        """Take the PARTS and the features they were made for.

        Raises:
            WeightsError: a feature that this code does not have.
        """
        unknown = [name for name in names if name not in FEATURES]
        if unknown:
            raise WeightsError(
                f"The weights read the feature {unknown[0]!r}, which this release does not have; train anew with "
                "make train, or use the release that made them."
            )
        self.arrays = {part: np.asarray(arrays[part], dtype=np.float32) for part in PARTS}
        self.names = tuple(names)
        self.digest = digest(self.arrays, self.names)
        self._columns = [FEATURES.index(name) for name in names]
        self._all = len(self._columns) == len(FEATURES) and self._columns == sorted(self._columns)

    def probabilities(self, features: NDArray[np.float32], rules: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each candidate; what is left to 1 is that of none of them.

        Args:
            features: all FEATURES of each candidate.
            rules: the rules' scores.
        """
        read = features if self._all else features[:, self._columns]
        ones = np.ones(len(rules), dtype=np.float32)
        logs, reaches = forward(self.arrays, read, rules.astype(np.float32), ones, product=_in_blocks)
        shares = np.exp(logs.astype(np.float64))
        result: NDArray[np.float64] = shares / shares.sum() / (1 + np.exp(-float(reaches)))
        return result


def _in_blocks(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the product of two matrices, of a few rows at a time, so that no library spreads it over threads.

    On a busy machine, waiting for another thread costs more than the whole product.
    """
    rows = max(1, _BLOCK // max(1, right.size))
    blocks = [left[start : start + rows] @ right for start in range(0, len(left), rows)]
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def feature_hash(names: Sequence[str]) -> str:
    """Return 16 hex digits that stand for a list of features in its order."""
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]


def digest(arrays: Arrays, names: Sequence[str]) -> str:
    """Return 8 hex digits that stand for weights: two models of the same digest decide alike."""
    state = hashlib.sha256(feature_hash(names).encode())
    for part in PARTS:
        state.update(np.ascontiguousarray(arrays[part]).tobytes())
    return state.hexdigest()[:8]


def save(path: Path, arrays: Arrays, names: Sequence[str]) -> None:
    """Write weights; the same ones make the same bytes."""
    head = {"format": FORMAT, "features": list(names), "feature_hash": feature_hash(names)}
    text = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    floats: dict[str, Any] = {part: np.asarray(arrays[part], dtype=np.float32) for part in PARTS}
    with path.open("wb") as file:
        np.savez(file, head=text, **floats)


def load(path: Path = SHIPPED) -> Scorer:
    """Return the weights in a file.

    Raises:
        WeightsError: it cannot be read, is none of ours, or was made for features that this code does not have.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            head = json.loads(stored["head"].tobytes())
            arrays = {part: stored[part] for part in PARTS}
        names, made_for, form = head["features"], head["feature_hash"], head["format"]
    except OSError as error:
        reason = error.strerror or "no file of weights"
        raise WeightsError(f"The weights in {path} cannot be read: {reason}; make train makes some.") from None
    except (ValueError, KeyError, EOFError, TypeError):
        raise WeightsError(f"{path} holds no weights of the embedded model; make train makes some.") from None
    if form != FORMAT:
        raise WeightsError(f"The weights in {path} are of format {form}, not {FORMAT}; train anew with make train.")
    if feature_hash(names) != made_for:
        raise WeightsError(f"The list of features in {path} is not the one its weights were made for; train anew.")
    return Scorer(arrays, names)
