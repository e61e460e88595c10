"""What kinds of things a memory holds, what they must say, and what may join them."""
