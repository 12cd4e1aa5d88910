"""Nodes of a real Ray cluster on loopback, of one processor each, and the command line that is to find them."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent


def ready(monkeypatch: pytest.MonkeyPatch, *plug_ins: Path) -> None:
    """What all processes of the cluster need to know of paths, and what keeps Ray on loopback and quiet."""
    paths = [HERE / "ray_site", *plug_ins, ROOT / "core" / "python"]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, paths)))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_worker_niceness", "0")  # by its default workers yield to all else on the machine
    monkeypatch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # its way to say: stay on loopback


@contextmanager
def nodes(count: int) -> Iterator[str]:
    """The address of a cluster of so many nodes."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"include_dashboard": False, **_node()})
    try:
        for _ in range(count - 1):
            cluster.add_node(**_node())
        yield cluster.address
    finally:
        cluster.shutdown()


def biasprint(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "biasprint", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=400)


def _node() -> dict[str, Any]:
    # Ports that are given need not be waited for, where a machine is busy.
    ports = ("metrics_agent_port", "dashboard_agent_listen_port", "runtime_env_agent_port", "metrics_export_port")
    fixed = {name: _free_port() for name in ports}
    return {"num_cpus": 1, "object_store_memory": 80_000_000, "node_ip_address": "127.0.0.1", **fixed}


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
