"""What a release consists of, made of the commit alone: the same commit gives the same bytes."""
