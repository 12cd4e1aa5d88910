"""Partitions handed to the machines of a Ray cluster by Ray Data: actors that load a scorer once, one file at a
time.

A plug-in of the program's own (decision 0043): only `core.cli.data_commands` imports it, when a cluster is asked for;
Ray is the extra `cluster`. A machine that is lost, or a worker that runs out of memory, costs the file that it was at:
that is given to another worker, three times in all, then it is named and the others are finished. Files in flight are
as many as workers.
"""

import logging
import os
import socket
import warnings
from collections.abc import Iterator, Sequence
from contextlib import chdir
from importlib.util import find_spec
from typing import Any

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.machine import child
from biasprint.core.machine.endpoints import is_loopback
from biasprint.core.machine.offline import require_connection
from biasprint.core.runs.result_folder.scoring import ScoredPartition, ScoringOrder, score_partition, why_not

LOCAL = "local"
CONNECT_SECONDS = 10.0
TRIES = 3  # of one partition, over workers that are lost while they are at it
INSTALL = "pip install “biasprint[cluster]”"
LOST = f"the worker was lost {TRIES} times while it was at this file: it may need more memory than a machine has"
# What Ray must not do: tell its makers that it is used, draw bars, and look for the machine's address in the network.
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DATA_DISABLE_PROGRESS_BARS": "1", "RAY_BACKEND_LOG_LEVEL": "fatal"}
_SAFE = {"PYTHONSAFEPATH": "1"}  # its Pythons look for no module in the current folder
_ON_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}


class PartitionScorer:
    """A worker's scorer: made once, it scores the partitions that it is given."""

    def __init__(self, order: ScoringOrder) -> None:
        self._order = order
        self._refused = why_not(order)

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        done = [self._one(str(name)) for name in batch["name"]]
        return {
            field: [getattr(partition, field) for partition in done] for field in ScoredPartition.__dataclass_fields__
        }

    def _one(self, name: str) -> ScoredPartition:
        if self._refused:
            return ScoredPartition(name, refused=f"{socket.gethostname()}: {self._refused}")
        return score_partition(self._order, name)


def score_on_cluster(
    ctx: JobContext, order: ScoringOrder, names: Sequence[str], address: str
) -> Iterator[ScoredPartition]:
    """Yield the result of each partition as it arrives; those of lost workers at the end.

    `address`: “local” for this machine alone, or HOST:PORT of a Ray cluster that this machine is one of. Raises
    `UsageError` and `AppError`: Ray is not installed, nothing answers there, its version differs, it is offline.
    """
    ray = _connected(address)
    try:
        left = set(names)
        for row in _rows(ray, order, names):
            ctx.check()
            done = ScoredPartition(**{field: row[field] for field in ScoredPartition.__dataclass_fields__})
            left.discard(done.name)
            yield done
        yield from (ScoredPartition(name, refused=LOST) for name in names if name in left)
    finally:
        ray.shutdown()


def _rows(ray: Any, order: ScoringOrder, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    from ray import data

    context = data.DataContext.get_current()
    context.enable_progress_bars = False
    context.max_errored_blocks = -1  # of lost workers; everything else is told in a row
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
    items = data.from_items([{"name": name} for name in names], override_num_blocks=len(names))
    pool = data.ActorPoolStrategy(min_size=1, max_size=workers, initial_size=min(workers, len(names)),
                                  max_tasks_in_flight_per_actor=1)  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that this argument goes with 2.64, below which the extra is held
        scored = items.map_batches(
            PartitionScorer, fn_constructor_args=(order,), batch_size=1, compute=pool, num_cpus=1,
            ray_remote_args_fn=lambda: {"max_task_retries": TRIES - 1},
        )  # fmt: skip
    yield from scored.iter_rows()


def _connected(address: str) -> Any:
    """The module `ray`, connected."""
    if find_spec("ray") is None:
        raise AppError("Scoring on a cluster needs Ray, which is not installed.", hint=f"Install it: {INSTALL}")
    require_connection("a cluster")  # also on this machine, Ray's processes speak over internet sockets
    loopback = address == LOCAL or is_loopback(_host_and_port(address)[0])
    os.environ.update(_QUIET | _SAFE | (_ON_LOOPBACK if loopback else {}))
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL, "include_dashboard": False}
    if address != LOCAL:
        _require_answer(address)
        options = {name: options[name] for name in ("log_to_driver", "logging_level")}
    import ray

    try:
        with chdir(child.FOLDER):  # workers look for modules in the folder where their driver was
            ray.init(address, **options, _node_ip_address="127.0.0.1") if loopback else ray.init(address, **options)
    except Exception as error:  # of many kinds, also of its native part
        ray.shutdown()
        raise _not_connected(address, error) from error
    return ray


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65536 or "/" in host:
        raise UsageError(f"“{address}” is no address of a cluster.", hint="Say --cluster local, or HOST:PORT.")
    return host.strip("[]"), int(port)


def _require_answer(address: str) -> None:
    """That Ray answers there; its own client would end the whole process where it does not."""
    try:
        socket.create_connection(_host_and_port(address), CONNECT_SECONDS).close()
        from ray._raylet import GcsClient  # type: ignore[attr-defined]

        GcsClient(address=address).internal_kv_get(b"CLUSTER_METADATA", b"cluster", timeout=CONNECT_SECONDS)
    except OSError as error:
        raise _nothing_there(address, error.strerror or str(error)) from error
    except Exception as error:
        raise _nothing_there(address, "what is there is not Ray") from error


def _nothing_there(address: str, why: str) -> AppError:
    return AppError(
        f"No Ray cluster answers at {address} ({why}).",
        kept="Nothing was scored.",
        hint="Start one there with “ray start --head”, or say --cluster local.",
    )


def _not_connected(address: str, error: Exception) -> AppError:
    message = " ".join(str(error).split())
    if "mismatch" in message.lower():
        return AppError(
            f"The cluster at {address} has another version of Ray or Python than this computer.",
            kept="Nothing was scored.", hint="Install the same versions on all machines.", details=message,
        )  # fmt: skip
    if address == LOCAL:
        return AppError(
            f"Ray did not start on this computer ({type(error).__name__}).",
            kept="Nothing was scored.",
            hint="Where it is busy, Ray gives up early: try again later, or score without --cluster.",
            details=message[:1000],
        )
    return AppError(
        f"No connection to the Ray cluster at {address} came about ({type(error).__name__}).",
        kept="Nothing was scored.", hint="Look at “ray status” on its first machine.", details=message[:1000],
    )  # fmt: skip
