"""Operations on notes, and on knowledge under keys."""
