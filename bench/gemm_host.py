#!/usr/bin/env python3
"""Products on this CPU beside PyTorch's oneDNN: bench/gemm_host.py [--rounds N] [--largest N] [--only WORDS ...] [--include FOLDER] [--out FILE]

Wants a C++ compiler and PyTorch for CPUs. Builds bench/host_library.cpp. FADE and PyTorch use one thread, bound to one core, and take turns, a round
each; times are the processor's, so the machine may be shared, and medians over the rounds. Skinny products rotate over several sets of
matrices, beyond the second-level cache at least. Peers: torch.mm of bf16, torch._int_mm of i8 and mkldnn's linear of f32, which oneDNN multiplies,
and torch.mm of f32, which MKL does. Each result is held against PyTorch's first. Prints a row for each product: ratios above 1 are
faster than PyTorch. Rows of activations also have FADE's time over that of its plain product. --only picks rows that have all words of one of
its arguments, as "bf16 nt 4096"; --include takes FADE
from another folder, --library what was built before.
"""
import argparse
import ctypes
import json
import sys

import host_peer
import torch

TYPES = {'f32': torch.float32, 'bf16': torch.bfloat16, 'i8': torch.int8}
CUBES = [256, 512, 1024, 2048, 4096]
LAYOUTS = ['nn', 'nt', 'tn', 'tt']
FEW = [1, 4, 16, 32, 64]                         # rows or columns of skinny products
WIDE = 4096
STAGES = {'bias': 0, 'relu': 2, 'gelu': 3, 'gelu_tanh': 4, 'silu': 5}
FUSED = {'bias': ('none', ''), 'relu': ('relu', ''), 'gelu': ('gelu', 'none'), 'gelu_tanh': ('gelu', 'tanh'), 'silu': ('swish', '')}
SETS_BYTES = 1 << 27
CLOSE = {'f32': 1e-5, 'bf16': 1e-2, 'i8': 0}


def products():
    """(type, layout, m, n, k, stage or None)"""
    for t in TYPES:
        yield from ((t, layout, s, s, s, None) for s in CUBES for layout in (LAYOUTS if s in (512, 1024) else LAYOUTS[:2]))
        yield from ((t, layout, m, WIDE, WIDE, None) for m in FEW for layout in LAYOUTS[:2])
        yield from ((t, 'nn', WIDE, n, WIDE, None) for n in FEW)
    yield from ((t, 'nt', s, s, s, stage) for t in ('f32', 'bf16') for s in (256, 1024) for stage in STAGES)


def matrices(t, layout, m, n, k):
    """A as [m, k] and B as [k, n], views where the layout turns them, D and a bias."""
    def new(rows, columns, turned=False):
        shape = (columns, rows) if turned else (rows, columns)
        one = torch.randint(-128, 128, shape, dtype=torch.int8) if t == 'i8' else torch.randn(shape).to(TYPES[t])
        return one.t() if turned else one
    out = torch.int32 if t == 'i8' else TYPES[t]
    return new(m, k, layout[0] == 't'), new(k, n, layout[1] == 't'), torch.ones(m, n, dtype=out), torch.ones(n, dtype=out)


def ours(library, t, layout, m, n, k, stage):
    sizes = (ctypes.c_longlong * 3)(m, n, k)
    kind, which, order = STAGES.get(stage, -1), list(TYPES).index(t), LAYOUTS.index(layout)
    return lambda a, b, d, bias: host_peer.ask(library.host_gemm(which, sizes, order, kind, *map(host_peer.address, (a, b, d, bias))))


def peers(t, stage):
    """{name: call of (a, b, d, bias)}"""
    if stage or t == 'f32':
        then, how = FUSED.get(stage, ('none', ''))
        linear = lambda a, b, d, bias: torch.ops.mkldnn._linear_pointwise(a, b.t(), bias if stage == 'bias' else None, then, [], how)
        return {'onednn': linear} if stage else {'onednn': linear, 'mkl': lambda a, b, d, bias: torch.mm(a, b, out=d)}
    return {'onednn': (lambda a, b, d, bias: torch._int_mm(a, b, out=d)) if t == 'i8' else lambda a, b, d, bias: torch.mm(a, b, out=d)}


def off(got, wanted):
    return float((got - wanted).norm() / wanted.norm())


def measured(library, rounds, only, largest):
    for t, layout, m, n, k, stage in products():
        if m == n and m > largest:
            continue
        name = f'{t} {layout} {m} {n} {k} {stage or "plain"}'
        if only and not any(set(words.split()) <= set(name.split()) for words in only):
            continue
        size, flops = (m * k + k * n + m * n) * TYPES[t].itemsize, 2 * m * n * k
        sets = [matrices(t, layout, m, n, k) for _ in range(min(6, max(1, SETS_BYTES // size)) if min(m, n) <= 64 else 1)]
        ways = {'fade': ours(library, t, layout, m, n, k, stage), **peers(t, stage)}
        ways['fade'](*sets[0])
        got = sets[0][2].double()
        for way in list(ways)[1:]:
            error = off(got, ways[way](*sets[0]).double())
            if error > CLOSE[t]:
                sys.exit(f'{name}: {error} from {way}')
        if stage:
            ways['plain'] = ours(library, t, layout, m, n, k, None)
        repeats = max(1, int(2e-3 / max(flops / 2e11, size / 2e10)))
        ms = host_peer.medians(ways, sets, repeats, rounds if flops < 3e10 else max(3, rounds // 4))
        row = {'dtype': t, 'layout': layout, 'm': m, 'n': n, 'k': k, 'stage': stage, **{f'{way}_ms': float(f'{x:.4g}') for way, x in ms.items()},
               'gflops': round(flops / ms['fade'] / 1e6), 'gb_s': round(size / ms['fade'] / 1e6, 1),
               **{f'ratio_{way}': round(ms[way] / ms['fade'], 2) for way in ms if way not in ('fade', 'plain')}}
        if stage:
            row['over_plain'] = round(ms['fade'] / ms['plain'], 2)
        print(json.dumps(row), flush=True)
        yield row


def main():
    host_peer.keep_memory()
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--only', nargs='*')
    options.add_argument('--largest', type=int, default=CUBES[-1], help='cube')
    host_peer.add_options(options)
    asked = options.parse_args()
    library, busy = host_peer.library(asked.include, asked.library), host_peer.bound_to_one_core()
    with torch.no_grad():
        rows = list(measured(library, asked.rounds, asked.only, asked.largest))
    if asked.out:
        host_peer.write(asked.out, busy, {'command': f'bench/gemm_host.py --rounds {asked.rounds} --largest {asked.largest}',
                                          'geomean ratio_onednn': host_peer.geomean([r['ratio_onednn'] for r in rows])}, rows)


if __name__ == '__main__':
    main()
