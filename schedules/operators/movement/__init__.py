"""Operators that only move elements: transposition, joining, cutting, looking up, padding."""
