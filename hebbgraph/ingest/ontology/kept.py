"""The ontology of a store: the default one, and what its users defined, kept with its snapshots."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hebbgraph.errors import InputError
from hebbgraph.ingest.ontology import definitions, owl
from hebbgraph.ingest.ontology.default import default
from hebbgraph.ingest.ontology.held import faults
from hebbgraph.ingest.ontology.model import Ontology, Relation, extended
from hebbgraph.ingest.reports import OntologyReport
from hebbgraph.snapshots import MEMORY, Snapshot

if TYPE_CHECKING:
    import os

    from hebbgraph.store import Store

KEPT: Final = "ontology"
"""Where the users' types and relations stand in what a snapshot says of its memory."""


def ontology_of(snapshot: Snapshot) -> Ontology:
    """What holds at a snapshot."""
    own, built_in = _own(snapshot), default()
    relations = dict(built_in.relations)
    for relation in own.relations.values():
        known = relations.get(relation.name, relation)
        pairs = dict.fromkeys((*known.pairs, *relation.pairs))
        relations[relation.name] = dataclasses.replace(relation, pairs=tuple(pairs))
    return Ontology({**built_in.types, **own.types}, relations)


def define(
    store: Store, stated: Ontology, *, replace: bool = False, dry_run: bool = False
) -> OntologyReport:
    """Take types and relations into a store; see :meth:`hebbgraph.Memory.define`."""
    begun = time.perf_counter()
    parent = store.snapshot()
    before = _own(parent)
    own = _joined(before, stated, replace=replace)
    # Also refuses what does not go with the default types.
    whole = extended(default(), own.types.values(), own.relations.values())
    changed = own != before
    base = store.graph()
    snapshot = parent
    found = faults(store, parent, base, whole) if changed or dry_run else ()
    if changed and not dry_run:
        names = {"types": sorted(stated.types), "relations": sorted(stated.relations)}
        snapshot = store.commit(
            base, base=base, parent=parent, operation="define",
            parameters={**names, MEMORY: {**parent.memory, KEPT: own.to_dict()}},
            figures={name: len(listed) for name, listed in names.items()},
        )  # fmt: skip
    return OntologyReport(
        snapshot=snapshot.seq, changed=changed and not dry_run,
        seconds=time.perf_counter() - begun, types=tuple(stated.types),
        relations=tuple(stated.relations), violations=found,
    )  # fmt: skip


def _own(snapshot: Snapshot) -> Ontology:
    return definitions.read(snapshot.memory.get(KEPT, {}), "the store")


def _joined(before: Ontology, stated: Ontology, *, replace: bool) -> Ontology:
    types, relations = dict(before.types), dict(before.relations)
    for one in stated.types.values():
        if default().types.get(one.name, one) != one:
            raise InputError(
                f'type "{one.name}" is built in; make a subtype of it, whose properties take the '
                "place of inherited ones"
            )
        if not replace and types.get(one.name, one) != one:
            raise InputError(
                f'type "{one.name}" is defined already, in another way; choose another name, or '
                "replace it by replace=True or --replace"
            )
        if one.name not in default().types:
            types[one.name] = one
    for relation in stated.relations.values():
        known = relations.get(relation.name)
        if known is None or replace:
            relations[relation.name] = relation
            continue
        pairs = dict.fromkeys((*known.pairs, *relation.pairs))
        relations[relation.name] = Relation(
            relation.name, tuple(pairs), relation.description or known.description
        )
    return Ontology(types, relations)


def read_file(path: str | os.PathLike[str]) -> Ontology:
    """Types and relations of a TOML file, or of OWL in any format of RDF."""
    if Path(path).suffix.lower() == ".toml":
        return definitions.read_toml(path)
    return owl.read_owl(path)
