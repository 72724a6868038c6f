"""Counters and gauges for Prometheus; no label ever holds a text, a person or a channel."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest


class Metrics:
    """One registry a bot, so that several can live in one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        registry = self.registry
        self.deliveries = Counter(
            "nccl_bot_deliveries", "Deliveries taken in", ["kind", "outcome"], registry=registry
        )
        self.posts = Counter(
            "nccl_bot_posts", "Posts that were looked at", ["outcome"], registry=registry
        )
        self.votes = Counter(
            "nccl_bot_votes", "Votes recorded", ["target", "act"], registry=registry
        )
        self.questions = Counter(
            "nccl_bot_questions", "Questions to posters", ["outcome"], registry=registry
        )
        self.reloads = Counter(
            "nccl_bot_kb_reloads", "Reloads of the knowledge base", ["outcome"], registry=registry
        )
        self.calls = Counter(
            "nccl_bot_slack_calls", "Calls of Slack", ["method", "outcome"], registry=registry
        )
        self.inbox_depth = Gauge(
            "nccl_bot_inbox_depth", "Deliveries waiting for work", registry=registry
        )
        self.outbox_depth = Gauge(
            "nccl_bot_outbox_depth", "Messages waiting to be sent", registry=registry
        )
        self.diagnosis = Histogram(
            "nccl_bot_diagnosis_seconds",
            "Time to diagnose one post",
            buckets=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10),
            registry=registry,
        )
        self.answer = Histogram(
            "nccl_bot_answer_seconds",
            "Time from a delivery to the end of its work",
            buckets=(0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100),
            registry=registry,
        )

    def render(self) -> bytes:
        """Render the exposition format."""
        return generate_latest(self.registry)
