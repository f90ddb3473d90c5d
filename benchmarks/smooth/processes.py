"""The search for a kernel's parameters as other libraries do it, each by SciPy's L-BFGS-B from the same start.

All have the kernel `variance · RBF(length scales) + noise`; θ are the logarithms of these, within the bounds that
scikit-learn has.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from benchmarks.ways.book import installed
from mercer.typing import Floats

__all__ = ["NOISE", "Search", "by_gpytorch", "by_tinygp"]

#: The variance of the noise to begin with.
NOISE = 0.1
_BOUNDS = (math.log(1e-5), math.log(1e5))


class Search(NamedTuple):
    """The logarithm of the largest likelihood found, and how many were evaluated."""

    likelihood: float
    evaluations: int


def _search(cost: Callable[[Floats], tuple[float, Floats]], scales: int) -> Search:
    start = np.append(np.zeros(1 + scales), math.log(NOISE))
    found = minimize(cost, start, method="L-BFGS-B", jac=True, bounds=[_BOUNDS] * len(start))
    return Search(-float(found.fun), int(found.nfev))


def by_gpytorch(scales: int) -> Callable[[Floats, Floats], Search] | None:
    """GPyTorch's likelihood by Cholesky in float64; None where it is not installed."""
    gpytorch = installed("gpytorch")
    return None if gpytorch is None else lambda X, y: _gpytorch(gpytorch, X, y, scales)


def _gpytorch(gpytorch: Any, X: Floats, y: Floats, scales: int) -> Search:
    torch = installed("torch")
    rows, targets = torch.tensor(X), torch.tensor(y)

    class Exact(gpytorch.models.ExactGP):  # type: ignore[misc]
        def __init__(self, likelihood: Any) -> None:
            super().__init__(rows, targets, likelihood)
            self.mean_module = gpytorch.means.ZeroMean()
            inner = gpytorch.kernels.RBFKernel(ard_num_dims=scales if scales > 1 else None)
            self.covar_module = gpytorch.kernels.ScaleKernel(inner)

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    noise = gpytorch.likelihoods.GaussianLikelihood(noise_constraint=gpytorch.constraints.Positive())
    model = Exact(noise).double()
    model.train()
    marginal = gpytorch.mlls.ExactMarginalLogLikelihood(noise, model)

    def cost(theta: Floats) -> tuple[float, Floats]:
        free = torch.tensor(theta, requires_grad=True)
        numbers = free.exp()
        kernel = model.covar_module
        values = {
            kernel.raw_outputscale: kernel.raw_outputscale_constraint.inverse_transform(numbers[0]),
            kernel.base_kernel.raw_lengthscale: kernel.base_kernel.raw_lengthscale_constraint.inverse_transform(
                numbers[1:-1]
            ).reshape(1, -1),
            noise.noise_covar.raw_noise: noise.noise_covar.raw_noise_constraint.inverse_transform(numbers[-1:]),
        }
        with torch.no_grad():
            for parameter, value in values.items():
                parameter.copy_(value.reshape(parameter.shape))
        model.zero_grad()
        with gpytorch.settings.max_cholesky_size(10**6):
            value = marginal(model(rows), targets) * len(y)
        value.backward()
        total = sum((value * parameter.grad.reshape(value.shape)).sum() for parameter, value in values.items())
        (slopes,) = torch.autograd.grad(total, free)
        return -float(value), -slopes.numpy()

    return _search(cost, scales)


def by_tinygp(scales: int) -> Callable[[Floats, Floats], Search] | None:
    """tinygp's likelihood, compiled by JAX in float64; None where it is not installed."""
    tinygp = installed("tinygp")
    return None if tinygp is None else lambda X, y: _tinygp(tinygp, X, y, scales)


def _tinygp(tinygp: Any, X: Floats, y: Floats, scales: int) -> Search:
    jax = installed("jax")
    jax.config.update("jax_enable_x64", True)
    rows, targets = jax.numpy.asarray(X), jax.numpy.asarray(y)

    def negative(theta: Any) -> Any:
        numbers = jax.numpy.exp(theta)
        base = numbers[0] * tinygp.kernels.ExpSquared()
        kernel = tinygp.transforms.Linear(1 / numbers[1:-1] * jax.numpy.ones(X.shape[1]), base)
        return -tinygp.GaussianProcess(kernel, rows, diag=numbers[-1]).log_probability(targets)

    evaluate = jax.jit(jax.value_and_grad(negative))

    def cost(theta: Floats) -> tuple[float, Floats]:
        value, slopes = evaluate(theta)
        return float(value), np.asarray(slopes, dtype=np.float64)

    return _search(cost, scales)
