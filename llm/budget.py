"""A chat model that stops before the money is spent. Knows neither prices nor endpoints: it adds up what calls say."""

from typing import NoReturn

from llm.chat import ChatError, ChatModel, ChatReply, ChatRequest, CostLimitReached, UnpricedCall
from llm.decision import ModelCall


class BudgetedChat:
    """Looks before each call whether there is money left; what a call will cost is not known before it is made, so
    that the last one may go beyond the limit by its own price."""

    def __init__(self, inner: ChatModel, *, episode_usd: float | None = None, run_usd: float | None = None) -> None:
        """Dollars for one episode and for the whole run; None is no limit."""
        self.name = inner.name
        self.spent_usd = 0.0
        """In this episode, as far as prices are known."""
        self._inner = inner
        self._episode_usd = episode_usd
        self._run_usd = run_usd
        self._run_spent_usd = 0.0
        self._unpriced: str | None = None

    def begin_episode(self, run_spent_usd: float = 0.0) -> None:
        """Start an episode of a run that has spent so much before it; what other workers spend meanwhile is not in."""
        self.spent_usd = 0.0
        self._run_spent_usd = run_spent_usd

    def complete(self, request: ChatRequest) -> ChatReply:
        """Return the inner model's answer.

        Raises:
            CostLimitReached: a limit is reached, nothing was asked.
            UnpricedCall: there is a limit and a call's price is unknown; the first such call is in `calls`, and
                nothing is asked from then on.
            UnusableAnswer, ChatError: the inner model's.
        """
        self._look()
        try:
            reply = self._inner.complete(request)
        except ChatError as error:
            self._charge(error.calls)
            raise
        self._charge((reply.call,))
        return reply

    def _look(self) -> None:
        if self._unpriced is not None:
            self._refuse_unpriced(self._unpriced, ())
        if self._run_usd is not None and self._run_spent_usd + self.spent_usd >= self._run_usd:
            raise CostLimitReached(f"The run has spent its limit of ${self._run_usd:g}.", "run")
        if self._episode_usd is not None and self.spent_usd >= self._episode_usd:
            raise CostLimitReached(f"The episode has spent its limit of ${self._episode_usd:g}.", "episode")

    def _charge(self, calls: tuple[ModelCall, ...]) -> None:
        self.spent_usd += sum(call.cost_usd or 0.0 for call in calls)
        if self._run_usd is None and self._episode_usd is None:
            return
        unpriced = next((call.model for call in calls if call.cost_usd is None), None)
        if unpriced is not None:
            self._unpriced = unpriced
            self._refuse_unpriced(unpriced, calls)

    def _refuse_unpriced(self, model: str, calls: tuple[ModelCall, ...]) -> NoReturn:
        raise UnpricedCall(
            f"What {model} costs is unknown, so that no limit of cost can be kept: give a price file, or no limit.",
            calls,
        )
