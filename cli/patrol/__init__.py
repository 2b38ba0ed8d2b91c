"""Commands of patrols and the diary."""
