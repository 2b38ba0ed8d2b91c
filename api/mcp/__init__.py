"""MCP tools for a model, and their transport over HTTP."""
