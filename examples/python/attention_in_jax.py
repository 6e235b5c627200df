"""FADE's attention on arrays of JAX, which are read where they lie."""
import sys

try:
    import jax
except ImportError:
    print('skipped: attention_in_jax: no JAX is here')
    sys.exit(77)
import numpy as np

import fade

q, k, v = (jax.random.normal(jax.random.PRNGKey(i), (2, n, 4, 32)) for i, n in enumerate((5, 9, 9)))
o = fade.attention(q, k, v)
scores = np.einsum('bqhd,bkhd->bhqk', q, k) / 32 ** 0.5
weights = np.exp(scores - scores.max(-1, keepdims=True))
wanted = np.einsum('bhqk,bkhd->bqhd', weights / weights.sum(-1, keepdims=True), v)
print(type(o).__module__, o.shape, float(np.abs(np.asarray(o) - wanted).max()))
assert isinstance(o, jax.Array) and np.allclose(o, wanted, atol=1e-5)
