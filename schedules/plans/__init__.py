"""Dispatch plans as frozen data, and their JSON: what a database stores and a kernel is built from."""
