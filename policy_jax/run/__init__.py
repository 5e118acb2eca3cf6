"""One run: its folder, what its stages are given, and what they record."""
