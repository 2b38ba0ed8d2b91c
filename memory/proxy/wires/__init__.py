"""The wires that programs speak to the proxy: the content of a request of each, and the place of memory in it."""
