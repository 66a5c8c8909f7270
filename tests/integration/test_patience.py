"""Rules W1, W2 and B1 of the policy: what the environment does before a model is asked again."""

import pytest

from browser.actions import Click, Type, Wait
from browser.patience import Patience

# Stirs the document ten times a second without changing anything that a reader sees.
SPINNER = "<i id=spin></i><script>setInterval(() => spin.dataset.turn = performance.now(), 100)</script>"
WAITED = "The page did not change in 3 s of waiting; waiting longer is of no use."


def spent(page):
    return page.info["timings"]


@pytest.mark.parametrize("stir", ["", SPINNER], ids=["still", "stirring"])
def test_w1_a_wait_is_spent_in_the_page_until_it_changes(open_page, stir):
    page = open_page(f"{stir}<p id=t>old</p><script>setTimeout(() => t.textContent = 'new', 1500)</script>")
    seen = page.act(Wait())
    assert (page.texts(), seen.last_action_error) == (["new"], None)


@pytest.mark.parametrize("stir", ["", SPINNER], ids=["still", "stirring"])
def test_w1_all_waits_in_a_row_share_one_budget_that_is_not_granted_again(open_page, stir):
    page = open_page(f"{stir}<button onclick='t.textContent += 1'>Go</button><p id=t>old</p>")
    seen = page.act(Wait())
    assert seen.last_action_error == WAITED
    assert 2_900 < spent(page).act_ms < 4_000
    assert page.act(Wait()).last_action_error == WAITED
    assert spent(page).act_ms < 500, "nothing is left to wait"
    page.act(Click(element_id=1))
    page.act(Wait())
    assert spent(page).act_ms > 2_900, "something else was done meanwhile"


def test_w1_what_changed_while_the_model_thought_ends_the_wait_at_once(open_page):
    page = open_page("<p id=t>old</p>")
    page.js("void (t.textContent = 'new')")
    seen = page.act(Wait())
    assert (page.texts(), seen.last_action_error) == (["new"], None)
    assert spent(page).act_ms < 400


def test_w1_off_asks_again_after_one_look(open_page):
    page = open_page("<p>still</p>", patience=Patience(wait_pauses=()))
    seen = page.act(Wait())
    assert seen.last_action_error is None
    assert spent(page).act_ms < 400


def test_w2_after_an_action_without_effect_the_page_gets_a_moment_and_more_each_time(open_page):
    page = open_page("<button>Dead</button>")
    waits = []
    for _ in range(4):
        page.act(Click(element_id=1))
        waits.append(spent(page).act_ms)
    for waited, least in zip(waits, (250, 500, 1_000, 1_000), strict=True):
        assert least <= waited < least + 900


def test_w2_a_late_effect_is_seen_in_the_same_step(open_page):
    page = open_page(
        "<button onclick=\"setTimeout(() => t.textContent = 'new', 700)\">Late</button><p id=t>old</p>",
        path="/late",
        patience=Patience(unchanged=(2_000,)),
    )
    page.act(Click(element_id=page.id("Late")))
    assert page.texts() == ["new"]
    assert spent(page).act_ms < 2_000
    off = open_page(
        "<button onclick=\"setTimeout(() => t.textContent = 'new', 700)\">Late</button><p id=t>old</p>",
        path="/off",
        patience=Patience(unchanged=()),
    )
    off.act(Click(element_id=off.id("Late")))
    assert off.texts() == ["old"]


def test_w2_a_dialog_is_an_effect_and_is_told(open_page):
    page = open_page("<button onclick='alert(1)'>Ask</button>")
    seen = page.act(Click(element_id=1))
    assert [d.message for d in seen.dialogs] == ["1"]
    assert spent(page).act_ms < 250 + 200


def test_w2_an_action_that_changed_something_waits_for_nothing(open_page):
    page = open_page("<button onclick='t.textContent += 1'>Go</button><p id=t>1</p>")
    for _ in range(3):
        page.act(Click(element_id=1))
        assert spent(page).act_ms < 250


COMBOBOX = """<input id=c role=combobox aria-expanded=false aria-label=City><ul id=l role=listbox></ul><script>
c.oninput = () => setTimeout(() => setTimeout(() => {
  l.innerHTML = '<li role=option>Paris</li>'; c.ariaExpanded = 'true' }, 100), 400)</script>"""


def test_p1_after_typing_into_a_combobox_its_options_are_waited_for(open_page):
    page = open_page(COMBOBOX)
    seen = page.act(Type(element_id=page.id("City"), text="Par"))
    assert ("option", "Paris") in [(e.role, e.name) for e in seen.elements]
    off = open_page(COMBOBOX, path="/off", patience=Patience(options=0))
    seen = off.act(Type(element_id=off.id("City"), text="Par"))
    assert "option" not in [e.role for e in seen.elements]


def test_p1_options_that_never_come_are_waited_for_once_and_a_plain_field_for_none(open_page):
    page = open_page("<input role=combobox aria-expanded=false aria-label=City><input aria-label=Street>")
    page.act(Type(element_id=page.id("City"), text="Par"))
    assert 900 <= spent(page).act_ms < 2_000
    page.act(Type(element_id=page.id("Street"), text="Rue"))
    assert spent(page).act_ms < 300


REDRAWN = """<ul id=list></ul><p id=said>nothing</p><script>
function draw() { list.innerHTML = ['Ada', 'Bob'].map((n) => `<li><span>${n}</span> <button>Call ${n}</button>
  <button>Drop</button></li>`).join('');
  for (const b of list.querySelectorAll('button')) b.onclick = () => {
    said.textContent = b.textContent + ' of ' + b.parentNode.firstChild.textContent } }
draw()</script>"""


def drop_of_bob(page):
    return [e.id for e in page.observation.elements if e.name == "Drop"][1]


def test_b1_an_element_that_was_drawn_anew_is_found_by_role_and_name(open_page):
    page = open_page(REDRAWN)
    call, drop = page.id("Call Bob"), drop_of_bob(page)
    page.js("draw()")
    seen = page.act(Click(element_id=call))
    assert (seen.last_action_error, page.js("said.textContent")) == (None, "Call Bob of Bob")
    assert page.id("Call Bob") != call
    seen = page.act(Click(element_id=drop))
    assert seen.last_action_error is not None, "the observation that the agent acts on no longer has that number"


def test_b1_of_namesakes_the_one_in_the_same_group_is_found(open_page):
    page = open_page(REDRAWN)
    drop = drop_of_bob(page)
    page.js("draw()")
    seen = page.act(Click(element_id=drop))
    assert (seen.last_action_error, page.js("said.textContent")) == (None, "Drop of Bob")


@pytest.mark.parametrize("left", ["", "<button>Go</button><button>Go</button>"], ids=["gone", "two"])
def test_b1_what_cannot_be_told_is_not_guessed_and_the_page_is_shown(open_page, left):
    page = open_page("<div id=d><button>Go</button></div><p>here</p>")
    page.js(f"void (d.innerHTML = '{left}')")
    seen = page.act(Click(element_id=1))
    assert seen.last_action_error == "Element 1 is no longer on the page; look at its rows again."
    assert len(seen.elements) == left.count("<button")
    assert spent(page).act_ms < 2_000, "a lost element is told fast"
