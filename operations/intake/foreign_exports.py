"""Exports of other programs."""

from dataclasses import asdict
from zoneinfo import ZoneInfo

from memory.accounts import user_accounts
from memory.intake.importers.entries import ExportPersons, UnreadableEntry
from memory.intake.importers.importing import FORMATS, Import
from memory.intake.importers.reading.files import file_of_text
from memory.text.errors import InvalidRequest
from operations.declaration import operation
from schemas.accounts.accounts import Being
from schemas.intake.foreign_exports import ForeignExport, ForeignImport, SetAside
from workers.runtime.resources import Resources


@operation(
    "POST /v1/beings/{being}/imports",
    scope=["ingest", "manage"],
    body="document",
    conflicts=True,
    repeated="harmless",
)
def import_export(on: Resources, being: Being, export: ForeignExport) -> ForeignImport:
    """Take in the export of another program, of up to 4 MB: conversations and memories, with their own times.

    Divide a longer file between its conversations. Every entry has an id that is derived from the export, so that the
    same file again changes nothing, and a request that was interrupted goes on where it was. `patrol import --from`
    takes in archives of any size.
    """
    read, _ = FORMATS[export.program]
    zone = ZoneInfo(user_accounts.show(on.store, being.user_id).time_zone)
    file = file_of_text(export.file, export.text, export.modified)
    aside: list[UnreadableEntry] = []
    work = Import(on.store, on.settings, on.embedders, being, export.aged, aside.append)
    for _ in work.take(read(file, ExportPersons(export.me, export.companion, zone))):
        pass
    if not work.done.read:
        raise InvalidRequest(f"The text holds nothing that is read as `{export.program}`. Check both.")
    troubles = [SetAside(place=bad.place, reason=bad.reason) for bad in aside]
    return ForeignImport.model_validate(asdict(work.done) | {"set_aside": troubles})
