"""The common part of the models of inputs, requests and responses."""
