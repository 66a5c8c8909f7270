"""Word vectors: what is alike, what is not, and that four bits keep it."""

import numpy as np

from agent.embedded.vectors import is_known, likeness, pack, unpack


def test_words_of_like_meaning_are_more_alike_than_others() -> None:
    alike = likeness([["telephone"], ["kids"], ["surname"]], [["phone", "number"], ["children"], ["family", "name"]])
    assert alike.argmax(axis=1).tolist() == [0, 1, 2]
    assert alike.diagonal().min() > 0.5
    assert (alike - np.diag(alike.diagonal())).max() < 0.4


def test_other_forms_of_a_word_stand_for_it_and_names_are_like_nothing() -> None:
    [[same, other]] = likeness([["bunnies"]], [["bunny"], ["qwxzv"]]).tolist()
    assert same > 0.6
    assert other == 0.0
    assert is_known("bunnies")
    assert not is_known("qwxzv")


def test_packing_keeps_each_number_to_half_a_step() -> None:
    vectors = np.random.default_rng(0).uniform(-0.7, 0.7, (5, 8)).astype(np.float32)
    packed = pack(vectors, 0.1)
    assert packed.shape == (5, 4)
    assert np.abs(unpack(packed) * 0.1 - vectors).max() < 0.051
    assert (unpack(pack(np.full((1, 2), 9.0, dtype=np.float32), 0.1)) == 7).all()
