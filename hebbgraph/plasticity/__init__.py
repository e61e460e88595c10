"""The learning rules, one a module, and the pass that runs them in order."""
