"""What each migration makes of the schema beside its own statements: policies, roles, estimates for the planner."""
