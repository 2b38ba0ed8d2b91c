"""The drawings of the documents, computed from the formulas that the program runs on: `make docs` writes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path

from schemas.limits import DECAY_PATROLS, FADED_IMPORTANCE

IMAGES = Path(__file__).parent / "images"
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 320, 50, 20, 20, 44
PATROLS = 100
INK, GRID, FADED = "#24292f", "#d8dee4", "#cf222e"
COLOURS = ("#0969da", "#8250df", "#1a7f37", "#bf8700")
ACTIVE, DYING, DEAD = "", "2 4", "8 6"


@dataclass(frozen=True)
class Stretch:
    """Some patrols of a memory's life: from which to which, what it weighs at each, and how the line looks."""

    first: int
    last: int
    weights: Sequence[float]
    dashes: str = ACTIVE


def weight(importance: float, patrols: int) -> float:
    """Effective importance after so many patrols without being found (the patrol seed's formula)."""
    return importance * exp(-patrols / DECAY_PATROLS)


def living(first: int, last: int, importance: float, since: int) -> Stretch:
    """A stretch in which time passes; `since` is the patrol at which the memory was last found."""
    return Stretch(first, last, [weight(importance, patrol - since) for patrol in range(first, last + 1)])


def stopped(first: int, last: int, importance: float, dashes: str) -> Stretch:
    """A stretch in which the count stands still: of a dying memory, or a dead one."""
    return Stretch(first, last, [importance] * (last - first + 1), dashes)


def untouched(importance: float) -> list[Stretch]:
    """The life of a memory that is never recalled."""
    fades = next(patrol for patrol in range(PATROLS) if weight(importance, patrol) <= FADED_IMPORTANCE)
    return [living(0, fades, importance, 0), stopped(fades, PATROLS, weight(importance, fades), DYING)]


def fading() -> str:
    """How memories of different importance fade, and what being recalled does to one of them."""
    return chart(
        "Effective importance over 100 patrols",
        1.0,
        {
            "importance 1.0": untouched(1.0),
            "importance 0.5": untouched(0.5),
            "importance 0.2": untouched(0.2),
            "importance 0.35, recalled at 45": [living(0, 45, 0.35, 0), living(45, PATROLS, 0.35, 45)],
        },
    )


def revival() -> str:
    """A life with a death in it: dying at 42, let go at 55, searched for at 75, active again from the next patrol."""
    faded = weight(0.2, 42)
    return chart(
        "A memory of importance 0.2 that comes back",
        0.25,
        {
            "active": [living(0, 42, 0.2, 0), living(76, PATROLS, 0.2, 76)],
            "dying": [stopped(42, 55, faded, DYING)],
            "dead, searched for at 75": [stopped(55, 75, faded, DEAD), stopped(75, 76, 0.2, DEAD)],
        },
    )


def chart(title: str, highest: float, lives: dict[str, list[Stretch]]) -> str:
    """An SVG of lives over patrols, with the line at which a memory is dying.

    Args:
        title: What it shows, for those who can't see it.
        highest: The weight at the upper edge.
        lives: Stretches by what the legend says of them.
    """
    across, down = (WIDTH - LEFT - RIGHT) / PATROLS, (HEIGHT - TOP - BOTTOM) / highest

    def x(patrol: float) -> str:
        return f"{LEFT + patrol * across:.1f}"

    def y(value: float) -> str:
        return f"{HEIGHT - BOTTOM - value * down:.1f}"

    def text(at_x: str, at_y: str, words: str, colour: str = INK, anchor: str = "start") -> str:
        return f'<text x="{at_x}" y="{at_y}" fill="{colour}" text-anchor="{anchor}">{words}</text>'

    def line(stretch: Stretch, colour: str) -> str:
        points = " ".join(f"{x(stretch.first + n)},{y(value)}" for n, value in enumerate(stretch.weights))
        return f'<polyline points="{points}" stroke="{colour}" stroke-dasharray="{stretch.dashes}"/>'

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f'<title>{title}</title><rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        '<g font-family="sans-serif" font-size="12">',
    ]
    for step in range(6):
        value = highest * step / 5
        parts += [
            f'<line x1="{x(0)}" x2="{x(PATROLS)}" y1="{y(value)}" y2="{y(value)}" stroke="{GRID}"/>',
            text(f"{LEFT - 8}", f"{float(y(value)) + 4:.1f}", f"{value:.2f}", anchor="end"),
        ]
    parts += [text(x(patrol), f"{HEIGHT - 24}", str(patrol), anchor="middle") for patrol in range(0, PATROLS + 1, 20)]
    parts += [
        text(x(PATROLS / 2), f"{HEIGHT - 6}", "patrols", anchor="middle"),
        f'<line x1="{x(0)}" x2="{x(PATROLS)}" y1="{y(FADED_IMPORTANCE)}" y2="{y(FADED_IMPORTANCE)}" stroke="{FADED}"/>',
        text(x(1), f"{float(y(FADED_IMPORTANCE)) + 13:.1f}", f"{FADED_IMPORTANCE:g}: dying", FADED),
        '<g fill="none" stroke-width="2">',
        *(
            line(stretch, colour)
            for colour, stretches in zip(COLOURS, lives.values(), strict=False)
            for stretch in stretches
        ),
        "</g>",
    ]
    parts += [
        text(f"{WIDTH - RIGHT - 8}", f"{TOP + 16 + 18 * place}", words, COLOURS[place], "end")
        for place, words in enumerate(lives)
    ]
    return "\n".join([*parts, "</g>", "</svg>", ""])


DRAWINGS = {"fading.svg": fading, "revival.svg": revival}

if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for name, drawing in DRAWINGS.items():
        (IMAGES / name).write_text(drawing())
