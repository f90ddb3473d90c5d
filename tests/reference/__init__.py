"""Naive twins: each kernel, problem and optimum once more, written for the eye and not for speed."""
