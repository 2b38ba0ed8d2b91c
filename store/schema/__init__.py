"""Parts of the schema that each migration makes anew: policies, roles, estimates for the planner."""
