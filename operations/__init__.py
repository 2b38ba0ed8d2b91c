"""Every operation that a door offers, declared once: routes, commands and tools are made from these declarations."""
