"""Many writers in one process, which the tests start several times, with the arguments URL BEING PROCESS WRITERS.

It waits for a line on stdin, lets as many writers begin at once as it has connections, and prints what they wrote as a
line of JSON each. A half write to one register, the others to one of their own, in two scopes whose order changes from
writer to writer.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from uuid import UUID

from memory.vault import record_batches
from schemas.settings import Settings
from store.accounts import beings
from store.database import Store

SETTINGS = Settings(vault_capacity=1000)
AT_ONCE = 8


def main(url: str, being_id: str, process: str, writers: str) -> None:
    """Write, and tell."""
    with Store(url, connections=AT_ONCE) as store, ThreadPoolExecutor(AT_ONCE) as pool:
        with store.transaction() as tx:
            being = beings.get_being(tx, UUID(being_id))

        def write(number: int) -> list[dict[str, object]]:
            name = f"{process}/{number}"
            topic = "same" if number % 2 else name
            scopes = [being.slug, "shared"][:: 1 if number % 3 else -1]
            batch = [
                {
                    "text": sha256(f"{name} {scope}".encode()).hexdigest(),
                    "tier": "register",
                    "topic_id": topic,
                    "scope": scope,
                }
                for scope in scopes
            ]
            receipt = record_batches.bulk_add(store, SETTINGS, being, batch)
            assert not receipt.rejected, receipt.rejected
            return [record.model_dump(mode="json") for record in receipt.records if record]

        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        for written in pool.map(write, range(int(writers))):
            sys.stdout.write("".join(json.dumps(record) + "\n" for record in written))


if __name__ == "__main__":
    main(*sys.argv[1:])
