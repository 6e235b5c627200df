#!/usr/bin/env python3
"""Products on this CPU beside PyTorch's oneDNN: bench/gemm_host.py [--rounds N] [--only TEXT] [--out FILE]

Wants the package fade (pip install ./python) and PyTorch. Both use one thread, bound to one core, and take turns, a round each; times are
the processor's, so the machine may be shared, and medians over the rounds. Matrices of the large sizes rotate over several sets, beyond
the caches. Peers are torch.mm of bf16, torch._int_mm of i8 and mkldnn's linear of f32, which oneDNN multiplies, and torch.mm of f32, which
MKL does. Each result is held against PyTorch's first. Writes machine, date, command and a row for each product as JSON: ratios above
1 are faster than PyTorch. Rows of activations also have FADE's time over that of its plain product.
"""
import argparse
import datetime
import json
import math
import os
import statistics
import sys
import time
from pathlib import Path

import torch
from host import machine

import fade

ROOT = Path(__file__).resolve().parents[1]
TYPES = {'f32': torch.float32, 'bf16': torch.bfloat16, 'i8': torch.int8}
CUBES = [256, 512, 1024, 2048, 4096]
LAYOUTS = ['nn', 'nt', 'tn', 'tt']
FEW = [1, 4, 16, 64]                             # rows or columns of skinny products
WIDE = 4096
STAGES = ['bias', 'relu', 'silu', 'gelu', 'gelu_tanh']
SETS_BYTES = 1 << 26                             # sets rotate until all of their matrices are as large


def products():
    """(type, layout, m, n, k, stage or None)"""
    for t in TYPES:
        yield from ((t, layout, s, s, s, None) for s in CUBES for layout in (LAYOUTS if s in (512, 1024) else LAYOUTS[:2]))
        yield from ((t, layout, m, WIDE, WIDE, None) for m in FEW for layout in LAYOUTS[:2])
        yield from ((t, 'nn', WIDE, n, WIDE, None) for n in FEW)
    yield from ((t, 'nt', s, s, s, stage) for t in ('f32', 'bf16') for s in (256, 1024) for stage in STAGES)


def matrices(t, layout, m, n, k):
    """A, B as [m, k] and [k, n], one of them a view where the layout turns it, and D."""
    def new(rows, columns, turned):
        shape = (columns, rows) if turned else (rows, columns)
        one = torch.randint(-128, 128, shape, dtype=torch.int8) if t == 'i8' else torch.randn(shape).to(TYPES[t])
        return one.t() if turned else one
    return new(m, k, layout[0] == 't'), new(k, n, layout[1] == 't'), torch.ones(m, n, dtype=torch.int32 if t == 'i8' else TYPES[t])


def peers(t, stage):
    """{name: call of (a, b, d, bias)}"""
    then = {None: None, 'bias': None, 'relu': 'relu', 'silu': 'swish', 'gelu': 'gelu', 'gelu_tanh': 'gelu'}[stage]
    if stage:
        words = ['tanh' if stage == 'gelu_tanh' else 'none'] if then == 'gelu' else []
        return {'onednn': lambda a, b, d, bias: torch.ops.mkldnn._linear_pointwise(a, b.t(), bias if stage == 'bias' else None, then or 'none',
                                                                                   [], words[0] if words else '')}
    if t == 'i8':
        return {'onednn': lambda a, b, d, bias: torch._int_mm(a, b, out=d)}
    if t == 'bf16':
        return {'onednn': lambda a, b, d, bias: torch.mm(a, b, out=d)}
    return {'onednn': lambda a, b, d, bias: torch.ops.mkldnn._linear_pointwise(a, b.t(), None, 'none', [], ''),
            'mkl': lambda a, b, d, bias: torch.mm(a, b, out=d)}


def processor_time(call, repeats):
    start = time.thread_time_ns()
    for _ in range(repeats):
        call()
    return (time.thread_time_ns() - start) / repeats / 1e6


def measured(rounds, only):
    on = fade.Device('host', threads=1)
    for t, layout, m, n, k, stage in products():
        name = f'{t} {layout} {m} {n} {k} {stage or ""}'
        if only and not any(all(w in name.split() for w in o.split()) for o in only):
            continue
        size = (m * k + k * n + m * n) * TYPES[t].itemsize
        flops = 2 * m * n * k
        sets = [(*matrices(t, layout, m, n, k), torch.randn(n).to(TYPES[t])) for _ in range(min(8, max(1, SETS_BYTES // size)) if min(m, n) <= 64 else 1)]
        epilogue = lambda bias: [('bias', bias)] if stage == 'bias' else [stage] if stage else []
        ways = {'fade': lambda a, b, d, bias: fade.gemm(a, b, out=d, epilogue=epilogue(bias), device=on), **peers(t, stage)}
        if stage:
            ways['plain'] = lambda a, b, d, bias: fade.gemm(a, b, out=d, device=on)
        a, b, d, bias = sets[0]
        ways['fade'](*sets[0])
        got = d.double()
        for way in ways:
            if way not in ('fade', 'plain'):
                wanted = ways[way](*sets[0]).double()
                if (got - wanted).norm() > {'f32': 1e-5, 'bf16': 1e-2, 'i8': 0}[t] * wanted.norm():
                    sys.exit(f'{name}: {float((got - wanted).norm() / wanted.norm())} from {way}')
        times = {way: [] for way in ways}
        repeats = max(1, int(2e-3 * 2e11 / flops))
        n_rounds = rounds if flops < 3e10 else max(3, rounds // 4)
        at = 0
        for _ in range(n_rounds + 1):
            for way, f in ways.items():
                def call():
                    nonlocal at
                    at += 1
                    f(*sets[at % len(sets)])
                times[way].append(processor_time(call, repeats))
        ms = {way: statistics.median(x[1:]) for way, x in times.items()}
        row = {'dtype': t, 'layout': layout, 'm': m, 'n': n, 'k': k, **({'stage': stage} if stage else {}), **{f'{way}_ms': float(f'{x:.4g}') for way, x in ms.items()},
               'gflops': round(flops / ms['fade'] / 1e6), 'gb_s': round(size / ms['fade'] / 1e6, 1),
               **{f'ratio_{way}': round(ms[way] / ms['fade'], 2) for way in ms if way not in ('fade', 'plain')}}
        if stage:
            row['over_plain'] = round(ms['fade'] / ms['plain'], 2)
        print(json.dumps(row), flush=True)
        yield row


def keep_memory():
    """Begins anew with an allocator that keeps large pieces: PyTorch allocates its results, and new pages would be its time."""
    kept = {'MALLOC_MMAP_THRESHOLD_': str(1 << 32), 'MALLOC_TRIM_THRESHOLD_': str(1 << 34)}
    if any(os.environ.get(name) != value for name, value in kept.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | kept)


def main():
    keep_memory()
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--rounds', type=int, default=15)
    options.add_argument('--only', nargs='*', help='words that rows have, as "bf16 nt 4096"')
    options.add_argument('--out', type=Path)
    asked = options.parse_args()
    torch.set_num_threads(1)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
    busy = os.getloadavg()[0]
    with torch.no_grad():
        rows = list(measured(asked.rounds, asked.only))
    if not asked.out:
        return
    lines = ',\n  '.join(json.dumps(r) for r in rows)
    head = json.dumps({'machine': machine(), 'load before': round(busy, 2), 'date': datetime.date.today().isoformat(), 'torch': torch.__version__,
                       'command': f'bench/gemm_host.py --rounds {asked.rounds}',
                       'geomean ratio_onednn': round(math.prod(r['ratio_onednn'] for r in rows) ** (1 / len(rows)), 3)})
    asked.out.write_text(f'{head[:-1]}, "rows": [\n  {lines}]}}\n')


if __name__ == '__main__':
    main()
