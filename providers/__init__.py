"""The only place that speaks to models: embedders and thinkers."""
