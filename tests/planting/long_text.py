"""A text longer than any window, which tells one thing in its last third."""

HIDING_PLACE = "We keep the spare key of the house under the third flowerpot, in case one of us is locked out."
ASKED = "Where did we hide the key to the house?"

_RAIN = (
    "The committee talked about the budget for paving the market square.",
    "Minutes of the meeting were read aloud and approved without changes.",
    "A proposal to repaint the benches in dark green was postponed again.",
    "The treasurer explained how the subscription fees are calculated.",
    "Someone asked whether the summer concert needs a second stage.",
    "Parking on Thursdays will stay as it has been for the last ten years.",
)


def long_text(told: str = HIDING_PLACE, sentences: int = 60) -> str:
    """Some 750 tokens of a meeting's minutes, with a sentence in their last third."""
    lines = [f"{number}. {_RAIN[number % len(_RAIN)]}" for number in range(1, sentences + 1)]
    return " ".join([*lines[: sentences * 4 // 5], told, *lines[sentences * 4 // 5 :]])
