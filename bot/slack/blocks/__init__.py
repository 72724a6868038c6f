"""How messages look: pure functions from what is to be said to blocks and a plain text."""
