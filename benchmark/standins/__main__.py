"""Stand-in sites by hand: `python -m benchmark.standins up`, then `reset`, `status`, `down`; `build` makes them."""

import os
from typing import Annotated

import typer

from benchmark.command import ALL_SCORED, NOT_ALL_SCORED, run_command
from benchmark.standins.environment import FOLDER, PYTHON_VARIABLE, build, install
from benchmark.standins.instance import Instance
from benchmark.standins.instances import changes, kept, start_kept, stop_kept
from benchmark.webarena.reset import VARIABLE, reset_sites
from benchmark.webarena.sites import LEFT_OUT

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)

Count = Annotated[int, typer.Option(help="How many instances, each on databases of its own.", min=1)]


@app.command("build")
def build_command() -> int:
    """Install the sites and build their databases, if that is not done."""
    _built()
    return ALL_SCORED


@app.command()
def up(workers: Count = 1) -> int:
    """Start instances that run until `down`, and print the variables of the first for a shell."""
    _built()
    instances = [start_kept(number) for number in range(workers)]
    for line in variables(instances[0]):
        typer.echo(line)
    for number, instance in enumerate(instances[1:], 1):
        typer.echo(f"# {number}: {_where(instance)}")
    return ALL_SCORED


@app.command()
def reset() -> int:
    """Put the databases of all running instances back to how they were built."""
    for number, instance in kept().items():
        typer.echo(f"{number}: reset, now {reset_sites(instance.control)}")
    return _any()


@app.command()
def status() -> int:
    """Say which instances run, and what was changed in them."""
    for number, instance in kept().items():
        changed = ", ".join(changes(instance)) or "as built"
        typer.echo(f"{number}: {_where(instance)}, process {instance.pid}; {changed}")
    return _any()


@app.command()
def down() -> int:
    """End all instances that `up` started."""
    for number, instance in kept().items():
        stop_kept(instance)
        typer.echo(f"{number}: ended")
    return ALL_SCORED


def variables(instance: Instance) -> list[str]:
    """Return the lines that name an instance to a shell, in the words of WebArena."""
    named = {
        "WA_SHOPPING": instance.shop,
        "WA_SHOPPING_ADMIN": f"{instance.shop}/dashboard",
        "WA_REDDIT": instance.forum,
        "WA_HOMEPAGE": instance.shop,
        VARIABLE: instance.control,
    }
    absent = [f"export WA_{site}={LEFT_OUT}" for site in ("GITLAB", "WIKIPEDIA", "MAP")]
    return [*(f"export {name}={value}" for name, value in named.items()), *absent]


def _where(instance: Instance) -> str:
    return f"shop {instance.shop}, forum {instance.forum}, resets {instance.control}"


def _any() -> int:
    if kept():
        return ALL_SCORED
    typer.echo("No stand-in sites run; start some with python -m benchmark.standins up.")
    return NOT_ALL_SCORED


def _built() -> None:
    if not (FOLDER.exists() or os.environ.get(PYTHON_VARIABLE)):
        typer.echo(f"Installing the stand-in sites into {FOLDER.name} ...", err=True)
    install()
    build()


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, argv, "standins")


if __name__ == "__main__":
    raise SystemExit(main())
