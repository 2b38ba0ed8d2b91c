"""Exports a Being as lines of JSON: all that it knows, without keys, tokens and accounts.

All lines are of one database snapshot. They are written to an unnamed temporary file first, so that a slow reader keeps
no transaction open and the process holds one line in memory.
"""

from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO

from schemas.accounts.accounts import Being
from schemas.accounts.portability import BeingLine, EndLine
from store import clock
from store.accounts import beings, portable
from store.accounts.portable_kinds import KINDS
from store.database import Store


def export_lines(store: Store, being: Being, *, vectors: bool = False) -> Iterator[bytes]:
    """Export a Being, one JSON object a line: a header, the rows of each kind, and an end line with their number.

    Args:
        vectors: Whether to include embeddings; without them the import computes new ones.

    Raises:
        NotFound: The Being is gone.
    """
    file = TemporaryFile("w+b")  # noqa: SIM115  # closed after the last line is read
    try:
        with store.transaction() as tx:
            portable.snapshot(tx)
            # The caller's row may be older than this snapshot.
            first = beings.get_being(tx, being.being_id)
            opening = BeingLine(
                vectors=vectors,
                exported_at=clock.now(tx),
                **first.model_dump(include=BeingLine.model_fields.keys() & Being.model_fields.keys()),
            )
            file.write(opening.model_dump_json().encode() + b"\n")
            count = 0
            for kind in KINDS:
                if kind.vectors and not vectors:
                    continue
                for row in portable.rows(tx, first, kind):
                    file.write(f'{{"kind": "{kind.name}", {row[1:]}\n'.encode())
                    count += 1
            file.write(EndLine(lines=count).model_dump_json().encode() + b"\n")
    except BaseException:
        file.close()
        raise
    return _read(file)


def _read(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        yield from file
