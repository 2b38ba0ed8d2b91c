"""Model calls, stored responses, batches, provider keys."""
