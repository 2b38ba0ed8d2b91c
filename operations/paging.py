"""Parameters of paged lists."""

from typing import Annotated

from pydantic import Field

from schemas.limits import LONGEST_PAGE

Cursor = Annotated[str | None, Field(description="The `cursor` of the previous page; omit it for the first page.")]
Limit = Annotated[int, Field(ge=1, le=LONGEST_PAGE, description="The most items of one page.")]
