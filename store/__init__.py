"""The only place that speaks SQL. Functions take a transaction first; changes that must hold together share one."""
