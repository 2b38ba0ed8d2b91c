"""Plays a written month against a language model, and scores what the system remembers of it.

`month.jsonl` has the messages in the wire format, and `expected.json` what should come of them, as `scoring.Expected`
describes. Tove Lund, a tiler, talks with her Being Lark: plain facts, plans and what became of them, two matters in
confidence, corrections, a joke, a game, a song, one event told twice and two that only sound alike.
"""
