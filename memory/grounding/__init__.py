"""Whether what a model states stands in the words that it rests on: names, numbers and dates, by value."""
