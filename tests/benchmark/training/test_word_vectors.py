"""Word vectors made from a table of words: which are kept, and what is left of them."""

import json
from pathlib import Path

import numpy as np
import pytest

from agent.embedded.vectors import unpack
from benchmark.training.word_vectors import main

# The most common first: two meanings, a name, and forms of the first word, near and far.
WORDS = {"boat": (9, 1, 0), "grape": (0, 9, 1), "boats": (9, 1, 1), "boating": (0, 1, 9), "london": (5, 5, 5)}


def files(folder: Path) -> list[str]:
    vectors, words = folder / "vectors.json", folder / "words.txt"
    table = {word: [*numbers, 0, 0] for word, numbers in WORDS.items()}
    vectors.write_text(json.dumps({"dimensions": 3, "words": list(WORDS), "vectors": table}))
    words.write_text("boat\nboats\nboating\ngrape\n")
    return [str(vectors), str(words)]


def test_words_are_kept_without_names_and_forms_that_mean_the_same(tmp_path: Path) -> None:
    out = tmp_path / "made.npz"
    assert main([*files(tmp_path), "--out", str(out), "--dimensions", "2"]) == 0
    with np.load(out) as made:
        assert made["words"].tobytes().decode().split("\n") == ["boat", "grape", "boating"]
        rows = unpack(made["vectors"]).astype(float)
    assert rows.shape == (3, 2)
    assert np.abs(rows).max() == 7
    assert rows[0] @ rows[1] < 0


def test_other_files_are_refused_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vectors, words = files(tmp_path)
    assert main([words, vectors]) == 2
    assert "These are not the two files" in capsys.readouterr().err
