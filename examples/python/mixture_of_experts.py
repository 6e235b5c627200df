"""A layer of experts: a router chooses, tokens are sorted by expert without being copied, each expert has products of its own."""
import numpy as np

import fade

numbers = np.random.default_rng()
tokens, width, hidden, experts, top_k = 50, 64, 48, 6, 2


def weights(*shape):
    return numbers.standard_normal(shape).astype('float32') / np.float32(np.sqrt(shape[-1]))


x, router = weights(tokens, width) * 8, weights(experts, width)
gate, up, down = weights(experts, hidden, width), weights(experts, hidden, width), weights(experts, width, hidden)
bias = weights(experts, hidden)


def layer(device=None):
    """y[t] = the sum over the experts e of token t of weight * down[e] (silu(gate[e] x + bias[e]) * (up[e] x))."""
    choices, share = fade.moe_route(fade.gemm(x, router.T, device=device), top_k, device=device)
    ends, row_list, slots = fade.moe_dispatch(choices, experts, device=device)
    # Rows of the products are choices, sorted by expert; row_list says which token each of them reads.
    inner = fade.grouped_gemm(x, up.transpose(0, 2, 1), ends, row_list=row_list, device=device)
    gated = fade.grouped_gemm(x, gate.transpose(0, 2, 1), ends, row_list=row_list, device=device,
                              epilogue=[('batch_bias', bias), 'silu', ('mul', inner)])
    outer = fade.grouped_gemm(gated, down.transpose(0, 2, 1), ends, device=device)
    return fade.moe_combine(outer, slots, share, device=device)


def by_loops():
    """The same in float64, token by token."""
    y = np.zeros((tokens, width))
    for t, token in enumerate(x.astype('float64')):
        scores = np.exp(router @ token)
        chosen = np.argsort(-scores)[:top_k]
        for e in chosen:
            g = gate[e] @ token + bias[e]
            y[t] += scores[e] / scores[chosen].sum() * (down[e] @ (g / (1 + np.exp(-g)) * (up[e] @ token)))
    return y


wanted = by_loops()
for device in ('host', *(d for d in fade.info()['devices'] if d == 'emulated:gfx1100')):
    error = np.linalg.norm(layer(device) - wanted) / np.linalg.norm(wanted)
    print(f'{device}: relative error {error:.1e}')
    assert error < 1e-5
