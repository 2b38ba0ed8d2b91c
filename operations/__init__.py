"""Every operation that a door offers, declared once: routes and commands are made from these declarations."""
