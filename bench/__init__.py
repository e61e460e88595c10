"""Measurements that stand beside peers doing the same work in the same run."""
