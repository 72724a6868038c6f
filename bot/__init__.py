"""The edge: Slack, webhooks, storage and pages round the engine."""
