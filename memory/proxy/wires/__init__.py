"""The wires that programs speak to the proxy: what a request of each says, and where memory goes into it."""
