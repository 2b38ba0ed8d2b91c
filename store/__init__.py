"""The only place that speaks SQL. Functions take a transaction first; what must hold together shares one."""
