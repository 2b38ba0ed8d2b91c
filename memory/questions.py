"""What can't be answered as it is asked."""


class BadQuestion(ValueError):
    """A question that can't be answered as it is put; the text says why."""
