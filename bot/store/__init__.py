"""Tables, queries by subject and migrations. Every row belongs to a team and no query runs without it."""

# All tables are known as soon as anything of the store is.
from bot.store import guided_tables as guided_tables, workspace_tables as workspace_tables
