"""The database as SQLAlchemy sees it: connections, tables, migrations, rows and queries."""
