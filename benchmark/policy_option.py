"""The policy of an agent as a command line gives it. Knows no benchmark."""

from typing import Annotated

import typer

from agent.policy import DEFAULT_POLICY, Policy, PolicyError, parse_policy
from agent.registry import POLICY_SWITCHES
from benchmark.errors import UsageError

PolicyText = Annotated[
    str, typer.Option("--policy", help="Rules of the agent to switch or change: guards=off,press_enter=off,...")
]


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
