"""The engine: pure functions from a text and a knowledge base to a diagnosis."""
