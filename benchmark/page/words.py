"""One episode in words as it happens, for a terminal: each step, then how it ended. Knows no benchmark.

Whatever a page or a model wrote loses its control characters: it can neither move the cursor nor colour a line.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from agent.history import action_words, one_line
from agent.loop import EndReason
from agent.tick import PastStep
from benchmark.records.rows import EpisodeRecord, StepRecord, total
from browser.render import UNPRINTABLE, render
from llm.decision import ModelCall

# Characters of an address, a reason or an error on its line.
LINE_CHARS = 240
# Tokens of the page that --show-table prints: more than a screen is no longer read.
TABLE_TOKENS = 4_000
# Other choices of a decision model that are named.
OTHERS = 2

ENDS: Mapping[EndReason, str] = {
    "success": "the task is solved",
    "finished": "the agent says that it is done; nothing here checks that",
    "failed": "the page ended the task",
    "wrong_finish": "the agent says that it is done, and it is not",
    "max_steps": "all steps are used up; --max-steps allows more",
    "loop": "the agent went round in circles",
    "bad_output": "the model gave no valid answer, even when asked again",
    "blocked": "the agent sees nothing that would help",
    "infeasible_reported": "the agent says that it cannot be done",
    "cost_limit": "the money for it is spent; --max-cost-episode allows more",
    "agent_timeout": "the time for it is up",
    "browser_crash": "the browser is gone",
    "environment_error": "the page did not open or could not be read",
    "model_error": "the model did not answer",
    "infra_timeout": "it hung and was ended from outside",
    "cancelled": "the run was stopped",
    "contaminated": "the site was not as the task begins",
}


class Line(NamedTuple):
    """One line, and how it stands out: "head", "main", "soft" or "bad"."""

    text: str
    kind: str = "soft"


def step_lines(row: StepRecord, *, table: bool) -> Iterator[Line]:
    """Yield what there is to say of one step: where, what was decided, why, what it did, what it took."""
    yield Line("")
    yield Line(f"Step {row.index + 1}  {_shown(row.url)}  ({_where(row)})", "head")
    if table and row.observation is not None:
        rows = render(row.observation, TABLE_TOKENS).split("\n")
        yield from (Line(f"    {UNPRINTABLE.sub('', text)}") for text in rows)
    yield Line(f"  {_decided(row)}", "main")
    yield Line(f"  why:  {_why(row)}")
    if row.note:
        yield Line(f"  note: {_shown(row.note)}")
    if row.plan is not None and row.plan.current is not None:
        yield Line(f"  plan: {_shown(row.plan.current.text)} ({row.plan.completed} of {len(row.plan.steps)} done)")
    if row.action is not None:
        yield Line(f"  did:  {_did(row)}", "bad" if row.last_action_error else "soft")
    yield Line(f"  took: {_took(row)}")


def ending_lines(record: EpisodeRecord, answer: str | None) -> Iterator[Line]:
    """Yield how an episode ended: the agent's answer, the reason, and what it took."""
    yield Line("")
    if answer is not None:
        yield Line(f"Answer   {_clean(answer) or '(the agent gave no words)'}", "main")
    why = f": {_shown(record.error)}" if record.error else ""
    if record.error and record.goal is None:
        why = f"{why.rstrip('.')}. Is the address right, and its server running?"
    yield Line(f"End      {record.end.replace('_', ' ')} - {ENDS[record.end]}{why}", "bad" if record.error else "main")
    spent = [_tokens(record.input_tokens, record.cached_tokens, record.output_tokens), _dollars(record.cost_usd)]
    free = (record.input_tokens, record.output_tokens) == (0, 0)
    parts = [_count(record.steps, "step"), f"{record.seconds:.1f} s", *([] if free else spent)]
    yield Line(f"Took     {', '.join(parts)}")


def _where(row: StepRecord) -> str:
    title = f'"{_shown(row.observation.title)}", ' if row.observation and row.observation.title else ""
    return title + _count(row.n_elements, "element")


def _decided(row: StepRecord) -> str:
    if row.action is None:
        return f"stop: {str(row.end).replace('_', ' ')}"
    element_id = getattr(row.action, "element_id", None)
    element = row.observation.element(element_id) if row.observation and element_id is not None else None
    role, name = (element.role, element.name) if element else ("", "")
    return _shown(action_words(PastStep(action=row.action, role=role, name=name, page_changed=False)))


def _why(row: StepRecord) -> str:
    detail = row.detail
    if detail is None:
        return _shown(row.reason) or "no reason given"
    probability = detail.operation_probability * detail.target_probability
    heads = f"{detail.operation} {detail.operation_probability:.2f} x its target {detail.target_probability:.2f}"
    others = [f"{_shown(other.label)} {other.probability:.2f}" for other in detail.runners_up[:OTHERS]]
    source = f"; text: {detail.text_source.replace('_', ' ')}" if detail.text_source else ""
    rather = f"; rather than {', '.join(others)}" if others else ""
    said = f"{_shown(row.reason)}: " if row.action is None else ""
    return f"{said}p {probability:.2f} ({heads}) of {_count(detail.candidates, 'candidate')}{source}{rather}"


def _did(row: StepRecord) -> str:
    if row.last_action_error:
        return f"failed: {_shown(row.last_action_error)}"
    moving = "" if row.settled else ", and was still moving"
    return f"the page {'changed' if row.page_changed else 'did not change'}{moving}"


def _took(row: StepRecord) -> str:
    parts = [f"{_ms(row.decide_ms)} to decide"]
    parts += [f"{_ms(row.timings.total_ms)} in the browser"] if row.action is not None else []
    return ", ".join([*parts, *_spent(row.calls)])


def _spent(calls: Sequence[ModelCall]) -> list[str]:
    """Return tokens and dollars of calls; nothing where no tokens were needed."""
    usages = [call.usage for call in calls]
    tokens_in, tokens_out = total(u.input_tokens for u in usages), total(u.output_tokens for u in usages)
    if not calls or (tokens_in, tokens_out) == (0, 0):
        return []
    tokens = _tokens(tokens_in, total(u.cached_tokens for u in usages), tokens_out)
    return [_count(len(calls), "call"), tokens, _dollars(total(call.cost_usd for call in calls))]


def _tokens(tokens_in: int | None, cached: int | None, tokens_out: int | None) -> str:
    if tokens_in is None:
        return "tokens unknown"
    parts = f"{tokens_in:,} tokens in" + (f" ({cached:,} cached)" if cached else "")
    return f"{parts}, {'unknown' if tokens_out is None else f'{tokens_out:,}'} out"


def _dollars(cost_usd: float | None) -> str:
    return "cost unknown" if cost_usd is None else f"${cost_usd:.4f}"


def _ms(ms: float) -> str:
    if ms >= 1000:
        return f"{ms / 1000:.1f} s"
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.1f} ms"


def _count(n: int, thing: str) -> str:
    return f"{n} {thing}{'' if n == 1 else 's'}"


def _shown(text: str) -> str:
    return one_line(_clean(text), LINE_CHARS)


def _clean(text: str) -> str:
    """Return a text without control characters, its lines and tabs as spaces."""
    return UNPRINTABLE.sub("", " ".join(text.split())).strip()
