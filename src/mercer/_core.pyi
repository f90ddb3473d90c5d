"""The compiled core, as Python sees it. Only `_runtime.py` imports it."""

import enum
from collections.abc import Callable, Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

class Stopped(Exception): ...

def set_seconds_left(ask: Callable[[], float]) -> None: ...
def simd_level() -> str: ...
def simd_levels() -> list[str]: ...
def set_simd_level(name: str) -> bool: ...

class Kernel:
    @staticmethod
    def leaf(name: str, **parameters: float | Sequence[float]) -> Kernel: ...
    @staticmethod
    def constant(value: float) -> Kernel: ...
    def __add__(self, other: Kernel) -> Kernel: ...
    def __mul__(self, other: Kernel) -> Kernel: ...

class Data:
    @staticmethod
    def dense(X: NDArray[np.floating]) -> Data: ...
    @staticmethod
    def csr(
        values: NDArray[np.floating], indices: NDArray[np.integer], indptr: NDArray[np.integer], cols: int
    ) -> Data: ...
    @property
    def shape(self) -> tuple[int, int]: ...

class _Centres:
    def __init__(self, kernel: Kernel, data: Data) -> None: ...
    def evaluate(
        self,
        queries: Data,
        segments: Sequence[tuple[int, int, int]],
        outputs: int,
        coef: NDArray[np.float64],
        threads: int,
    ) -> NDArray[np.float64]: ...

class Centres32(_Centres):
    def matrix(self, queries: Data, threads: int) -> NDArray[np.float32]: ...

class Centres64(_Centres):
    def matrix(self, queries: Data, threads: int) -> NDArray[np.float64]: ...

def expand(
    kernel: Kernel,
    data: Data,
    targets: Sequence[NDArray[np.int64]],
    sources: Sequence[NDArray[np.int64]],
    coef: Sequence[NDArray[np.float64]],
    threads: int,
) -> list[NDArray[np.float64]]: ...
def pair_sums(
    weights: NDArray[np.float64], values: NDArray[np.float64], X: NDArray[np.float64], squared: bool, threads: int
) -> tuple[float, NDArray[np.float64]]: ...
def cross_sums(
    weights: NDArray[np.float64],
    values: NDArray[np.float64],
    X: NDArray[np.float64],
    Z: NDArray[np.float64],
    squared: bool,
    threads: int,
) -> tuple[float, NDArray[np.float64]]: ...
def twofold_gram(
    kernel: Kernel, X: NDArray[np.float64], threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def twofold_expansion(
    kernel: Kernel,
    centres: NDArray[np.float64],
    high: NDArray[np.float64],
    low: NDArray[np.float64],
    queries: NDArray[np.float64],
    threads: int,
) -> NDArray[np.float64]: ...
def twofold_sums(
    values: NDArray[np.float64], high: NDArray[np.float64], low: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def twofold_products(
    high: NDArray[np.float64], low: NDArray[np.float64], coef: NDArray[np.float64], threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def twofold_sum_of_rows(
    X: NDArray[np.float64], high: NDArray[np.float64], low: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def centred_gram(
    high: NDArray[np.float64], low: NDArray[np.float64], threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def pivoted_factor(
    high: NDArray[np.float64], low: NDArray[np.float64], least: float, most_rank: int
) -> NDArray[np.float64]: ...

class _Prepared:
    def __init__(self, kernel: Kernel, data: Data) -> None: ...
    def expand(
        self,
        targets: Sequence[NDArray[np.int64]],
        sources: Sequence[NDArray[np.int64]],
        coef: Sequence[NDArray[np.float64]],
        threads: int,
    ) -> list[NDArray[np.float64]]: ...

class Prepared32(_Prepared):
    def with_kernel(self, kernel: Kernel) -> Prepared32: ...
    def matrix(self, threads: int) -> NDArray[np.float32]: ...

class Prepared64(_Prepared):
    def with_kernel(self, kernel: Kernel) -> Prepared64: ...
    def matrix(self, threads: int) -> NDArray[np.float64]: ...

class _Gram:
    @property
    def size(self) -> int: ...

class Gram32(_Gram):
    @staticmethod
    def computed(data: Prepared32, rows: NDArray[np.int64], threads: int) -> Gram32: ...
    @staticmethod
    def stored(K: NDArray[np.float32], rows: NDArray[np.int64], threads: int) -> Gram32: ...

class Gram64(_Gram):
    @staticmethod
    def computed(data: Prepared64, rows: NDArray[np.int64], threads: int) -> Gram64: ...
    @staticmethod
    def stored(K: NDArray[np.float64], rows: NDArray[np.int64], threads: int) -> Gram64: ...

def sourced_gram(
    source: Callable[[NDArray[np.int64], int, NDArray[np.float64]], int],
    n: int,
    cache_bytes: int,
) -> Gram64: ...

class Status(Enum):
    SOLVED = ...
    TIME_LIMIT = ...
    STEP_LIMIT = ...
    STALLED = ...
    INTERRUPTED = ...
    UNBOUNDED = ...

class Problems:
    def __init__(
        self,
        slope: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        start: NDArray[np.float64],
        kink: NDArray[np.float64],
        two_sums: bool,
        cold: bool,
        starts: NDArray[np.int64],
        held_out: NDArray[np.int64],
    ) -> None: ...

class SolverOptions:
    def __init__(
        self,
        tol: float,
        gap_tol: float,
        screening: bool,
        verify: bool,
        first_sample: int,
        working_set: int,
        largest_working_set: int,
        whole_block: int,
        unit: float,
        least_margin: float,
        record: bool,
        most_steps: int,
        few_rows: int,
    ) -> None: ...

class Seconds:
    def by_stage(self) -> dict[str, float]: ...

class Solutions:
    @property
    def coef(self) -> NDArray[np.float64]: ...
    @property
    def steps(self) -> list[int]: ...
    @property
    def statuses(self) -> list[Status]: ...
    @property
    def seconds(self) -> list[Seconds]: ...
    def rounds(self, problem: int) -> list[tuple[int, int, NDArray[np.float64]]]: ...
    def held_out(self, problem: int) -> tuple[NDArray[np.float64], float, float]: ...

def solve(
    problems: Problems,
    grams: Sequence[_Gram],
    options: SolverOptions,
    seconds: float,
    max_steps: int,
    threads: int,
    report: Callable[[float, int, float, int, int], bool] | None,
) -> Solutions: ...
def kkt_summary(
    slope: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    kink: NDArray[np.float64] | None,
    two_sums: bool,
    start: NDArray[np.float64],
    coef: NDArray[np.float64],
    products: NDArray[np.float64],
    starts: NDArray[np.int64],
    at_bound: float,
) -> tuple[NDArray[np.float64], bool, float, float, float, float]: ...

class LinearTask:
    def __init__(
        self,
        rows: NDArray[np.int64] | None,
        slope: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        kink: NDArray[np.float64] | None,
        weight: NDArray[np.float64] | None,
        start: NDArray[np.float64] | None,
        side: NDArray[np.uint8] | None,
        unit: float,
        first_sum: float,
        second_sum: float,
    ) -> None: ...

class LinearSolution:
    @property
    def w(self) -> NDArray[np.float64]: ...
    @property
    def coef(self) -> NDArray[np.float64]: ...
    @property
    def steps(self) -> int: ...
    @property
    def status(self) -> Status: ...

class LinearMethod(Enum):
    MULTIPLIERS = ...
    COORDINATES = ...

def solve_linear(
    X: Data,
    tasks: Sequence[LinearTask],
    offsets: int,
    offset: float,
    free_offsets: bool,
    method: LinearMethod,
    gap_tol: float,
    tol: float,
    most_factored: int,
    seed: int,
    seconds: float,
    max_steps: int,
    threads: int,
    report: Callable[[float, int, float, int, int], bool] | None,
) -> list[LinearSolution]: ...
def linear_values(
    X: Data, rows: NDArray[np.int64] | None, w: NDArray[np.float64], threads: int
) -> NDArray[np.float64]: ...
def linear_sums(
    X: Data, rows: NDArray[np.int64] | None, coef: NDArray[np.float64], threads: int
) -> NDArray[np.float64]: ...
def linear_products(
    X: Data, rows: NDArray[np.int64] | None, w: NDArray[np.float64], coef: NDArray[np.float64], threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def squared_norms(X: Data, threads: int) -> NDArray[np.float64]: ...

class SgdLoss(Enum):
    SQUARED = ...
    LOGISTIC = ...
    SOFTMAX = ...
    HINGE = ...
    SQUARED_HINGE = ...
    EPSILON_INSENSITIVE = ...
    SQUARED_EPSILON_INSENSITIVE = ...
    HUBER = ...
    MODIFIED_HUBER = ...
    PERCEPTRON = ...

class SgdRate(Enum):
    CONSTANT = ...
    INVERSE_SCALING = ...
    OPTIMAL = ...
    ADAPTIVE = ...

class SgdEnd(Enum):
    PASSES_DONE = ...
    RIGHT = ...
    STEADY = ...
    DIVERGED = ...
    TIME_LIMIT = ...
    INTERRUPTED = ...

class SgdOptions:
    def __init__(
        self,
        loss: SgdLoss,
        epsilon: float,
        l2: float,
        l1: float,
        rate: SgdRate,
        alpha: float,
        eta0: float,
        power_t: float,
        batch_size: int,
        max_passes: int,
        tol: float,
        patience: int,
        average: int,
        fit_intercept: bool,
        shuffle: bool,
        offset_price: float,
        until_right: bool,
    ) -> None: ...

class Orders:
    def __init__(self, n: int, seed: int, shuffle: bool) -> None: ...
    def next(self) -> NDArray[np.int64]: ...

class KnownRows:
    def __init__(
        self,
        X: Data,
        rows: NDArray[np.int64] | None,
        y: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
    ) -> None: ...

def descend(
    training: KnownRows,
    held_out: KnownRows | None,
    positive: Sequence[int],
    class_weights: Sequence[tuple[float, float]],
    functions: int,
    w: NDArray[np.float64],
    average: NDArray[np.float64],
    updates: Sequence[int],
    seeds: Sequence[int],
    options: SgdOptions,
    threads: int,
    seconds: float,
    report: Callable[[float, int, float, int, int], bool] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[int], list[int], list[int], list[SgdEnd]]: ...
def solve_lasso(
    X: Data,
    signs: NDArray[np.float64],
    bounds: NDArray[np.float64],
    offset: float,
    free_offset: bool,
    gap_tol: float,
    starts: NDArray[np.float64] | None,
    seconds: float,
    max_steps: int,
    threads: int,
    report: Callable[[float, int, float, int, int], bool] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[int], list[Status]]: ...
def solve_crammer_singer(
    X: Data,
    labels: NDArray[np.int32],
    classes: int,
    bounds: NDArray[np.float64],
    offset: float,
    gap_tol: float,
    start: NDArray[np.float64] | None,
    seed: int,
    seconds: float,
    max_steps: int,
    threads: int,
    report: Callable[[float, int, float, int, int], bool] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], int, Status]: ...

class Cells:
    def __init__(
        self,
        linear: NDArray[np.float64],
        kink: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        scales: NDArray[np.float64],
        begin: NDArray[np.float64],
    ) -> None: ...

class CellSolutions:
    @property
    def coef(self) -> NDArray[np.float64]: ...
    @property
    def values(self) -> NDArray[np.float64]: ...
    @property
    def optimality(self) -> NDArray[np.float64]: ...
    @property
    def steps(self) -> list[int]: ...
    @property
    def statuses(self) -> list[Status]: ...
    @property
    def copied(self) -> list[bool]: ...

class Room32:
    def __init__(self) -> None: ...

class Room64:
    def __init__(self) -> None: ...

def solve_cells(
    grams: Sequence[Gram32] | Sequence[Gram64],
    problems: Sequence[Sequence[Cells]],
    room: Room32 | Room64,
    options: SolverOptions,
    seconds: float,
    max_steps: int,
    threads: int,
    report: Callable[[float, int, float, int, int], bool] | None,
) -> list[list[CellSolutions]]: ...

class NeighbourIndex:
    def __init__(
        self, rotated: NDArray[np.float32], remainders: NDArray[np.float32], stages: Sequence[int]
    ) -> None: ...
    def nearest(
        self,
        rows: Data,
        queries: Data,
        rotated: NDArray[np.float32],
        remainders: NDArray[np.float32],
        unit: float,
        slack: float,
        excluded: NDArray[np.int64],
        forgotten: NDArray[np.uint8],
        k: int,
        threads: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], tuple[int, int, int]]: ...
    def within(
        self,
        rows: Data,
        queries: Data,
        rotated: NDArray[np.float32],
        remainders: NDArray[np.float32],
        unit: float,
        slack: float,
        excluded: NDArray[np.int64],
        forgotten: NDArray[np.uint8],
        radius: float,
        threads: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], tuple[int, int, int]]: ...

_Found = tuple[NDArray[np.int64], NDArray[np.float64], tuple[int, int, int]]
_FoundWithin = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], tuple[int, int, int]]

def extent_of(rows: Data, threads: int) -> tuple[NDArray[np.float64], float, float]: ...
def turned_to_single(
    rows: Data, centre: NDArray[np.float64], unit: float, directions: NDArray[np.float64], threads: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]: ...
def turned_with_remainders(
    rows: Data, centre: NDArray[np.float64], unit: float, directions: NDArray[np.float64], threads: int
) -> NDArray[np.float64]: ...

class Norm(enum.Enum):
    manhattan = 0
    euclidean = 1
    chebyshev = 2

class KdTree:
    def __init__(self, rows: Data, norm: Norm, threads: int) -> None: ...
    def nearest(
        self,
        queries: Data,
        excluded: NDArray[np.int64],
        forgotten: NDArray[np.uint8],
        original: tuple[Data, Data, float, float] | None,
        k: int,
        threads: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], tuple[int, int, int]]: ...
    def within(
        self,
        queries: Data,
        excluded: NDArray[np.int64],
        forgotten: NDArray[np.uint8],
        original: tuple[Data, Data, float, float] | None,
        radius: float,
        threads: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], tuple[int, int, int]]: ...

class PanelIndex:
    def __init__(self, rows: Data, norm: Norm, threads: int) -> None: ...
    def nearest(
        self, queries: Data, excluded: NDArray[np.int64], forgotten: NDArray[np.uint8], k: int, threads: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], tuple[int, int, int]]: ...
    def within(
        self, queries: Data, excluded: NDArray[np.int64], forgotten: NDArray[np.uint8], radius: float, threads: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], tuple[int, int, int]]: ...

class MaskedIndex:
    def __init__(self, rows: NDArray[np.float64]) -> None: ...
    def nearest(
        self,
        queries: NDArray[np.float64],
        excluded: NDArray[np.int64],
        forgotten: NDArray[np.uint8],
        k: int,
        threads: int,
    ) -> _Found: ...
    def within(
        self,
        queries: NDArray[np.float64],
        excluded: NDArray[np.int64],
        forgotten: NDArray[np.uint8],
        radius: float,
        threads: int,
    ) -> _FoundWithin: ...
    def donors(
        self,
        queries: NDArray[np.float64],
        begins: NDArray[np.int64],
        features: NDArray[np.int64],
        k: int,
        threads: int,
    ) -> _Found: ...

class SparseIndex:
    def __init__(self, rows: Data, cosine: bool) -> None: ...
    def nearest(
        self, queries: Data, excluded: NDArray[np.int64], forgotten: NDArray[np.uint8], k: int, threads: int
    ) -> _Found: ...
    def within(
        self,
        queries: Data,
        excluded: NDArray[np.int64],
        forgotten: NDArray[np.uint8],
        squared_radius: float,
        threads: int,
    ) -> _FoundWithin: ...

class WindowRows:
    def __init__(self, rows: NDArray[np.float64]) -> None: ...
    def nearest(
        self, queries: NDArray[np.float64], excluded: NDArray[np.int64], scale: NDArray[np.float64], threads: int
    ) -> NDArray[np.float64]: ...
    def sums(
        self,
        queries: NDArray[np.float64],
        excluded: NDArray[np.int64],
        scale: NDArray[np.float64],
        profile: str,
        factors: NDArray[np.float64],
        coef: NDArray[np.float64],
        nearest: NDArray[np.float64],
        absolute: NDArray[np.float64],
        relative: float,
        threads: int,
    ) -> NDArray[np.float64]: ...
    def binned(
        self,
        queries: NDArray[np.float64],
        excluded: NDArray[np.int64],
        scale: NDArray[np.float64],
        profile: str,
        factor: float,
        coef: NDArray[np.float64],
        origin: float,
        bits: int,
        table: NDArray[np.float64],
        seen: NDArray[np.int64],
        threads: int,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...

def window_sums_on_line(
    rows: NDArray[np.float64],
    coef: NDArray[np.float64],
    queries: NDArray[np.float64],
    excluded: NDArray[np.int64],
    profile: str,
    bandwidth: float,
    is_closed: bool,
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def fit_line(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    prior: NDArray[np.float64],
    noise: NDArray[np.float64],
    queries: NDArray[np.float64],
    inverse_radius: NDArray[np.float64],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    window: str,
    order: int,
    ridge: float,
    squares: bool,
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.uint8]]: ...
def fit_cloud(
    rows: NDArray[np.float64],
    targets: NDArray[np.float64],
    prior: NDArray[np.float64],
    noise: NDArray[np.float64],
    queries: NDArray[np.float64],
    inverse_radius: NDArray[np.float64],
    begins: NDArray[np.int64],
    list: NDArray[np.int64],
    window: str,
    order: int,
    ridge: float,
    squares: bool,
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.uint8]]: ...
def equivalent_kernels(
    rows: NDArray[np.float64],
    prior: NDArray[np.float64],
    noise: NDArray[np.float64],
    queries: NDArray[np.float64],
    inverse_radius: NDArray[np.float64],
    window: str,
    order: int,
    ridge: float,
    threads: int,
) -> NDArray[np.float64]: ...
def kth_distances(
    rows: NDArray[np.float64], queries: NDArray[np.float64], k: int, threads: int
) -> NDArray[np.float64]: ...
def lowess_anchors(x: NDArray[np.float64], delta: float) -> NDArray[np.int64]: ...

class IndexBase(enum.Enum):
    zero = 0
    one = 1
    detect = 2

class LibsvmFault(enum.Enum):
    bad_label = 0
    missing_label = 1
    several_labels = 2
    bad_entry = 3
    missing_colon = 4
    negative_index = 5
    zero_index = 6
    index_beyond = 7
    not_ascending = 8
    repeated_index = 9
    missing_value = 10
    bad_value = 11
    hexadecimal = 12
    not_finite = 13
    too_large = 14
    bad_query = 15
    misplaced_query = 16
    missing_query = 17

class LibsvmError(Exception):
    args: tuple[LibsvmFault, int, int, bytes, int]

def read_libsvm(
    text: bytes,
    base: IndexBase,
    columns: int | None,
    single: bool,
    finite_only: bool,
    with_queries: bool,
    threads: int,
) -> tuple[
    NDArray[np.floating],
    NDArray[np.integer],
    NDArray[np.integer],
    NDArray[np.float64],
    NDArray[np.int64] | None,
    int,
    bool,
]: ...
def read_libsvm_file(
    descriptor: int,
    size: int,
    base: IndexBase,
    columns: int | None,
    single: bool,
    finite_only: bool,
    with_queries: bool,
    threads: int,
) -> tuple[
    NDArray[np.floating],
    NDArray[np.integer],
    NDArray[np.integer],
    NDArray[np.float64],
    NDArray[np.int64] | None,
    int,
    bool,
]: ...
def libsvm_lines(
    X: Data,
    labels: NDArray[np.float64],
    queries: NDArray[np.int64] | None,
    is_zero_based: bool,
    first: int,
    last: int,
    threads: int,
) -> bytes: ...
