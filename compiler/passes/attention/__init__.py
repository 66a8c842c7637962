"""Passes for attention: its products read heads where the dense layers put them."""
