"""Entities and relations by rule, without a model."""
