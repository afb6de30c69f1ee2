"""The first fit of a fresh Python: prints the seconds of the imports, of the first fit, of that what the program itself took, and of the
second fit, and the expected error."""

import time

start = time.perf_counter()
import numpy as np  # noqa: E402

numpy = time.perf_counter()
from mercer import MercerClassifier  # noqa: E402

package = time.perf_counter()
rng = np.random.default_rng(1)
X = rng.normal(size=(1000, 10))
y = np.where(X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * rng.normal(size=1000) > 0, "yes", "no")
fits = []
for _ in range(2):
    begin = time.perf_counter()
    model = MercerClassifier().fit(X, y)
    fits.append(time.perf_counter() - begin)
print(numpy - start, package - numpy, fits[0], model.result_["seconds"]["total"], fits[1], model.result_["estimate"]["error"])
