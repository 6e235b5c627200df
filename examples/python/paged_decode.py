"""Decoding with a paged cache: tokens are added to pages, and attention reads them by a table. NumPy alone."""
import numpy as np

import fade

BATCH, HEADS, KV_HEADS, DIM, PAGE, PAGES, STEPS = 3, 8, 2, 64, 16, 4, 20
numbers = np.random.default_rng(7)


def some(*shape):
    return numbers.standard_normal(shape).astype('float32')


# The pages of a sequence may lie anywhere in the pool.
keys, values = (np.zeros((BATCH * PAGES, PAGE, KV_HEADS, DIM), 'float32') for _ in range(2))
table = numbers.permutation(BATCH * PAGES).reshape(BATCH, PAGES).astype('int32')
held = np.array([0, 5, 30], 'int32')             # tokens that each sequence has already
angles = np.outer(np.arange(PAGE * PAGES), 10000.0 ** (-np.arange(0, DIM, 2) / DIM))
cos, sin = np.cos(angles).astype('float32'), np.sin(angles).astype('float32')

for _ in range(STEPS):
    q, new_k, new_v = some(BATCH, 1, HEADS, DIM), some(BATCH, 1, KV_HEADS, DIM), some(BATCH, 1, KV_HEADS, DIM)
    q = fade.append_kv(new_k, new_v, keys, values, q=q, cos=cos, sin=sin, cache_lengths=held, block_table=table)
    held += 1
    o, report = fade.attention(q, keys, values, block_table=table, counts_k=held, return_report=True)

print(report.requested)
print(f'the sequences hold {held.tolist()} tokens; the last outputs are {o.shape}')
# The first sequence has seen STEPS tokens: the same without pages.
plain = fade.attention(q[:1], keys[table[0]].reshape(1, -1, KV_HEADS, DIM)[:, :STEPS], values[table[0]].reshape(1, -1, KV_HEADS, DIM)[:, :STEPS])
assert np.allclose(plain, o[:1], atol=1e-5)
