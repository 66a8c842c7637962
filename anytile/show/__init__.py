"""What people see: tables, progress, summaries, figures, the report."""
