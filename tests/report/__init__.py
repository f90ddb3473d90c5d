"""Reports of findings: what they say, that they are safe, small and readable."""
