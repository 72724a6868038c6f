"""What becomes of posts: the head that an answer took over, edits, where channels reach"""

import sqlalchemy as sa
from alembic import op

revision = "life_0001"
down_revision = "workspaces_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("answers", schema=None) as batch_op:
        batch_op.add_column(sa.Column("head", sa.String(length=255), nullable=True))
    with op.batch_alter_table("posts", schema=None) as batch_op:
        batch_op.add_column(sa.Column("edited", sa.String(length=32), nullable=True))
    op.create_table(
        "places",
        sa.Column("team", sa.String(length=32), nullable=False),
        sa.Column("channel", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("is_shared", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("team", "channel", name=op.f("pk_places")),
    )


def downgrade() -> None:
    op.drop_table("places")
    with op.batch_alter_table("posts", schema=None) as batch_op:
        batch_op.drop_column("edited")
    with op.batch_alter_table("answers", schema=None) as batch_op:
        batch_op.drop_column("head")
