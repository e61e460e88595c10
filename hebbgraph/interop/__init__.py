"""Doors to neighbours: files, graph libraries and other stores, one neighbour a module."""
