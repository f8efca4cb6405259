"""The flagship: a forest over families of views, each weighed by its outputs out of bag."""
