"""What the models of inputs, requests and responses share."""
