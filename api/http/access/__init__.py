"""Authentication: tokens, logins of the memory page, and throttled guesses."""
