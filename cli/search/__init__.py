"""The commands of the search over everything, and of questions to the memory."""
