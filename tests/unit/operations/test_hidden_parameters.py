"""Parameters that no signature shows are those that decision 80 gives a reason for."""

import re
from pathlib import Path

from schemas.settings import CHECKOUT

DECISION = (CHECKOUT / "docs/decisions/0080-hidden-parameters.md").read_text()
FLOORS = ("api", "cli", "tasks", "memory", "store", "providers", "schemas", "workers", "sql")
HIDDEN = re.compile(
    r"""(?x)
    ContextVar(?:\[.*\])?\(\s*"(\w+)"                 # a context variable, by its name
    | current_setting\('([\w.]+)'                     # a setting of the session or transaction
    | set_config\('([\w.]+)'
    | ^\s*global\s+(\w+)
    | self\.(\w+)\s*=\s*threading\.local
    """,
    re.MULTILINE,
)


def hidden() -> set[str]:
    """The names of all such parameters in the code and in the SQL."""
    found: set[str] = set()
    for floor in FLOORS:
        for path in (CHECKOUT / floor).rglob("*"):
            if path.suffix in {".py", ".sql"}:
                found |= {name for names in HIDDEN.findall(Path(path).read_text()) for name in names if name}
    return found


def test_each_hidden_parameter_has_a_written_reason() -> None:
    """Nothing is hidden without a row in the decision's table, and no row speaks of what is gone."""
    reasons = {
        name
        for row in DECISION.splitlines()
        if row.startswith("| `")
        for name in re.findall(r"`([\w.]+)`", row.split("|")[1])
    }

    assert hidden() <= reasons
    assert reasons - hidden() == {"synchronous_commit", "search_path"}
