"""Query parameters of paged lists."""

from typing import Annotated

from fastapi import Query

from schemas.limits import LONGEST_PAGE

Cursor = Annotated[str | None, Query(description="The `cursor` of the previous page; omit it for the first page.")]
Limit = Annotated[int, Query(ge=1, le=LONGEST_PAGE, description="The most items of one page.")]
