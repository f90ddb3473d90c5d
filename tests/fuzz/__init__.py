"""Random problems for as long as one likes: `make fuzz`."""
