"""What someone tells a memory beside its documents: types, relations, and edges."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hebbgraph.ingest.ontology.model import Ontology
    from hebbgraph.ingest.reports import LinkReport, OntologyReport
    from hebbgraph.store import Store


class Linked:
    """The verbs of :class:`hebbgraph.Memory` for its ontology and for edges stated by hand.

    Attributes
    ----------
    store : the :class:`~hebbgraph.store.Store` it lives in
    """

    store: Store

    @property
    def ontology(self) -> Ontology:
        """The types and relations that hold now; see ``docs/ontology.md``."""
        from hebbgraph.ingest.ontology.kept import ontology_of

        return ontology_of(self.store.snapshot())

    def define(
        self,
        name: str,
        *,
        parent: str | Sequence[str] | None = None,
        description: str = "",
        properties: Mapping[str, str | Mapping[str, Any]] | None = None,
        replace: bool = False,
    ) -> OntologyReport:
        """Define a type of nodes, for this and all later snapshots.

        Parameters
        ----------
        parent : the type, or types, it is a kind of
        properties : name to a type of values (text, number, integer, boolean, time, list, object,
            any), or to {"type", "required", "description"}; one of an ancestor's name takes its
            place
        replace : put it in place of a type of that name that was defined before

        Raises
        ------
        InputError
            the type is there and is another, a parent is not known, or types would be kinds of each
            other in a circle
        """
        from hebbgraph.ingest.ontology import definitions, kept

        entry = {
            "name": name, "parent": parent, "description": description,
            "properties": properties,
        }  # fmt: skip
        return kept.define(
            self.store, definitions.read({"types": [entry]}, "define"), replace=replace
        )

    def define_relation(
        self,
        name: str,
        pairs: Iterable[tuple[str, str]] = (),
        *,
        description: str = "",
        replace: bool = False,
    ) -> OntologyReport:
        """Say what a relation may join; pairs are added to those it has.

        Parameters
        ----------
        pairs : types of source and target, their subtypes included; ``"*"`` is every type
        replace : put the pairs in place of those that were defined before

        Raises
        ------
        InputError
            a type is not known
        """
        from hebbgraph.ingest.ontology import definitions, kept

        entry = {"name": name, "pairs": pairs, "description": description}
        return kept.define(
            self.store, definitions.read({"relations": [entry]}, "define_relation"),
            replace=replace,
        )  # fmt: skip

    def load_ontology(
        self, path: str | os.PathLike[str], *, replace: bool = False, dry_run: bool = False
    ) -> OntologyReport:
        """Define the types and relations of a file, TOML or OWL; see ``docs/ontology.md``.

        Parameters
        ----------
        replace : put them in place of those of the same names that were defined before
        dry_run : report what of the memory they would not allow, and write nothing

        Raises
        ------
        InputError
            the file cannot be read or taken as it is; then nothing is defined
        """
        from hebbgraph.ingest.ontology import kept

        return kept.define(self.store, kept.read_file(path), replace=replace, dry_run=dry_run)

    def link(
        self,
        source: str | int,
        target: str | int,
        relation: str = "related",
        *,
        weight: float | None = None,
        properties: Mapping[str, Any] | None = None,
    ) -> LinkReport:
        """State an edge between two nodes, such as documents, by their ids.

        It stays until :meth:`unlink` or the removal of a document at its end.  Linking again makes
        no second edge: a weight that has learned stays, another becomes the one given; properties
        given take the place of those of the same name.

        Parameters
        ----------
        weight : ≥ 0; None is 1.0 for a new edge, and for another the weight that it has
        properties : what JSON can hold

        Raises
        ------
        NodeNotFoundError
            there is no such node
        OntologyError
            the relation does not join nodes of these kinds
        InputError
            source and target are one node, or an option cannot be taken as it is
        """
        entry = {"source": source, "target": target, "relation": relation, "weight": weight,
                 "properties": properties}  # fmt: skip
        return self.link_many([entry])

    def link_many(self, links: Iterable[Mapping[str, Any]]) -> LinkReport:
        """State many edges in one commit, or none if one is refused.

        Parameters
        ----------
        links : mappings with the names of :meth:`link`'s arguments; of several on one edge the
            last counts
        """
        from hebbgraph.ingest.ontology.linking import link

        return link(self.store, links)

    def unlink(self, source: str | int, target: str | int, relation: str = "related") -> LinkReport:
        """Take back an edge that was linked; one that text states too comes back with `cognify`.

        Raises
        ------
        NodeNotFoundError, InputError
            there is no such node, or no such linked edge
        """
        from hebbgraph.ingest.ontology.linking import unlink

        return unlink(self.store, source, target, relation)
