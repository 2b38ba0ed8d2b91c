"""What is asked of every long list: where the page before ended, and how long this one may be."""

from typing import Annotated

from fastapi import Query

from schemas.limits import LONGEST_PAGE

Cursor = Annotated[str | None, Query(description="Where the page before ended.")]
Limit = Annotated[int, Query(ge=1, le=LONGEST_PAGE, description="The most that one answer holds.")]
