"""The ledger's promises hold through PgBouncer in transaction mode: a choice of this folder's tests, run through it.

`TESTS_POOLED=1` runs all of them so.
"""

import pytest

from tests.acceptance.ledger.test_celery_door import foreign, kept, test_what_is_sent_by_name_is_kept_once
from tests.acceptance.ledger.test_conversation import test_talk_is_kept_judged_and_summed_up_once
from tests.acceptance.ledger.test_lost_leases import test_a_worker_that_wakes_up_too_late_changes_nothing
from tests.acceptance.ledger.test_outages import test_a_worker_gets_over_a_crash_of_postgres
from tests.processes.pooler import through_pgbouncer

__all__ = [
    "foreign",
    "kept",
    "test_a_worker_gets_over_a_crash_of_postgres",
    "test_a_worker_that_wakes_up_too_late_changes_nothing",
    "test_talk_is_kept_judged_and_summed_up_once",
    "test_what_is_sent_by_name_is_kept_once",
]


@pytest.fixture
def database_settings(url):
    with through_pgbouncer(url) as settings:
        yield settings
