"""The pool of RQ workers: `python -m workers.pool`.

Workers run their jobs in their own process, with the engines imported before the first
one comes. One that is killed is begun again; its turn is played by the timekeeper.
"""

import os
from typing import Any

from rq import SimpleWorker
from rq.worker_pool import WorkerPool

from menagerie.play.queues import JOBS
from menagerie.play.settings import Settings, worker_connection
from workers import jobs

WORKER_SECONDS = 60
MAINTENANCE_SECONDS = 30


class Worker(SimpleWorker):
    """A worker that is soon known to be dead, and schedules nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs |= {"worker_ttl": WORKER_SECONDS, "maintenance_interval": MAINTENANCE_SECONDS}
        super().__init__(*args, **kwargs)

    def work(self, *args: Any, **kwargs: Any) -> bool:
        jobs.referee()
        return bool(super().work(*args, **{**kwargs, "with_scheduler": False}))


def main() -> None:
    settings = Settings.from_environment()
    workers = int(os.environ.get("MENAGERIE_WORKERS") or os.cpu_count() or 1)
    pool = WorkerPool(
        list(JOBS),
        connection=worker_connection(settings.queue_url),
        num_workers=workers,
        worker_class=Worker,
    )
    pool.start(logging_level="WARNING")


if __name__ == "__main__":
    main()
