"""The options of svm-train, as LIBSVM has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mercer.cli.svm_words import UsageError, real_number, whole_number
from mercer.errors import InputError
from mercer.io.libsvm_models import LibsvmProblem
from mercer.kernels import RBF, Kernel, Linear, Polynomial, Precomputed, Sigmoid

__all__ = ["USAGE", "TrainingOptions", "read_training_options"]

USAGE = """\
Usage: svm-train [options] training_set_file [model_file]
options:
-s svm_type : set type of SVM (default 0)
	0 -- C-SVC		(multi-class classification)
	1 -- nu-SVC		(multi-class classification)
	2 -- one-class SVM
	3 -- epsilon-SVR	(regression)
	4 -- nu-SVR		(regression)
-t kernel_type : set type of kernel function (default 2)
	0 -- linear: u'*v
	1 -- polynomial: (gamma*u'*v + coef0)^degree
	2 -- radial basis function: exp(-gamma*|u-v|^2)
	3 -- sigmoid: tanh(gamma*u'*v + coef0)
	4 -- precomputed kernel (kernel values in training_set_file)
-d degree : set degree in kernel function (default 3)
-g gamma : set gamma in kernel function (default 1/num_features)
-r coef0 : set coef0 in kernel function (default 0)
-c cost : set the parameter C of C-SVC, epsilon-SVR, and nu-SVR (default 1)
-n nu : set the parameter nu of nu-SVC, one-class SVM, and nu-SVR (default 0.5)
-p epsilon : set the epsilon in loss function of epsilon-SVR (default 0.1)
-m cachesize : set cache memory size in MB (default 100)
-e epsilon : set tolerance of termination criterion (default 0.001)
-h shrinking : whether to use the shrinking heuristics, 0 or 1 (default 1)
-b probability_estimates : whether to train a model for probability estimates, 0 or 1 (default 0)
-wi weight : set the parameter C of class i to weight*C, for C-SVC (default 1)
-v n: n-fold cross validation mode
-q : quiet mode (no outputs)
"""

_PROBLEMS = tuple(LibsvmProblem)
_NUMBERS = {"g": "gamma", "r": "coef0", "n": "nu", "m": "megabytes", "c": "C", "e": "tol", "p": "epsilon"}
_WHOLE = {"s": "svm_type", "t": "kernel_type", "d": "degree", "h": "shrinking", "b": "probability", "v": "folds"}


@dataclass(frozen=True)
class TrainingOptions:
    """What svm-train is asked for."""

    svm_type: int = 0
    kernel_type: int = 2
    degree: int = 3
    gamma: float = 0.0
    coef0: float = 0.0
    C: float = 1.0
    nu: float = 0.5
    epsilon: float = 0.1
    megabytes: float = 100.0
    tol: float = 1e-3
    shrinking: int = 1
    probability: int = 0
    weights: dict[int, float] = field(default_factory=dict)
    folds: int = 0
    quiet: bool = False
    data: str = ""
    model: str = ""

    @property
    def problem(self) -> LibsvmProblem:
        return _PROBLEMS[self.svm_type]

    @property
    def is_precomputed(self) -> bool:
        return self.kernel_type == 4

    def kernel(self, largest_index: int) -> Kernel:
        """The kernel; a gamma of zero is one over the number of features."""
        gamma = self.gamma or (1.0 / largest_index if largest_index else 0.0)
        kinds: list[Kernel] = [
            *(Linear(), Polynomial(self.degree, gamma, self.coef0), RBF(gamma)),
            *(Sigmoid(gamma, self.coef0), Precomputed()),
        ]
        return kinds[self.kernel_type]

    def check(self) -> None:
        """Raises with LIBSVM's words where a parameter has a value that it cannot have."""
        if self.svm_type not in range(len(_PROBLEMS)):
            raise InputError("ERROR: unknown svm type")
        if self.kernel_type not in range(5):
            raise InputError("ERROR: unknown kernel type")
        has_C = self.svm_type in (0, 3, 4)
        has_nu = self.svm_type in (1, 2, 4)
        wrong = {
            "gamma < 0": self.kernel_type in (1, 2, 3) and self.gamma < 0,
            "degree of polynomial kernel < 0": self.kernel_type == 1 and self.degree < 0,
            "cache_size <= 0": self.megabytes <= 0,
            "eps <= 0": self.tol <= 0,
            "C <= 0": has_C and self.C <= 0,
            "nu <= 0 or nu > 1": has_nu and not 0 < self.nu <= 1,
            "p < 0": self.svm_type == 3 and self.epsilon < 0,
            "shrinking != 0 and shrinking != 1": self.shrinking not in (0, 1),
            "probability != 0 and probability != 1": self.probability not in (0, 1),
            "weight <= 0": self.svm_type == 0 and any(weight <= 0 for weight in self.weights.values()),
        }
        for message, holds in wrong.items():
            if holds:
                raise InputError(f"ERROR: {message}")


def read_training_options(arguments: list[str]) -> TrainingOptions:
    """The options of a command line; of an option only the first letter counts, and its value stands after it."""
    rest = list(arguments)
    told: dict[str, Any] = {}
    weights: dict[int, float] = {}
    while rest and rest[0].startswith("-") and rest[0] != "-":
        word = rest.pop(0)
        letter = word[1]
        if letter == "q":
            told["quiet"] = True
            continue
        if not rest:
            raise UsageError
        if letter == "w":
            label = whole_number(word[2:])
            weights[label] = weights.get(label, 1.0) * real_number(rest.pop(0))
        elif letter in _NUMBERS:
            told[_NUMBERS[letter]] = real_number(rest.pop(0))
        elif letter in _WHOLE:
            told[_WHOLE[letter]] = whole_number(rest.pop(0))
        else:
            raise UsageError(f"Unknown option: -{letter}")
        if letter == "v" and told["folds"] < 2:
            raise UsageError("n-fold cross validation: n must >= 2")
    if not rest:
        raise UsageError
    data = rest[0]
    named = rest[1] if len(rest) > 1 else f"{'stdin' if data == '-' else data.rpartition('/')[2]}.model"
    return TrainingOptions(**told, weights=weights, data=data, model=named)
