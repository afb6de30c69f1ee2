"""What the tests share: the program, and rows made for them."""

import os
import subprocess

import numpy as np


def program(*args):
    """The output of the program that MERCER names."""
    done = subprocess.run([os.environ["MERCER"], *map(str, args)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return done.stdout


def made(n, d, classes):
    """n rows of d positive numbers, and classes a, b, ... that differ in their middles."""
    rng = np.random.default_rng(n + d)
    kind = rng.integers(classes, size=n)
    X = np.abs(rng.normal(size=(n, d)) + 2 * rng.uniform(0, 2, size=(classes, d))[kind])
    return X, np.array(list("abcdef"))[kind]
