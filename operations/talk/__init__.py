"""Sessions, their messages, and the results of judging them."""
