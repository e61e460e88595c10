"""``python -m hebbgraph``."""

from hebbgraph.cli.main import main

if __name__ == "__main__":
    main(prog_name="hebbgraph")
