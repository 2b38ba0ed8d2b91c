"""The retrieval kernel: the words and vectors of a query, and the ranking of candidates by signals.

`store` nominates candidates among an owner's items, of some kinds and within filters; a retrieval computes the value of
each of its signals for each candidate, and weighs them: the formulas of the search, of facts, of the vault and of
knowledge under keys are choices of signals and weights. Recall and the search for words have one signal each; their
candidates are ranked by the statement that nominates them, and activated in it.
"""
