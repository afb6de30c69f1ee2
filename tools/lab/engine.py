"""Time operations of linear algebra by scipy's BLAS and LAPACK, which must be OpenBLAS.

The first line printed names the library and its kernels. Then each line of standard input is OPERATION N REPEATS, and is answered by
the seconds of so many calls, without those for copies. Arrays are in Fortran's order, in which the library takes them as they are.
"""

import ctypes
import sys
import time

import numpy as np
from scipy.linalg import blas, lapack


def library():
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "openblas" in line}
    for path in sorted(paths):
        loaded = ctypes.CDLL(path)
        try:
            config, core = loaded.openblas_get_config, loaded.openblas_get_corename
        except AttributeError:
            continue
        config.restype = core.restype = ctypes.c_char_p
        return " ".join(config().decode().split()[:2]) + ", kernels of " + core().decode()
    sys.exit("the BLAS of scipy is not OpenBLAS: apt-get install libopenblas0-pthread")


def succeeded(info):
    if info != 0:
        sys.exit(f"LAPACK says {info}")


def cholesky(a):
    _, info = lapack.dpotrf(a, lower=1, clean=0, overwrite_a=1)
    succeeded(info)


def inverse(a):
    cholesky(a)
    _, info = lapack.dpotri(a, lower=1, overwrite_c=1)
    succeeded(info)


def lu(a):
    _, _, info = lapack.dgetrf(a, overwrite_a=1)
    succeeded(info)


def eigen(a):
    _, _, info = lapack.dsyevd(a, lower=1, overwrite_a=1)
    succeeded(info)


def problem(operation, n):
    """The matrix of an operation, and its call with a place for the answer, which holds a copy of the matrix before."""
    x = np.asfortranarray(np.random.default_rng(n).standard_normal((n, n)))
    if operation == "product":
        return x, lambda c: blas.dgemm(1.0, x, x, beta=0.0, c=c, overwrite_c=1)
    if operation == "symmetric":
        return x, lambda c: blas.dsyrk(1.0, x, beta=0.0, c=c, lower=1, overwrite_c=1)
    if operation == "lu":
        return x, lu
    x = np.asfortranarray(x + x.T)
    x[np.diag_indices(n)] = 4.0 * n
    return x, {"cholesky": cholesky, "inverse": inverse, "eigen": eigen}[operation]


def main():
    print(library(), flush=True)
    kept = {}
    for line in sys.stdin:
        operation, n, repeats = line.split()
        key = operation, int(n)
        if key not in kept:
            kept = {key: problem(*key)}
        x, call = kept[key]
        c = np.empty_like(x)
        seconds = 0.0
        for _ in range(int(repeats)):
            np.copyto(c, x)
            start = time.perf_counter()
            call(c)
            seconds += time.perf_counter() - start
        print(seconds, flush=True)


main()
