"""`patrol demo`: a month of one life, lived through the real system in less than a minute or two."""
