"""The one family of errors a caller can act on.

A message is one line: what was expected, what came, where, and what to do.
"""

from __future__ import annotations

from typing import Any


class HebbGraphError(Exception):
    """Base of every error that hebbgraph raises on purpose."""


class InputError(HebbGraphError, ValueError):
    """Data that cannot be taken as it is."""


class OntologyError(InputError):
    """Nodes or edges that the ontology does not allow; ``violations`` has every one."""

    def __init__(self, message: str, violations: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.violations = violations


class ParameterError(HebbGraphError, ValueError):
    """An option outside its range."""


class NodeNotFoundError(HebbGraphError, KeyError):
    """A node id that the graph does not hold."""

    def __str__(self) -> str:
        return str(self.args[0])


class MissingPackageError(HebbGraphError, ImportError):
    """An optional package that is not installed; the message says how to get it."""


class StoreError(HebbGraphError):
    """A store that cannot be opened, read or written."""


class StoreNotFoundError(StoreError, FileNotFoundError):
    """Nothing stands at the path."""


class SnapshotNotFoundError(StoreError, LookupError):
    """The store has no snapshot of that number."""


class SchemaVersionError(StoreError):
    """The store was written by a newer schema than this version reads."""


class ConflictError(StoreError):
    """Another writer committed first."""


class StoreWriteError(StoreError, OSError):
    """The folder could not be written; the store is as it was."""


class ProviderError(HebbGraphError):
    """A model that did not answer, or answered with what cannot be used."""
