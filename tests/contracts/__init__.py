"""What must hold for every kernel: an entry in the registry is all it takes to be tested."""
