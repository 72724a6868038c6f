"""Block Kit as Slack checks it: every block and element, their fields, lengths and surfaces."""
