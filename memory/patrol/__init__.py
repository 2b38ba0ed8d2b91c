"""The patrol: nine steps over one Being's memory, their scheduling and progress."""
