"""The queues of the workers. They may live on a Redis of their own, and may be away."""

from datetime import UTC, datetime
from typing import Any, Final

from rq import Queue
from rq.exceptions import DuplicateJobError

JOBS: Final = {
    "bots": "workers.jobs.play_bot_turn",
    "checks": "workers.jobs.check_repetition",
}
"""Queue to the function that takes its jobs; workers look into them in this order."""

JOB_SECONDS: Final = 30
FAILURE_SECONDS: Final = 3600


class Queues:
    """One RQ queue for each kind of job."""

    def __init__(self, redis: Any) -> None:
        self._queues = {name: Queue(name, connection=redis) for name in JOBS}

    def put(self, name: str, job_id: str, *args: Any) -> None:
        """Add a job; one that waits already under this id is left as it is."""
        try:
            self._queues[name].enqueue_call(
                JOBS[name],
                args,
                job_id=job_id,
                unique=True,
                timeout=JOB_SECONDS,
                result_ttl=0,
                failure_ttl=FAILURE_SECONDS,
            )
        except DuplicateJobError:
            return

    def waiting(self) -> dict[str, dict[str, int]]:
        """For each queue how many jobs wait, and for how many ms the oldest has."""
        return {name: _waiting(queue) for name, queue in self._queues.items()}


def _waiting(queue: Queue) -> dict[str, int]:
    first = queue.get_jobs(0, 1)
    enqueued = first[0].enqueued_at if first else None
    age = datetime.now(UTC) - enqueued if enqueued else None
    return {
        "waiting": queue.count,
        "oldest_ms": 0 if age is None else max(0, round(age.total_seconds() * 1000)),
    }
