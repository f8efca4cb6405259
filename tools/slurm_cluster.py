"""A Slurm cluster of two nodes on this machine, for tests: one slurmctld, two slurmd, all on loopback, no accounting.

It needs root, and Debian's slurm-wlm and munge, which it installs where it may. Each node has one processor, and a job
that takes more memory than it asked for is killed, as on most clusters. All that it keeps is in one folder, but for
/etc/slurm/slurm.conf: jobs do not inherit SLURM_CONF. A file there that is not ours is left alone, and nothing starts.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

CONFIGURATION = Path("/etc/slurm/slurm.conf")
FOLDER = Path("/var/tmp/rotastack-slurm")
OURS = "# Made by tools/slurm_cluster.py of Rotastack"
PACKAGES = ("slurm-wlm", "munge")
NODES = ("n1", "n2")
TEMPLATE = """\
{ours}
ClusterName=rotastack
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort={port}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
JobRequeue=0
SlurmdTimeout=10
KillWait=2
UnkillableStepTimeout=20
MinJobAge=600
SchedulerParameters=sched_interval=2,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
{nodes}
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=240 State=UP
"""


class CannotStartError(Exception):
    """Slurm cannot be had here; the text says why."""


class SlurmCluster:
    """A cluster of two nodes, n1 and n2.

    Parameters
    ----------
    folder : Path, optional
        Where it keeps state and logs.
    """

    def __init__(self, folder: Path = FOLDER):
        self.folder = folder

    def start(self) -> None:
        """Start all daemons and wait until both nodes are idle; CannotStartError if that cannot be."""
        _install()
        if CONFIGURATION.is_file() and not CONFIGURATION.read_text().startswith(OURS):
            raise CannotStartError(f"{CONFIGURATION} is of another cluster, and is left alone")
        self.stop()
        self.folder.mkdir(parents=True, mode=0o755)
        (self.folder / "state").mkdir()
        first = _free_ports(1 + len(NODES))
        host = socket.gethostname().partition(".")[0]
        nodes = "\n".join(
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 RealMemory=6000"
            for node, port in zip(NODES, first[1:], strict=True)
        )
        text = TEMPLATE.format(ours=OURS, host=host, folder=self.folder, port=first[0], nodes=nodes)
        CONFIGURATION.parent.mkdir(parents=True, exist_ok=True)
        CONFIGURATION.write_text(text)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        munged = ["munged", "--force", "--num-threads=2", f"--key-file={key}"]
        for option in ("socket", "pid-file", "log-file", "seed-file"):
            munged.append(f"--{option}={self.folder}/munge.{option.removesuffix('-file')}")
        _run(munged)
        self.start_controller("-c")
        for node in NODES:
            self.start_node(node)
        self.wait_until_idle()

    def start_controller(self, *options: str) -> None:
        """Start slurmctld, with the state that it left unless an option says otherwise."""
        _run(["slurmctld", *options])

    def kill_controller(self) -> None:
        """End slurmctld as a power cut would; jobs go on."""
        self._kill(self._pid("slurmctld"))

    def start_node(self, node: str) -> None:
        """Start a node's slurmd."""
        (self.folder / node).mkdir(exist_ok=True)
        _run(["slurmd", "-N", node])

    def kill_node(self, node: str) -> None:
        """End a node as a power cut would: its slurmd, and all that it started."""
        there = set(self.ask("squeue", "--noheader", "--nodelist", node, "--format=%A").split())
        self._kill(self._pid(node))
        for pid, job in self._steps().items():
            if job in there:
                self._kill(pid)

    @staticmethod
    def _kill(pid: int | None) -> None:
        """Kill a process and all below it."""
        for each in [] if pid is None else descendants(pid):
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)

    def wait_until_idle(self, seconds: float = 30) -> None:
        """Wait until both nodes take jobs."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            states = self.ask("sinfo", "-h", "-N", "-o", "%T").split()
            if states == ["idle"] * len(NODES):
                return
            time.sleep(0.3)
        log = self.folder / "slurmctld.log"
        said = log.read_text().splitlines()[-3:] if log.is_file() else []
        raise CannotStartError(f"the nodes do not come up: {' | '.join(said)}")

    def stop(self) -> None:
        """Stop what was started, and take away what it kept."""
        if not self.folder.is_dir():
            return
        for pid in [*map(self._pid, (*NODES, "slurmctld", "munge")), *self._steps()]:
            self._kill(pid)
        shutil.rmtree(self.folder, ignore_errors=True)
        if CONFIGURATION.is_file() and CONFIGURATION.read_text().startswith(OURS):
            CONFIGURATION.unlink()

    @staticmethod
    def ask(*command: str) -> str:
        """Return what a command of Slurm prints."""
        return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout

    def _pid(self, name: str) -> int | None:
        """Return the process of a daemon, unless its number is another's by now."""
        try:
            pid = int((self.folder / f"{name}.pid").read_text())
            command = Path(f"/proc/{pid}/comm").read_text().strip()
        except (OSError, ValueError):
            return None
        return pid if command in ("munged", "slurmctld", "slurmd") else None

    def _steps(self) -> dict[int, str]:
        """Return the processes that watch the steps of jobs, and the jobs' ids: a node's slurmd has let go of them."""
        found = {}
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdigit() and (entry / "comm").read_text().strip() == "slurmstepd":
                    step = re.match(r"slurmstepd: \[(\d+)", (entry / "cmdline").read_bytes().decode())
                    here = str((entry / "cwd").readlink()).removesuffix(" (deleted)")
                    if step and Path(here).is_relative_to(self.folder):
                        found[int(entry.name)] = step[1]
        return found


def descendants(pid: int) -> list[int]:
    """Return a process and all below it, before any of them is gone."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
                children.setdefault(int(parent), []).append(int(entry.name))
    found = [pid]
    for known in found:
        found += children.get(known, [])
    return found


def _install() -> None:
    """Install what is missing, where we may."""
    os.environ["PATH"] = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    programs = ("slurmctld", "slurmd", "munged", "sbatch")
    missing = [p for p in programs if shutil.which(p) is None]
    if os.geteuid() != 0:
        raise CannotStartError("it needs root")
    if not missing:
        return
    if shutil.which("apt-get") is None:
        raise CannotStartError(f"{', '.join(missing)} not found, and there is no apt-get to install it")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "-y", "--no-install-recommends", *PACKAGES]):
        done = subprocess.run(["apt-get", "-q", *command], env=quiet, capture_output=True, text=True)
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["apt-get failed"])[-1]
        raise CannotStartError(f"{', '.join(PACKAGES)} cannot be installed: {why}")


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd="/")
    if done.returncode:
        raise CannotStartError(f"{command[0]}: {(done.stderr or done.stdout).strip()}")


def _free_ports(count: int) -> list[int]:
    """Return ports of loopback that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports
