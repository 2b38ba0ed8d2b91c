"""Blocks of markup: each mark is paired once, whatever stays open, by the length of the text."""

import pytest

from memory.text.markup import Markup
from memory.wrapping.own_words import own_words
from tests.documents.steps import lines_run

BLOCKS = {
    "a fence": ("a ```py\nb``` c", ["```py\nb```"]),
    "a longer fence": ("````\n```\nb\n```\n````c", ["````\n```\nb\n```\n````"]),
    "an open fence": ("``` a\n~~~\nb\n~~~", ["~~~\nb\n~~~"]),
    "a comment": ("a <!-- b\n <p> --> c </p>", ["<!-- b\n <p> -->"]),
    "a tag within its own": ("<a>b<A x='1'>c</a></a >d", ["<a>b<A x='1'>c</a></a >"]),
    "an open tag": ("<br>a<b>c</b>", ["<b>c</b>"]),
    "more opened than closed": ("<p>a<p>b</p>c", ["<p>a<p>b</p>"]),
    "a tag that closes itself": ("<a x='1' />b</a>", []),
    "a tag that closes itself within its own": ("<a>b<a x='1' />c</a>d", ["<a>b<a x='1' />c</a>"]),
    "a tag about a fence": ("<a>```</a>```", ["<a>```</a>"]),
}
PIECES = [
    *("```", "````\n", "<a>", "</a>", "<a ", "<!--", "-->", '"""\n', "<source>", "</source>\n", "Sources:\n```\n"),
    *(
        "[Start a new Chat]\n\n",
        "[summary: a]\n\n",
        "[summary: [",
        "Web search results:\n1. a\n\n",
        "Context:\n```\n\n```\n",
    ),
    *("x\n\n", "<source>a</source>\n", "<source>\n", "Context: '''", "\n \n", "Context:\n```\n\n```\n"),
]


@pytest.mark.parametrize(("text", "blocks"), BLOCKS.values(), ids=BLOCKS)
def test_outermost_blocks(text, blocks):
    found = Markup(text).blocks("fence", "comment", "tag")
    assert [text[block.opens.start : block.closes.end] for block in found] == blocks


def test_a_block_is_of_the_kinds_that_are_asked_for():
    text = '"""\n<a>b</a>\n"""'
    assert [text[block.content] for block in Markup(text).blocks("tag")] == ["b"]
    assert [text[block.content] for block in Markup(text).blocks("quote", "tag")] == ["\n<a>b</a>\n"]
    assert not Markup(text, "b".__eq__).marks[1:-1]


@pytest.mark.parametrize("piece", PIECES)
def test_a_line_twice_as_long_takes_twice_the_lines_of_code(piece):
    def run(count):
        text = piece * count + "my own words\n\n" + piece * count
        return lines_run(lambda: (own_words(text), list(Markup(text).blocks("fence", "comment", "tag"))))

    assert run(400) < 2.5 * run(200)
