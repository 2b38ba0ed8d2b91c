"""The supervisor keeps processes running, and ends them together."""

import os
import signal
from pathlib import Path
from types import MappingProxyType

import pytest
from redis import Redis
from structlog.testing import capture_logs

from workers.embedded.errors import StartError
from workers.embedded.log_files import LOG_FILES, rotate, set_aside
from workers.embedded.processes import wait_until
from workers.embedded.redis import EmbeddedRedis
from workers.embedded.servers import run_directory
from workers.embedded.supervisor import Process, Supervisor

PATIENCE = 120.0


def shell(name, script, env=MappingProxyType({}), **options):
    return Process(name, ["sh", "-c", script], {**os.environ, **env}, **options)


def gone(pid):
    """Whether a process has ended; a zombie that is not reaped yet has ended too."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


def test_start_returns_when_every_process_is_ready(tmp_path):
    pipe, met = tmp_path / "pipe", tmp_path / "met"
    os.mkfifo(pipe)
    with Supervisor(tmp_path / "logs") as supervisor:
        supervisor.start(
            [  # neither gets anywhere without the other
                shell("reader", 'read word < "$PIPE"; touch "$word"; exec sleep 300', env={"PIPE": str(pipe)}),
                shell("writer", f'echo "{met}" > "{pipe}"; exec sleep 300', ready=met.exists),
            ]
        )
        assert met.exists()
        pids = supervisor.pids
        assert pids.keys() == {"reader", "writer"}
    assert all(map(gone, pids.values()))


def test_output_goes_to_one_file_a_process_and_the_last_run_is_kept(tmp_path):
    for word in ("first", "second"):
        with Supervisor(tmp_path) as supervisor:
            supervisor.start(
                [
                    shell(
                        "teller",
                        f"echo {word}; echo {word} >&2; touch {tmp_path}/{word}; exec sleep 300",
                        ready=(tmp_path / word).exists,
                    )
                ]
            )
    assert (tmp_path / "teller.log").read_text() == "second\nsecond\n"
    assert (tmp_path / "teller.log.1").read_text() == "first\nfirst\n"


@pytest.mark.parametrize(
    ("process", "says"),
    [
        (
            shell("broken", "echo no such luck; exit 3", ready=lambda: False),
            r"(?s)broken ended \(exit status 3\).*luck",
        ),
        (Process("missing", ["no-such-program"], {}, ready=lambda: False), "No such file or directory"),
    ],
)
def test_a_process_that_dies_before_it_is_ready_says_why(tmp_path, process, says):
    with Supervisor(tmp_path) as supervisor:
        with pytest.raises(StartError, match=says):
            supervisor.start([shell("fine", "exec sleep 300"), process], patience=PATIENCE)
        running = supervisor.pids.values()
    assert all(map(gone, running))


def test_a_process_that_does_not_get_ready_in_time_says_why(tmp_path):
    log = tmp_path / "late.log"

    def never():
        assert wait_until(lambda: "hold on" in log.read_text(), PATIENCE)
        return False

    with Supervisor(tmp_path) as supervisor:
        with pytest.raises(StartError, match=r"(?s)late was not ready within 1 s.*hold on"):
            supervisor.start([shell("late", "echo hold on; exec sleep 300", ready=never)], patience=1.0)
        running = supervisor.pids.values()
    assert all(map(gone, running))


def test_a_process_that_was_ready_is_not_asked_again(tmp_path):
    answers = iter([True])
    other = tmp_path / "other"
    with Supervisor(tmp_path) as supervisor:
        supervisor.start(
            [
                shell("slow", "exec sleep 300", ready=lambda: next(answers)),
                shell("other", f'touch "{other}"; exec sleep 300', ready=other.exists),
            ]
        )


def test_what_dies_is_restarted_each_time_a_little_later(tmp_path):
    with capture_logs() as logs, Supervisor(tmp_path) as supervisor:
        supervisor.start([shell("mortal", "exec sleep 300"), shell("other", "exec sleep 300")])
        other = supervisor.pids["other"]
        for _ in range(2):
            victim = supervisor.pids["mortal"]
            os.kill(victim, signal.SIGKILL)
            supervisor.wait(until=lambda victim=victim: supervisor.pids.get("mortal", victim) != victim)
        assert supervisor.pids["other"] == other
    deaths = [entry for entry in logs if entry["event"] == "process_died"]
    assert [(entry["process"], entry["restart_in"]) for entry in deaths] == [("mortal", 0.5), ("mortal", 1.0)]
    assert deaths[0]["ending"] == "ended by signal 9, Killed"


def test_a_restart_leaves_nothing_of_the_one_before(tmp_path):
    children = tmp_path / "children"

    def written():
        return children.exists() and children.read_text().endswith("\n")

    with Supervisor(tmp_path) as supervisor:
        supervisor.start([shell("parent", f'sleep 300 & echo $! >> "{children}"; wait', ready=written)])
        os.kill(supervisor.pids["parent"], signal.SIGKILL)
        supervisor.wait(until=lambda: len(children.read_text().split()) == 2)
        first, second = map(int, children.read_text().split())
        assert wait_until(lambda: gone(first), PATIENCE)
        assert not gone(second)
    assert wait_until(lambda: gone(second), PATIENCE)


def test_who_does_not_stop_in_time_is_killed(tmp_path):
    deaf = tmp_path / "deaf"
    with capture_logs() as logs, Supervisor(tmp_path, grace=0.3) as supervisor:
        supervisor.start(
            [shell("stubborn", f'trap "" TERM; touch "{deaf}"; while :; do sleep 300; done', ready=deaf.exists)]
        )
        pid = supervisor.pids["stubborn"]
    assert gone(pid)
    assert {"event": "process_killed", "process": "stubborn", "hurried": False, "log_level": "warning"} in logs


def test_every_process_gets_the_time_to_end_by_itself(tmp_path):
    order = tmp_path / "order"
    script = (
        'trap "exit 0" TERM; trap \'echo "$NAME" >> "$ORDER"\' EXIT; touch "$ORDER.$NAME"; while :; do sleep 0.01; done'
    )
    with Supervisor(tmp_path, grace=PATIENCE) as supervisor:
        for name in ("first", "second", "third"):
            ready = (tmp_path / f"order.{name}").exists
            supervisor.start([shell(name, script, env={"NAME": name, "ORDER": str(order)}, ready=ready)])
    assert sorted(order.read_text().split()) == ["first", "second", "third"]


def test_a_log_is_rotated_while_its_program_writes_and_so_many_files_stay(tmp_path):
    # In bursts, so that every line is whole and comes in between two looks or is part of a copy.
    script = (
        "n=0; while :; do for _ in 1 2 3 4 5 6 7 8 9 10; do n=$((n+1)); printf '%08d\\n' $n; done; sleep 0.05; done"
    )
    log = tmp_path / "writer.log"
    most = 2_000
    oldest = tmp_path / f"writer.log.{LOG_FILES - 1}"

    def lines(path):
        return [int(line) for line in path.read_bytes().splitlines()]

    with Supervisor(tmp_path, most_log_bytes=most) as supervisor:
        supervisor.start([shell("writer", script)])
        pid = supervisor.pids["writer"]
        supervisor.wait(until=oldest.exists)
        first = lines(oldest)[0]
        # The oldest is let go of, and the program goes on in the file that it has open.
        supervisor.wait(until=lambda: lines(oldest)[0] > first and log.stat().st_size > 0)
        assert supervisor.pids["writer"] == pid
    files = sorted(tmp_path.glob("writer.log*"), reverse=True)
    assert len(files) == LOG_FILES
    written = [number for file in files for number in lines(file)]
    assert written == sorted(set(written)), "nothing twice, in order, and no hole at a file's beginning"
    assert max(file.stat().st_size for file in files) < 5 * most


def test_the_logs_of_servers_are_rotated_too(home):
    with (
        EmbeddedRedis(home / "redis", run_directory(home), durable=False) as server,
        Supervisor(home, most_log_bytes=10) as supervisor,
    ):
        supervisor.watch(server)
        rotated = server.log.with_name("server.log.1")
        supervisor.wait(until=rotated.exists)
        assert b"Redis" in rotated.read_bytes()
        assert server.answers()
        with Redis.from_url(server.url) as client:
            client.config_set("loglevel", "debug")
        oldest = server.log.with_name(f"server.log.{LOG_FILES - 1}")
        # A line is written for each connection.
        supervisor.wait(until=lambda: server.answers() and oldest.exists())
    assert b"\0" not in b"".join(file.read_bytes() for file in server.data.glob("server.log*"))
    assert len([*server.data.glob("server.log*")]) == LOG_FILES


def test_logs_of_earlier_runs_move_on_and_the_oldest_goes(tmp_path):
    log = tmp_path / "teller.log"
    for number in range(LOG_FILES + 2):
        set_aside(log)
        log.write_text(str(number))
    assert {file.read_text() for file in tmp_path.iterdir()} == {str(number) for number in range(2, LOG_FILES + 2)}
    assert log.with_name("teller.log.1").read_text() == str(LOG_FILES)


def test_a_log_that_is_small_or_missing_is_left_alone(tmp_path):
    assert not rotate(tmp_path / "nothing.log", 10)
    (tmp_path / "small.log").write_bytes(b"x" * 10)
    assert not rotate(tmp_path / "small.log", 10)
    assert [file.name for file in tmp_path.iterdir()] == ["small.log"]


def test_a_server_can_be_watched_too(home):
    with EmbeddedRedis(home / "redis", run_directory(home), durable=False) as server, Supervisor(home) as supervisor:
        supervisor.watch(server)
        victim = server.pid
        os.kill(victim, signal.SIGKILL)
        supervisor.wait(until=lambda: server.pid != victim and server.answers())
    assert not server.alive
