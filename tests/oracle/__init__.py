"""An independent replay of usher's request log, to compare with what the worker really did."""
