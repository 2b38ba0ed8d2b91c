"""The retrieval kernel: the words and vectors of a query, and the ranking of candidates by signals.

A retrieval looks among what an owner has, of some kinds and within filters (`store` nominates), tells what each of its
signals is worth for each candidate, and weighs them: the formulas of the search, of facts, of the vault and of
knowledge under keys are choices of signals and weights. Recall and the search for words have one signal each; they are
ranked where they are nominated, and activated in the same statement.
"""
