"""Several workspaces and several processes: installations, consents, pace, who works what"""

import sqlalchemy as sa
from alembic import op

revision = "workspaces_0001"
down_revision = "guided_0001"
branch_labels = None
depends_on = None


def _name(name, length=32, nullable=False):
    return sa.Column(name, sa.String(length=length), nullable=nullable)


def _at(name="at", nullable=False):
    return sa.Column(name, sa.Double(), nullable=nullable)


def upgrade() -> None:
    for table in ("inbox", "outbox"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.add_column(_name("worker", nullable=True))
            batch_op.add_column(_at("leased_until", nullable=True))
    op.create_table(
        "installations",
        _name("team"),
        _name("enterprise", nullable=True),
        _name("bot_user"),
        _name("bot_id"),
        _name("url", 255),
        sa.Column("tokens", sa.LargeBinary(), nullable=False),
        _at("expires_at", nullable=True),
        _at("refreshing_until", nullable=True),
        _at("installed_at"),
        sa.PrimaryKeyConstraint("team", name=op.f("pk_installations")),
    )
    op.create_table(
        "departed",
        _name("team"),
        _at(),
        sa.PrimaryKeyConstraint("team", name=op.f("pk_departed")),
    )
    op.create_table(
        "consents",
        _name("state", 64),
        _at(),
        sa.PrimaryKeyConstraint("state", name=op.f("pk_consents")),
    )
    op.create_table(
        "paces",
        _name("team"),
        _name("channel"),
        _name("method"),
        _at("free_at"),
        sa.PrimaryKeyConstraint("team", "channel", "method", name=op.f("pk_paces")),
    )


def downgrade() -> None:
    for table in ("paces", "consents", "departed", "installations"):
        op.drop_table(table)
    for table in ("inbox", "outbox"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.drop_column("leased_until")
            batch_op.drop_column("worker")
