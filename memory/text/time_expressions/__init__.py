"""Expressions of time in questions ("last week", "in May 2023") become intervals, by tables of patterns, with no model.

`resolution` reads a question with the table of its language. A table is one file (`english`, `german`, …): words, and
patterns with a function of `meanings` or `modifiers` as their meaning, which compute with the calendar of `periods`.

To add a language, write a file with one `Language` and name it in `resolution.LANGUAGES`. `english` shows every part;
`language` documents them. A pattern belongs into the table only if its words mean a time nearly always: an expression
that is left alone costs a question nothing, one that is misread ranks the wrong memories first.
"""
