"""What evidence needs: questions, jobs, digests, edits, misses, and logs from elsewhere"""

import sqlalchemy as sa
from alembic import op

revision = '0002'
down_revision = '0001'
branch_labels = None
depends_on = None


def _name(name, length=255, nullable=False):
    return sa.Column(name, sa.String(length=length), nullable=nullable)


def _at(name='at'):
    return sa.Column(name, sa.Double(), nullable=False)


def upgrade() -> None:
    with op.batch_alter_table('events', schema=None) as batch_op:
        batch_op.add_column(_name('origin', 64, nullable=True))
    op.create_table('ledgers',
    _name('team', 32),
    sa.Column('rewrites', sa.Integer(), nullable=False),
    sa.PrimaryKeyConstraint('team', name=op.f('pk_ledgers'))
    )
    op.create_table('barred',
    _name('team', 32),
    _name('person', 64),
    _at(),
    sa.PrimaryKeyConstraint('team', 'person', name=op.f('pk_barred'))
    )
    op.create_table('questions',
    _name('team', 32),
    _name('incident', 64),
    _name('answer', 64),
    _name('outcome', 16),
    _at(),
    sa.PrimaryKeyConstraint('team', 'incident', name=op.f('pk_questions'))
    )
    op.create_table('jobs',
    _name('team', 32),
    _name('sender', 32),
    _name('cluster'),
    _name('job'),
    _name('incident', 64),
    _at(),
    sa.PrimaryKeyConstraint('team', 'sender', 'cluster', 'job', 'incident', name=op.f('pk_jobs'))
    )
    op.create_table('digests',
    _name('team', 32),
    _name('week', 16),
    sa.Column('flags', sa.JSON(), nullable=False),
    _at(),
    sa.PrimaryKeyConstraint('team', 'week', name=op.f('pk_digests'))
    )
    op.create_table('texts',
    _name('team', 32),
    _name('entry'),
    _name('target', 100),
    _name('hash', 64),
    sa.PrimaryKeyConstraint('team', 'entry', 'target', name=op.f('pk_texts'))
    )
    op.create_table('edits',
    _name('team', 32),
    _name('entry'),
    _name('target', 100),
    _name('edit', 16),
    _name('moved_to', 100, nullable=True),
    _name('hash', 64),
    _at(),
    sa.PrimaryKeyConstraint('team', 'entry', 'target', name=op.f('pk_edits'))
    )
    op.create_table('misses',
    _name('team', 32),
    _name('fingerprint', 128),
    _name('line', 300),
    sa.Column('posts', sa.Integer(), nullable=False),
    _at('last_at'),
    sa.PrimaryKeyConstraint('team', 'fingerprint', name=op.f('pk_misses'))
    )


def downgrade() -> None:
    for table in ('misses', 'edits', 'texts', 'digests', 'jobs', 'questions', 'barred', 'ledgers'):
        op.drop_table(table)
    with op.batch_alter_table('events', schema=None) as batch_op:
        batch_op.drop_column('origin')
