"""Tables, queries by subject and migrations. Every row belongs to a team and no query runs without it."""
