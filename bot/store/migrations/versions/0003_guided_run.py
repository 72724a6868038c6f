"""What the guided run and self-service need: names, fixes, unsolved threads, snoozes, a job feed"""

import sqlalchemy as sa
from alembic import op

revision = "guided_0001"
down_revision = "0002"
branch_labels = None
depends_on = None


def _name(name, length=64, nullable=False):
    return sa.Column(name, sa.String(length=length), nullable=nullable)


def _at(name="at"):
    return sa.Column(name, sa.Double(), nullable=False)


def upgrade() -> None:
    with op.batch_alter_table("channels", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("jobs", sa.Boolean(), nullable=False, server_default=sa.false())
        )
    op.create_table(
        "names",
        _name("team", 32),
        _name("voter"),
        _name("name", 80),
        _at(),
        sa.PrimaryKeyConstraint("team", "voter", name=op.f("pk_names")),
    )
    op.create_table(
        "fixes",
        _name("team", 32),
        _name("id"),
        _name("incident"),
        _name("entry", 255),
        _name("voter"),
        _name("text", 2000),
        _name("channel", 32, nullable=True),
        _name("ts", 32, nullable=True),
        _at(),
        sa.PrimaryKeyConstraint("team", "id", name=op.f("pk_fixes")),
    )
    op.create_index("ix_fixes_team_incident", "fixes", ["team", "incident"])
    op.create_table(
        "unsolved",
        _name("team", 32),
        _name("answer"),
        _name("incident"),
        _name("entry", 255),
        _name("channel", 32),
        _name("thread", 32, nullable=True),
        _name("voter"),
        _at(),
        sa.PrimaryKeyConstraint("team", "answer", name=op.f("pk_unsolved")),
    )
    op.create_table(
        "snoozes",
        _name("team", 32),
        _name("channel", 32),
        _name("entry", 255),
        _at("until"),
        sa.PrimaryKeyConstraint("team", "channel", "entry", name=op.f("pk_snoozes")),
    )


def downgrade() -> None:
    for table in ("snoozes", "unsolved", "fixes", "names"):
        op.drop_table(table)
    with op.batch_alter_table("channels", schema=None) as batch_op:
        batch_op.drop_column("jobs")
