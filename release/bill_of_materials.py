"""The bill of materials of the image, in CycloneDX's JSON."""

import re
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from release.licences import Package, packages
from schemas.settings import CHECKOUT
from schemas.version import VERSION

NAME = "memory-patrol"


def bill_of_materials(epoch: int) -> str:
    """Return the bill: the packages that the image contains with their licences, and the image that it is based on.

    Args:
        epoch: When the commit was made, in seconds since 1970.
    """
    bom = Bom(serial_number=uuid5(NAMESPACE_URL, f"{NAME}/{VERSION}/{epoch}"))
    bom.metadata.timestamp = datetime.fromtimestamp(epoch, UTC)
    bom.metadata.tools.components.clear()
    root = Component(
        name=NAME,
        version=VERSION,
        type=ComponentType.APPLICATION,
        bom_ref=NAME,
        licenses=[LicenseExpression("Apache-2.0")],
    )
    bom.metadata.component = root
    bom.components.update([_base(), *map(_package, packages())])
    bom.register_dependency(root, bom.components)
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _package(package: Package) -> Component:
    return Component(
        name=package.name,
        version=package.version,
        type=ComponentType.LIBRARY,
        bom_ref=package.name,
        purl=PackageURL("pypi", name=package.name, version=package.version),
        licenses=[LicenseExpression(package.licence)],
    )


def _base() -> Component:
    """Return the image that the Dockerfile starts from, by its digest."""
    named = re.search(
        r"^FROM (\w+):([\w.-]+)@sha256:(\w{64})$", (CHECKOUT / "Dockerfile").read_text("utf-8"), re.MULTILINE
    )
    if named is None:
        raise ValueError("The Dockerfile starts from no image with a digest.")
    return Component(
        name=named[1],
        version=named[2],
        type=ComponentType.CONTAINER,
        bom_ref=f"{named[1]}:{named[2]}",
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=named[3])],
    )
