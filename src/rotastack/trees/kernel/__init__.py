"""The compiled part of the forest: numbers in, numbers out, no Python objects and no GIL."""
