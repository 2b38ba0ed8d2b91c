"""Running the system: health, dead letters, periodic upkeep."""
