"""The vault: durable statements behind a write gate."""
