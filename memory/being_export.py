"""A Being as lines of JSON, to be taken away: everything that it knows, and nothing that opens a door.

The lines are of one moment. They are written to a file without a name first, so that whoever reads them slowly keeps
no snapshot of the database open, and holds no more of them than one.
"""

from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO

from schemas.portability import BeingLine, EndLine
from schemas.rows import Being
from store import clock, portable, users
from store.database import Store
from store.portable_kinds import KINDS


def export_lines(store: Store, being: Being, *, vectors: bool = False) -> Iterator[bytes]:
    """Write a Being down, a JSON object a line; the first says whose the others are, the last that they are all.

    Args:
        store: The ledger.
        being: Whose memory it is.
        vectors: Whether its embeddings go along; else they are made anew where it comes in.

    Raises:
        NotFound: The Being is gone.
    """
    file = TemporaryFile("w+b")  # noqa: SIM115  # it is closed when the last line is read
    try:
        with store.transaction() as tx:
            portable.snapshot(tx)
            # What was looked up before is of another moment.
            first = users.get_being(tx, being.being_id)
            opening = BeingLine(
                vectors=vectors,
                exported_at=clock.now(tx),
                **first.model_dump(include=BeingLine.model_fields.keys() & Being.model_fields.keys()),
            )
            file.write(opening.model_dump_json().encode() + b"\n")
            count = 0
            for kind in KINDS:
                for row in portable.rows(tx, first, kind, vectors=vectors):
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
