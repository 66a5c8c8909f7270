"""A table says which code, versions and machine made it."""

from benchmark.records.provenance import made_with, provenance


def test_records_of_several_commits_and_machines_are_all_named(make_episode):
    records = [
        make_episode(git_commit="a" * 40, git_dirty=False, versions={"python": "3.11", "machine": "Linux, 2 CPUs"}),
        make_episode(git_commit="b" * 40, git_dirty=True, versions={"python": "3.12", "browser": "156"}),
    ]
    assert made_with(records) == (
        f"Made with commit {'a' * 12}, {'b' * 12} with changes; python 3.11, 3.12; browser 156; machine Linux, 2 CPUs."
    )
    assert made_with([make_episode(git_commit=None, git_dirty=None, versions={})]) == "Made with commit none."


def test_provenance_names_the_machine_and_absent_packages():
    made = provenance(["pydantic", "no-such-package"])
    assert "CPUs" in made.versions["machine"]
    assert made.versions["no-such-package"] == "not installed"
