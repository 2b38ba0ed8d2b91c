"""Takes in a transcript and its answer: decides on the changes of the conversation, and stores them."""
