"""How every benchmark times, judges and reports: one harness, one machine's description, one kind of results."""
