"""From files and text to documents, passages, entities and relations; no store is touched here."""
