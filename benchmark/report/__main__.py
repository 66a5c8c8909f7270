"""Lets `python -m benchmark.report RUN` write the pages of a run."""

from benchmark.report.pages import main

if __name__ == "__main__":
    raise SystemExit(main())
