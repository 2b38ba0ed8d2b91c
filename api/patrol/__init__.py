"""Routes of patrols and the diary."""
