"""Model calls and prices."""
