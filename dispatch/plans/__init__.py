"""Dispatch plans: how they are chosen from measurements, fitted to a code budget, and explained."""
