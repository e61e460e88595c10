"""Embedding and language models behind two small protocols."""
