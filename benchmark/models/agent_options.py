"""An agent's options beside its model, from a command line: policy, threshold. Knows no benchmark."""

import math
from typing import Annotated

import typer

from agent.cascade import THRESHOLD
from agent.policy import DEFAULT_POLICY, Policy, PolicyError, parse_policy
from agent.registry import CASCADE, POLICY_SWITCHES
from benchmark.errors import UsageError
from browser.patience import Patience

PolicyText = Annotated[
    str, typer.Option("--policy", help="Rules of the agent to switch or change: guards=off,press_enter=off,...")
]

Threshold = Annotated[
    float | None,
    typer.Option(help=f"Of the cascade: below this probability (default {THRESHOLD:g}) the chat model is asked."),
]


def chosen_threshold(agent: str, threshold: float | None) -> float:
    """Return the threshold that `--threshold` states; the default where it states none.

    Raises:
        UsageError: the agent is no cascade, or this is no threshold.
    """
    if threshold is None:
        return THRESHOLD
    if agent != CASCADE:
        raise UsageError(f"--threshold is for the agent {CASCADE}; leave it out for {agent}.")
    if not threshold >= 0 or math.isinf(threshold):
        raise UsageError(f"--threshold is {threshold:g}; give a probability, or more than 1 for the chat model alone.")
    return threshold


def patience_of(policy: Policy) -> Patience:
    """Return how long an environment waits under this policy."""
    patience = Patience()
    if not policy.wait_in_page:
        patience = patience.model_copy(update={"wait_pauses": ()})
    if not policy.settle_unchanged:
        patience = patience.model_copy(update={"unchanged": ()})
    return patience


def chosen_policy(agent: str, text: str) -> Policy:
    """Return the policy that `--policy` states for this agent.

    Raises:
        UsageError: the agent has no policy, or not this switch, or the text states none.
    """
    if not text.strip():
        return DEFAULT_POLICY
    if agent not in POLICY_SWITCHES:
        raise UsageError(f"The agent {agent} has no policy; --policy is for {', '.join(POLICY_SWITCHES)}.")
    try:
        return parse_policy(text, POLICY_SWITCHES[agent])
    except PolicyError as error:
        raise UsageError(str(error)) from None
