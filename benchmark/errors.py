"""What can go wrong around a benchmark run. Each message is one sentence: the thing, and the way out.

BenchmarkError
├── UsageError          the command cannot be run as it was given
├── RecordDamaged       a record file holds a line that is not a record
├── RecordNotWritten    the disk did not take a record
├── EvaluatorFailed     a benchmark's own evaluator gave no verdict
└── ResetFailed         a benchmark's sites could not be put back to their first state
"""


class BenchmarkError(Exception):
    """Root of everything this package raises on purpose."""


class UsageError(BenchmarkError):
    """The command cannot be run as it was given; nothing was run."""


class RecordDamaged(BenchmarkError):
    """A record file holds a line that is cut off, is not JSON or is of another format."""


class RecordNotWritten(BenchmarkError):
    """A record could not be written whole; the run must stop."""


class EvaluatorFailed(BenchmarkError):
    """A benchmark's own evaluator gave no verdict; nothing is known about the answer."""


class ResetFailed(BenchmarkError):
    """The sites that tasks run on could not be put back to how they begin; what they hold is unknown."""
