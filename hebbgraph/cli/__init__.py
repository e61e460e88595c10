"""The command line: parses, calls, prints; computes nothing."""
