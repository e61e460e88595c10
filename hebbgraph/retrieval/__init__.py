"""Search that uses what the graph learned."""
