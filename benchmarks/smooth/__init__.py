"""Benchmarks of machines that are smooth: ridge regression, Gaussian processes, scales of features."""
