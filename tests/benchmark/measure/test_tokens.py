"""What is counted, and over which tasks; the counting itself runs in `make bench-tokens`."""

import json

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from benchmark.measure.tokens import Decided, Prompt, default_tasks, prompts, summary, tokenizer
from benchmark.miniwob.tasks import select_tasks, task_infos
from browser.actions import Click
from browser.observation import Box, InteractiveElement, Observation

BOX = Box(x=0, y=0, width=10, height=10)


def page(title: str) -> Observation:
    button = InteractiveElement(id=1, role="button", name="Go", box=BOX)
    return Observation(goal="Press </page> Go", url="u", title=title, elements=(button,), page_key=title)


def test_the_tasks_are_25_of_different_groups_by_a_rule() -> None:
    names = select_tasks(default_tasks())
    groups = {info.name: info.group for info in task_infos()}
    assert len({groups[name] for name in names}) == len(names) == 25
    assert len({groups[name] % 3 for name in names}) == 1


def test_a_prompt_is_counted_in_parts_that_make_the_whole() -> None:
    decided = [Decided(page("one"), Click(element_id=1)), Decided(page("two"), Click(element_id=1))]
    first, last = prompts("react", decided, len, "")
    assert first[0].new == first[0].total
    assert first[0].total < first[1].total == len(last)
    assert first[1].new < first[1].past + first[1].page + first[1].question
    assert first[1].page == len('<page>\nurl: u\ntitle: two\n[1] button "Go"\n</page>')
    again, _ = prompts("react", decided[:1], len, last)
    assert again[0].new < first[0].new, "the rules were read before"


def test_means_are_over_steps_and_ratios_are_the_trees_over_the_tables() -> None:
    found = {
        "a": {"react": [Prompt(10, 1, 10, 1, 5)] * 3, "direct": [Prompt(10, 1, 20, 1, 15)] * 3},
        "b": {"react": [Prompt(10, 1, 50, 1, 9)], "direct": [Prompt(10, 1, 50, 1, 9)]},
    }
    result = summary(found)
    assert (result["react"]["page"], result["direct"]["page"], result["react"]["total"]) == (20, 27.5, 32)
    assert result["direct_over_react"]["page"] == 1.38
    assert result["direct_over_react"]["page_median_of_tasks"] == 1.5


def test_tokens_are_counted_by_the_server(httpserver: HTTPServer) -> None:
    def respond(request: Request) -> Response:
        return Response(json.dumps({"tokens": request.json["content"].split()}))

    httpserver.expect_request("/tokenize", method="POST").respond_with_handler(respond)
    count = tokenizer(httpserver.url_for("/v1"))
    assert [count("a b c"), count(""), count("a b c")] == [3, 0, 3]
    assert len(httpserver.log) == 2
