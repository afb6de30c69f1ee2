"""Rows, kernels and the functions that a model is made of: sums over centres, linear functions, weighted means."""

import numpy as np

from ._cells import ModelError

_PANEL = 1 << 16  # kernel values that are computed at a time: 512 kB, which a processor's second cache holds
_BLOCK = 512  # centres of a panel
_DENSE_SHARE = 0.25  # stored entries from which products of sparse rows are slower than those of dense ones
_CLOSE = 1e-4  # squared distances below this share of the squared lengths are summed term by term
_EXACT = 1e4  # exponents below are right to 1e-11 as a sum of their parts, which is quicker


class Rows:
    """n rows of d columns: a dense array, or (start, index, value) of compressed sparse rows."""

    def __init__(self, dense=None, sparse=None, width=0, first=0):
        self.array, self.sparse, self.first = dense, sparse, first
        self.n = len(dense) if sparse is None else len(sparse[0]) - 1
        self.d = dense.shape[1] if sparse is None else width

    def take(self, lo, hi):
        if self.sparse is None:
            return Rows(self.array[lo:hi], first=self.first + lo)
        start, index, value = self.sparse
        a, b = start[lo], start[hi]
        return Rows(sparse=(start[lo : hi + 1] - a, index[a:b], value[a:b]), width=self.d, first=self.first + lo)

    def select(self, rows):
        if self.sparse is None:
            return Rows(self.array[rows])
        start, index, value = self.sparse
        count = start[1:][rows] - start[:-1][rows]
        at = _ranges(start[:-1][rows], count)
        return Rows(sparse=(np.concatenate([[0], np.cumsum(count)]), index[at], value[at]), width=self.d)

    def dense(self):
        if self.sparse is None:
            return self.array
        start, index, value = self.sparse
        out = np.zeros((self.n, self.d))
        out[np.repeat(np.arange(self.n), np.diff(start)), index] = value
        return out

    def columns(self, idx):
        return self if idx is None else Rows(self.dense()[:, idx], first=self.first)

    def times(self, factor):
        """Every column multiplied by its factor."""
        if self.sparse is None:
            return Rows(self.array * factor, first=self.first)
        start, index, value = self.sparse
        return Rows(sparse=(start, index, value * factor[index]), width=self.d, first=self.first)

    def squares(self):
        if self.sparse is None:
            return np.einsum("ij,ij->i", self.array, self.array)
        start, _, value = self.sparse
        return np.bincount(np.repeat(np.arange(self.n), np.diff(start)), weights=value * value, minlength=self.n)


def _ranges(start, count):
    """start[0], start[0]+1, ..., of count[0] numbers, then those of start[1], ..."""
    ends = np.cumsum(count)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - count - start, count)


class _Points:
    """Centres prepared for inner products and squared distances with rows."""

    def __init__(self, rows, distances):
        if rows.sparse is not None and len(rows.sparse[1]) >= _DENSE_SHARE * rows.n * rows.d:
            rows = Rows(rows.dense())
        self.rows, self.shift, self.turned = rows, None, None
        if rows.sparse is not None:
            start, index, value = rows.sparse
            order = np.argsort(index, kind="stable")
            count = np.bincount(index, minlength=rows.d)
            self.turned = (np.concatenate([[0], np.cumsum(count)]), np.repeat(np.arange(rows.n), np.diff(start))[order], value[order])
        elif distances:
            self.shift = rows.array.mean(axis=0)  # distances do not change, and less of them cancels
            self.rows = Rows(rows.array - self.shift)
        self.norm = self.rows.squares()
        self.own = None if self.turned else np.ascontiguousarray(self.rows.array.T)

    def _form(self, x):
        """x in the form of the centres."""
        if self.turned is None:
            array = x.dense()
            return Rows(array if self.shift is None else array - self.shift)
        if x.sparse is not None:
            return x
        row, index = np.nonzero(x.array)
        start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=x.n))])
        return Rows(sparse=(start, index, x.array[row, index]), width=x.d)

    def inner(self, x):
        return self._inner(self._form(x))

    def _inner(self, x):
        if self.turned is None:
            return x.array @ self.own
        (begin, centre, entry), (start, index, value) = self.turned, x.sparse
        out = np.zeros((x.n, self.rows.n))
        for i in range(x.n):
            j, v = index[start[i] : start[i + 1]], value[start[i] : start[i + 1]]
            count = begin[j + 1] - begin[j]
            at = _ranges(begin[j], count)
            out[i] = np.bincount(centre[at], weights=entry[at] * np.repeat(v, count), minlength=self.rows.n)
        return out

    def distances(self, x):
        """Squared Euclidean distances."""
        x = self._form(x)
        total = x.squares()[:, None] + self.norm
        s = self._inner(x)
        s *= -2
        s += total
        total *= _CLOSE
        i, j = np.nonzero(s < total)
        for lo in range(0, len(i), 4096):
            a, b = i[lo : lo + 4096], j[lo : lo + 4096]
            apart = x.select(a).dense() - self.rows.select(b).dense()
            s[a, b] = np.einsum("ij,ij->i", apart, apart)
        return np.maximum(s, 0, out=s)


def softmax(z):
    z = np.exp(z - z.max(axis=1, keepdims=True))
    return z / z.sum(axis=1, keepdims=True)


# Kernels. cross(x) is k(x_i, centre_j); own(x) is k(x_i, x_i).


class _Shape:
    """A kernel that is a function of the inner product, or of the squared distance."""

    def __init__(self, spec, centres):
        self.kind, self.spec, self.factor = spec["type"], spec, None
        if self.kind == "ard-gaussian":
            self.factor = 1 / np.array(spec["sigma"])
        elif self.kind == "ard-linear":
            self.factor = 1 / np.sqrt(np.array(spec["c"]))
        self.apart = self.kind in ("gaussian", "ard-gaussian", "laplacian")
        self.points = _Points(centres if self.factor is None else centres.times(self.factor), self.apart)
        self.rate = None
        if self.kind in ("gaussian", "ard-gaussian") and self.points.own is not None:
            self.rate = 0.5 if self.factor is not None else 0.5 / spec["sigma"] ** 2
        if self.rate:
            norm = -self.rate * self.points.norm
            self.parts = np.vstack([2 * self.rate * self.points.own, norm, np.ones_like(norm)])

    def cross(self, x):
        if self.factor is not None:
            x = x.times(self.factor)
        if self.rate:
            apart = x.dense() - self.points.shift
            norm = -self.rate * np.einsum("ij,ij->i", apart, apart)
            if min(norm.min(), self.parts[-2].min()) > -_EXACT:
                s = np.column_stack([apart, np.ones_like(norm), norm]) @ self.parts
                np.minimum(s, 0, out=s)
                return np.exp(s, out=s)
        return self.value(self.points.distances(x) if self.apart else self.points.inner(x))

    def own(self, x):
        if self.apart:
            return np.ones(x.n)
        return self.value((x if self.factor is None else x.times(self.factor)).squares())

    def value(self, s):
        k = self.spec
        if self.kind == "gaussian":
            s *= -0.5 / k["sigma"] ** 2
            return np.exp(s, out=s)
        if self.kind == "ard-gaussian":
            s *= -0.5
            return np.exp(s, out=s)
        if self.kind == "laplacian":
            np.sqrt(s, out=s)
            s *= -1 / k["sigma"]
            return np.exp(s, out=s)
        if self.kind == "polynomial":
            return (k["scale"] * s + k.get("offset", 0.0)) ** k["degree"]
        if self.kind == "sigmoid":
            return np.tanh(k["scale"] * s + k.get("offset", 0.0))
        return s


class _Differences:
    """A kernel of the sum of absolute differences, or of their squares, each column divided by its width."""

    def __init__(self, spec, centres):
        self.spec, self.power = spec, spec.get("power", 1)
        sigma = np.atleast_1d(np.array(spec["sigma"], dtype=float))
        if "group" in spec:
            sigma = sigma[spec["group"]]
        self.sigma, self.centres = sigma, centres.dense() / sigma

    def cross(self, x):
        x = x.dense() / self.sigma
        s = np.zeros((len(x), len(self.centres)))
        for k in range(x.shape[1]):
            apart = x[:, k, None] - self.centres[None, :, k]
            s += np.abs(apart) if self.power == 1 else apart * apart
        if self.spec["type"] == "ard-rational":
            return (1 + s / self.spec["alpha"]) ** -self.spec["alpha"]
        return np.exp(-s)

    def own(self, x):
        return np.ones(x.n)


class _Ranks:
    """prod (1 + weight exp(-|F(x)-F(z)| / sigma)) / (1 + weight), F the rank among knots; words are compared whole."""

    def __init__(self, spec, centres):
        self.sigma, self.weight, self.knots = spec["sigma"], spec["weight"], [np.array(k) for k in spec["knots"]]
        group = spec.get("group", range(len(self.knots)))
        self.groups = [[c for c, g in enumerate(group) if g == at] for at in range(len(self.weight))]
        self.whole = [all(len(self.knots[c]) <= 2 for c in columns) for columns in self.groups]
        self.centres = self._coded(centres.dense())

    def _coded(self, x):
        code = np.zeros(x.shape)
        for columns, whole in zip(self.groups, self.whole):
            for c in columns:
                k = self.knots[c]
                if whole:
                    code[:, c] = (x[:, c] > k[0] / 2 + k[-1] / 2) if len(k) == 2 else 0
                elif len(k) > 1:
                    lo, gap = k[:-1], np.diff(k)
                    near = 1e-12 * (k[-1] - k[0])  # up to which knots, and a value, are equal
                    above = x[:, c, None] - lo
                    below = np.clip(above / np.where(gap > near, gap, 1), 0, 1)
                    ties = (above >= -near) * 0.5 + (above > gap + near) * 0.5
                    code[:, c] = np.where(gap > near, below, ties).mean(axis=1)
        return code

    def cross(self, x):
        x = self._coded(x.dense())
        out = np.ones((len(x), len(self.centres)))
        for columns, whole, weight in zip(self.groups, self.whole, self.weight):
            apart = np.zeros_like(out)
            for c in columns:
                apart += np.abs(x[:, c, None] - self.centres[None, :, c])
            one = (apart == 0) if whole else np.exp(-apart / self.sigma)
            out *= (1 + weight * one) / (1 + weight)
        return out

    def own(self, x):
        return np.ones(x.n)


class _Metric:
    """exp(-r / sigma), r^2 = (x-z)' M (x-z)."""

    def __init__(self, spec, centres):
        self.sigma, self.root = spec["sigma"], None
        if "metric" in spec:
            values, vectors = np.linalg.eigh(np.array(spec["metric"]))
            self.root = vectors * np.sqrt(np.maximum(values, 0))
        elif "diagonal" in spec:
            self.root = np.diag(np.sqrt(spec["diagonal"]))
        self.centres = self._mapped(centres)

    def _mapped(self, x):
        x = x.dense()
        return x if self.root is None else x @ self.root

    def cross(self, x):
        x = self._mapped(x)
        s = np.zeros((len(x), len(self.centres)))
        for k in range(x.shape[1]):
            s += (x[:, k, None] - self.centres[None, :, k]) ** 2
        return np.exp(-np.sqrt(s) / self.sigma)

    def own(self, x):
        return np.ones(x.n)


class _Chi2:
    """exp(-sum (x-z)^2/(x+z) / (2 sigma^2)), or sum 2xz/(x+z); 0/0 = 0."""

    def __init__(self, spec, centres):
        self.kind, self.sigma = spec["type"], spec.get("sigma")
        self.centres = np.ascontiguousarray(centres.dense().T)

    def cross(self, x):
        x = _histograms(self.kind, x)
        s = np.zeros((len(x), self.centres.shape[1]))
        for k, z in enumerate(self.centres):
            v = x[:, k, None]
            both = v + z
            both[both == 0] = 1
            s += (v - z) ** 2 / both if self.sigma else 2 * v * (z / both)
        return np.exp(s * (-0.5 / self.sigma**2)) if self.sigma else s

    def own(self, x):
        return np.ones(x.n) if self.sigma else _histograms(self.kind, x).sum(axis=1)


def _histograms(kind, rows):
    x = rows.dense()
    if (x < 0).any():
        i, j = np.argwhere(x < 0)[0]
        raise ModelError(
            f"row {rows.first + i}, column {j} is {x[i, j]:g} for the kernel {kind}; its features must not be negative"
        )
    return x


class _Mapped:
    """The inner product of features: chi2-map, clusters, components."""

    def __init__(self, spec, centres):
        self.kind, self.spec = spec["type"], spec
        self.centres = self.map(centres)

    def cross(self, x):
        return self.map(x) @ self.centres.T

    def own(self, x):
        phi = self.map(x)
        return np.einsum("ij,ij->i", phi, phi)

    def map(self, rows):
        if self.kind == "chi2-map":
            return self._chi2(_histograms(self.kind, rows))
        fit = self.spec["fit"]
        x = rows.dense() - np.array(fit["cut"]["middle"])
        length = np.sqrt(np.einsum("ij,ij->i", x, x))
        reach = fit["cut"]["reach"]
        x *= np.where(length > reach, reach / np.where(length > 0, length, 1), 1)[:, None]
        x -= np.array(fit["cut"]["mean"])
        if self.kind == "components":
            return np.column_stack([x @ np.array(fit["axes"]).T / fit["scale"], np.ones(len(x))])
        means = np.array(fit["means"])
        level = np.log(fit["share"]) - (means * means).sum(axis=1) / (2 * fit["variance"])
        return softmax(x @ means.T / fit["variance"] + level)

    def _chi2(self, x):
        harmonics = max(1, self.spec.get("harmonics", 0))
        step = self.spec.get("step") or (0.8, 0.5, 0.4, 0.4, 0.4, 0.35)[min(harmonics, 6) - 1]
        there = x > 0
        root, log = np.sqrt(x), np.log(np.where(there, x, 1))
        phi = [root * np.sqrt(step)]
        for j in range(1, harmonics + 1):
            high = root * np.sqrt(2 * step / np.cosh(np.pi * j * step))
            phi += [high * np.cos(j * step * log), high * np.sin(j * step * log)]
        return np.hstack(phi)


class _Constant:
    def __init__(self, _, centres):
        self.n = centres.n

    def cross(self, x):
        return np.ones((x.n, self.n))

    def own(self, x):
        return np.ones(x.n)


class _Combined:
    """A sum or product of kernels, a kernel times a weight, divided by its lengths, or of some columns."""

    def __init__(self, spec, centres):
        self.kind, self.weight, self.places = spec["type"], spec.get("weight", 1.0), spec.get("columns")
        own = centres.columns(self.places)
        self.terms = [_kernel(t, own) for t in spec.get("terms") or [spec["base"]]]
        if self.kind == "normalised":
            self.lengths = _inverse(self.terms[0].own(own))

    def cross(self, x):
        x = x.columns(self.places)
        k = self._join([t.cross(x) for t in self.terms])
        if self.kind == "normalised":
            k *= _inverse(self.terms[0].own(x))[:, None] * self.lengths
        return k

    def own(self, x):
        x = x.columns(self.places)
        k = self._join([t.own(x) for t in self.terms])
        return (k > 0) * 1.0 if self.kind == "normalised" else k

    def _join(self, values):
        out = values[0] * self.weight if self.kind == "scaled" else values[0]
        for v in values[1:]:
            if self.kind == "sum":
                out += v
            else:
                out *= v
        return out


def _inverse(squares):
    there = squares > 0
    return there / np.sqrt(np.where(there, squares, 1))


_KERNELS = dict.fromkeys(("gaussian", "ard-gaussian", "laplacian", "linear", "ard-linear", "polynomial", "sigmoid"), _Shape)
_KERNELS.update(dict.fromkeys(("l1-laplacian", "ard-l1-laplacian", "ard-rational"), _Differences))
_KERNELS.update({"anova": _Ranks, "metric-laplacian": _Metric})
_KERNELS.update(dict.fromkeys(("exp-chi2", "add-chi2"), _Chi2))
_KERNELS.update(dict.fromkeys(("chi2-map", "clusters", "components"), _Mapped))
_KERNELS.update(dict.fromkeys(("scaled", "sum", "product", "normalised", "columns"), _Combined))
_KERNELS["constant"] = _Constant


def _kernel(spec, centres):
    if spec["type"] not in _KERNELS:
        raise ModelError(f"the kernel {spec['type']} cannot be computed from new rows here; use mercer predict")
    return _KERNELS[spec["type"]](spec, centres)


# Functions


class Expansion:
    """sum_j k(x, centre_j) A_j; of kind mean divided by sum_j k(x, centre_j). The outputs are those of pairs of so many classes, or 0."""

    def __init__(self, head, centres, coef, pairs=0):
        self.mean, self.known, self.coef = head["kind"] == "mean", head.get("known", False), coef
        self.centres, self.spec = centres, head["kernel"]
        self.height = max(16, _PANEL // min(max(1, centres.n), _BLOCK))
        if self.mean:
            self.points = _Points(centres, True)
            return
        width, cuts = _BLOCK if centres.sparse is None else max(1, centres.n), [0, centres.n]
        if pairs and centres.sparse is None:
            order, cuts = _by_class(coef, pairs)
            centres, coef = centres.select(order), coef[order]
        self.blocks = []  # kernel, outputs that its centres are in, coefficients
        for first, end in zip(cuts, cuts[1:]):
            for lo in range(first, end, width):
                hi = min(lo + width, end)
                of = np.flatnonzero((coef[lo:hi] != 0).any(axis=0))
                self.blocks.append((_kernel(self.spec, centres.take(lo, hi)), of, np.ascontiguousarray(coef[lo:hi, of])))

    def add(self, out, x):
        for lo in range(0, x.n, self.height):
            rows = x.take(lo, min(lo + self.height, x.n))
            to = out[lo : lo + rows.n]
            if self.mean:
                to += self._weighted(rows)
                continue
            for kernel, of, coef in self.blocks:
                values = kernel.cross(rows) @ coef
                if len(of) == to.shape[1]:
                    to += values
                else:
                    to[:, of] += values

    def _weighted(self, x):
        s = self.points.distances(x)
        k = np.exp((s.min(axis=1, keepdims=True) - s) / (2 * self.spec["sigma"] ** 2))
        out = k @ self.coef / k.sum(axis=1, keepdims=True)
        if self.known:
            same = s == 0  # distances of close pairs are exact
            at = same.any(axis=1)
            out[at] = same[at] @ self.coef / same[at].sum(axis=1, keepdims=True)
        return out


def _by_class(coef, classes):
    """The centres in the order of their classes, and where each class begins: a support vector is in the pairs of its class alone."""
    used, count = coef != 0, np.zeros((len(coef), classes), int)
    for o, pair in enumerate(zip(*np.triu_indices(classes, 1))):
        for c in pair:
            count[:, c] += used[:, o]
    own = count.argmax(axis=1)
    return np.argsort(own, kind="stable"), [0, *np.cumsum(np.bincount(own, minlength=classes)).tolist()]


class Linear:
    def __init__(self, weights):
        self.weights = weights

    def add(self, out, x):
        if x.sparse is None:
            out += x.array @ self.weights
            return
        start, index, value = x.sparse
        np.add.at(out, np.repeat(np.arange(x.n), np.diff(start)), value[:, None] * self.weights[index])
