"""A linear layer in int8: rows of activations and of weights with a factor each, and the product exact in int32.

The factors are stages of the product. NumPy alone."""
import numpy as np

import fade

numbers = np.random.default_rng(7)
x = numbers.standard_normal((32, 256)).astype('float32')
weight = numbers.standard_normal((128, 256)).astype('float32') / 16

# The weights, once: int8 and a factor for each output.
of_weight = np.abs(weight).max(1) / 127
weight8 = np.rint(weight / of_weight[:, None]).astype('int8')

# The activations, at each call: normalised, and rounded to int8 by the norm itself, which gives a factor for each row.
h = fade.rms_norm(x, out_dtype='int8')
y = fade.gemm(h.y, weight8.T, out_dtype='float32', epilogue=[('scale_rows', h.scales), ('scale_columns', of_weight)])

exact = fade.gemm(fade.rms_norm(x), weight.T)
error = np.linalg.norm(y - exact) / np.linalg.norm(exact)
print(f'int8 is {error:.2%} from float32')
assert error < 0.02
