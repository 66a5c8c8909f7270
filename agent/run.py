"""What one run of the decision agent owns beside its past: it is made with a goal and ends with it (rule S1)."""

from agent.agent import WithoutText
from agent.candidates import takes_text
from agent.drafts import Drafts
from agent.guards import Advice
from agent.recovery import Recovered, Recovery
from agent.tick import Candidate, PastStep, Tick
from agent.values import TextSource
from browser.observation import InteractiveElement, Observation
from llm.decision import ModelCall


class Run:
    """The work in the background of one run. A new goal, a reset or an end cancels it and begins another."""

    def __init__(self, number: int = 0, drafts: Drafts | None = None, recovery: Recovery | None = None) -> None:
        self.number = number
        """Of the history that it belongs to."""
        self.drafts = drafts
        self.recovery = recovery

    def cancel(self) -> None:
        """End what is under way; nothing of it reaches the next run."""
        if self.drafts is not None:
            self.drafts.cancel()

    @property
    def since(self) -> int:
        """Where in the past the guards begin to count."""
        return self.recovery.since if self.recovery else 0

    def recover(self, observation: Observation, past: tuple[PastStep, ...], advice: Advice) -> Recovered:
        """Return what recovery makes of this turn; nothing where it is off."""
        return self.recovery.turn(observation, past, advice) if self.recovery else Recovered()

    def write_ahead(self, tick: Tick) -> None:
        """Begin the texts that this tick's candidates may need."""
        if self.drafts is None:
            return
        wanted = {c.element_id for c in tick.candidates if c.text_source == "writer"}
        fields = [e for e in tick.observation.elements if e.id in wanted]
        self.drafts.see(tick.observation, tick.history, fields)

    def unwritten(self, observation: Observation) -> frozenset[int]:
        """Return the fields for which the writer gave no text."""
        return self.drafts.refused(observation) if self.drafts else frozenset()

    def text(self, tick: Tick, chosen: Candidate) -> str | None:
        """Return the text that the writer gives for the chosen field; None where it gives none.

        Raises:
            ChatError, Unanswered: as `Writer.write`.
        """
        field = tick.observation.element(chosen.element_id or 0)
        assert self.drafts is not None, "a text to be written without a writer"
        assert field is not None, "a candidate for an element that is not there"
        return self.drafts.text(tick.observation, tick.history, field).text

    def told(self) -> tuple[ModelCall, ...]:
        """Return the writer's calls that ended since this was asked last."""
        return self.drafts.told() if self.drafts else ()

    def without_text(self, tick: Tick) -> tuple[WithoutText, ...]:
        """Return the empty fields that have no text, or none but loose words of the goal, each with the reason (T1)."""
        served = {c.element_id for c in tick.candidates if c.operation == "TYPE"} - self.unwritten(tick.observation)
        fields = [
            e
            for e in tick.observation.elements
            if takes_text(e) and not e.filled and not e.disabled and e.covered_by is None and e.id not in served
        ]
        return tuple(WithoutText(element_id=field.id, why=self._why(tick, field)) for field in fields)

    def _why(self, tick: Tick, field: InteractiveElement) -> TextSource:
        if field.credential:
            return "refused_credential"
        written = self.drafts.why(tick.observation, field) if self.drafts else None
        return written.source if written and written.text is None else "no_writer"
