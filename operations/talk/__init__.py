"""Sessions, their messages, and what was judged of them."""
