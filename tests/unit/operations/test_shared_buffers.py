"""How much memory the embedded Postgres takes for its own cache."""

import pytest

from workers.embedded import postgres
from workers.embedded.postgres import shared_buffers, usable_memory

GIB = 2**30


@pytest.mark.parametrize(
    ("memory", "buffers"),
    [(GIB // 2, GIB // 8), (GIB, GIB // 8), (4 * GIB, GIB // 2), (8 * GIB, GIB), (64 * GIB, GIB)],
)
def test_it_is_a_part_of_the_memory_within_bounds(memory, buffers):
    assert shared_buffers(memory) == buffers


@pytest.mark.parametrize(("limit", "lower"), [("1073741824\n", True), ("max\n", False), (None, False)])
def test_a_containers_limit_counts_if_it_is_lower(tmp_path, monkeypatch, limit, lower):
    place = tmp_path / "memory.max"
    monkeypatch.setattr(postgres, "CGROUP_LIMIT", tmp_path / "none")
    machine = usable_memory()
    if limit is not None:
        place.write_text(limit)
    monkeypatch.setattr(postgres, "CGROUP_LIMIT", place)

    assert usable_memory() == (min(GIB, machine) if lower else machine)
