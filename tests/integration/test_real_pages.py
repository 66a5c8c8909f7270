"""Real applications and real documents, as they are: Django's admin, and the documentation of a large package."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from browsergym.core.task import OpenEndedTask

from browser.actions import ACTIONS, Click, GoBack, Scroll, Select, Type, Wait
from browser.environment import BrowserEnvironment
from browser.render import render

# How often a page that is still being loaded is looked at again.
PATIENCE = 30


class Person:
    """Drives an environment by what stands on the page, as a person would."""

    def __init__(self, env):
        self.env = env
        self.seen, self.info = env.reset(seed=0)

    def act(self, action):
        self.seen, _, _, _, self.info = self.env.step(action)
        assert self.seen.last_action_error is None
        return self.seen

    def id(self, name, role=None, below=None):
        """The first element of that name, below the one named `below`, once it is there."""
        for _ in range(PATIENCE):
            names = [e.name for e in self.seen.elements]
            start = names.index(below) if below in names else 0
            found = [e for e in self.seen.elements[start:] if e.name == name and role in (None, e.role)]
            if found and (below is None or below in names):
                return found[0].id
            self.act(Wait())
        raise AssertionError(f"no {name!r} on:\n{render(self.seen)}")

    def click(self, name, **which):
        return self.act(Click(element_id=self.id(name, **which)))

    def type(self, name, text):
        return self.act(Type(element_id=self.id(name), text=text))

    def has_rows(self, count):
        """Whether the table comes to that many rows."""
        for _ in range(PATIENCE):
            if sum(e.name.startswith("Select this object") for e in self.seen.elements) == count:
                return True
            self.act(Wait())
        return False

    def says(self, words):
        for _ in range(PATIENCE):
            if any(words in t.text for t in self.seen.texts):
                return True
            self.act(Wait())
        return False


@pytest.fixture
def admin(tmp_path, session):
    program = Path(__file__).with_name("django_admin.py")
    server = subprocess.Popen([sys.executable, str(program), str(tmp_path)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
    address = server.stdout.readline().strip()
    assert address, server.stderr.read()
    task = {"start_url": address, "goal": "keep the users in order"}
    env = BrowserEnvironment(
        OpenEndedTask, task_kwargs=task, session=session, actions=tuple(ACTIONS), allow_credentials=True
    )
    yield Person(env)
    env.close()
    server.kill()
    server.communicate()


def test_an_administrator_signs_in_creates_filters_chooses_and_deletes(admin):
    admin.type("Username:", "ann")
    admin.type("Password:", "correct horse")
    assert "correct horse" not in admin.seen.model_dump_json()
    admin.click("Log in")
    assert admin.says("Site administration")

    # Create a group, with one permission moved from the left list to the right.
    admin.click("Groups")
    admin.click("ADD GROUP")
    admin.type("Name:", "Editors")
    lists = [e for e in admin.seen.elements if e.role == "listbox" and e.options]
    admin.act(Select(element_id=lists[0].id, option=lists[0].options[2].label))
    admin.click("Save")
    assert admin.says("was added successfully")

    # Filter the long table of users and search in it.
    admin.click("Users", role="link")
    admin.click("Yes", below="↓ By staff status")
    assert admin.has_rows(51)
    admin.act(Type(element_id=admin.id("Search", role="textbox"), text="user01"))
    admin.click("Search", role="button")
    assert admin.has_rows(3)  # user012, user015 and user018

    # Delete two of them by the action menu, and confirm on the next page.
    boxes = [e for e in admin.seen.elements if e.role == "checkbox" and e.in_viewport][-2:]
    for box in boxes:
        admin.act(Click(element_id=box.id))
    menu = next(e for e in admin.seen.elements if e.role == "combobox")
    admin.act(Select(element_id=menu.id, option="Delete selected users"))
    admin.click("Go")
    assert admin.says("Are you sure")
    admin.click("Yes, I’m sure")
    assert admin.says("Successfully deleted 2 users.")


def test_a_documentation_page_of_more_than_a_megabyte(tmp_path, httpserver, session):
    subprocess.run([sys.executable, "-m", "pydoc", "-w", "numpy.ma"], cwd=tmp_path, check=True, capture_output=True)
    page = (tmp_path / "numpy.ma.html").read_bytes()
    assert len(page) > 1_000_000
    httpserver.expect_request("/numpy").respond_with_data(page, content_type="text/html")
    env = BrowserEnvironment(
        OpenEndedTask, task_kwargs={"start_url": httpserver.url_for("/numpy")}, session=session, actions=tuple(ACTIONS)
    )
    began = time.monotonic()
    reader = Person(env)
    for _ in range(2):
        reader.act(Scroll(direction="down"))
    # A machine with two cores and a load of 15 took 27 s.
    assert time.monotonic() - began < 60
    assert (len(reader.seen.elements), len(reader.seen.texts)) == (400, 120)
    assert reader.seen.omitted.elements > 2000
    assert len(reader.seen.model_dump_json()) < 400_000
    world = env.session.world()
    in_view = [e for e in reader.seen.elements if e.in_viewport and e.covered_by is None and not e.disabled]
    assert len(in_view) >= 3
    before = reader.seen.scroll
    for element in in_view:
        assert "x" in world.act("aim", element.id, None)
    assert env.page.evaluate("scrollY") == before.y
    inner = next(e for e in in_view if e.role == "link" and e.name)
    reader.act(Click(element_id=inner.id))
    if "#" in reader.seen.url:
        assert reader.act(GoBack()).url.endswith("/numpy")
    env.close()
