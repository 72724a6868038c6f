"""Slack: what comes in, what goes out, and how an answer looks."""
