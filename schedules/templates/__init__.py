"""Templates: human-written schedules with knobs, one for each operator and kind of target."""
