#!/usr/bin/env python3
"""Relatives of gemm on an NVIDIA GPU beside dense products: bench/products_h200.py [--out FILE] [--budget SECONDS] [--only PART,...]

Wants build/cuda/bin/fade-bench (scripts/build cuda --arch sm_90a). Weights of 4 bits for few and for many rows, 8-bit floats with
scales, products of groups and of batches by tables of pointers, in turns with FADE's own gemm in bf16 (dense) and with cuBLAS.
Ratios above 1 are faster than the dense product. What matters most comes first; what the budget leaves no time for is left out, and
the file says how much.
"""
import argparse
import datetime
import sys
import time
from pathlib import Path

import fade_bench
from gemm_h200 import machine

BENCH = fade_bench.ROOT / 'build/cuda/bin/fade-bench'
SHAPES = [(8192, 8192), (4096, 4096), (28672, 8192), (4096, 14336)]   # n x k of a layer
PARTS = ['decode', 'prefill', 'scaled', 'grouped', 'batched']


def runs(asked):
    """(part, dtype, m, n, k, options), m a list; the most important first."""
    weights = lambda part, rows, n, k, name: (part, 'bf16', rows, n, k, ['--op', 'weight_gemm', '--format', name])
    for name in asked.formats[:1]:
        yield from (weights('decode', asked.rows, n, k, name) for n, k in SHAPES)
    yield from (weights('prefill', ['4096'], 8192, 8192, name) for name in asked.formats)
    yield from (('scaled', 'f8e4m3', [str(m)], n, k, ['--op', 'scaled_gemm']) for m, n, k in ((4096, 7168, 2048), (8192, 8192, 8192)))
    # 4096 tokens, each of 8 experts: so many rows, and one dense product of as many.
    yield from (('grouped', 'bf16', [str(4096 * 8)], 7168, 2048, ['--op', 'grouped_gemm', '--groups', 64, '--rows-of-groups', spread])
                for spread in ('random', 'even', 'one'))
    yield from (('batched', 'bf16', [str(m)], m, m, ['--op', 'batched_gemm', '--batch', batch]) for m, batch in ((2048, 8), (512, 256), (128, 1024)))
    for name in asked.formats[1:]:
        yield from (weights('decode', asked.rows, n, k, name) for n, k in SHAPES)
    yield from (weights('prefill', ['4096'], n, k, name) for n, k in SHAPES[1:] for name in asked.formats)


def rows_of(asked, part, dtype, m, n, k, options, peer):
    words = [asked.bench, 'products', *options, '--device', 'cuda:0', '--dtype', dtype, '--m', ','.join(m), '--n', n, '--k', k,
             '--vs', peer, '--json', '--seed', 7, *(['--samples', asked.samples] if asked.samples else []), *(['--check'] if asked.check else [])]
    for said in fade_bench.answers(words):
        problem = {name: said['problem'][name] for name in ('op', 'format', 'm', 'n', 'k', 'batch', 'groups', 'rows_of_groups') if name in said['problem']}
        out = {'part': part, 'dtype': said['dtype'], **problem, 'kernel': said['report']['chosen'], 'ms': round(said['ms'], 5), 'tflops': round(said['tflops'], 1),
               'gb_per_s': round(said['gbps']), 'peer': peer, 'peer_ms': round(said['vs']['ms'], 5), 'ratio': round(said['vs']['ratio'], 3)}
        if 'check' in said:
            out |= {'rel_err': said['check']['rel_err'], 'bound': said['check']['bound']}
        print(*out.values(), flush=True)
        yield out


def tried(asked, run, peer):
    """A run that fails is a row that says so, and not the end."""
    try:
        return list(rows_of(asked, *run, peer))
    except SystemExit as failure:
        print(failure, file=sys.stderr)
        return [{'part': run[0], 'dtype': run[1], 'm': run[2], 'n': run[3], 'k': run[4], 'options': run[5], 'peer': peer, 'failed': str(failure)}]


def parsed():
    words = lambda text: text.split(',')
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bench', default=BENCH, type=Path)
    parser.add_argument('--out', type=Path, help='e.g. bench/results/products-h200.json')
    parser.add_argument('--budget', default=220, type=float, help='seconds after which no further run begins; 220')
    parser.add_argument('--only', default=PARTS, type=words, help=','.join(PARTS))
    parser.add_argument('--formats', default=['gptq', 'mxfp4', 'awq'], type=words, help='of weights; gptq,mxfp4,awq')
    parser.add_argument('--rows', default='1,2,4,8,16,32,64'.split(','), type=words, help='m of decode; 1,2,4,8,16,32,64')
    parser.add_argument('--peers', default=['dense', 'cublas'], type=words, help='dense,cublas')
    parser.add_argument('--samples', type=int, help='how many times are taken; without it, what some tenths of a second hold')
    parser.add_argument('--no-check', dest='check', action='store_false', help='only times; the reference of a large product takes a second')
    asked = parser.parse_args()
    if wrong := [part for part in asked.only if part not in PARTS]:
        parser.error(f'--only takes {", ".join(PARTS)}, and not {", ".join(wrong)}')
    return asked


def main():
    asked = parsed()
    fade_bench.required(asked.bench, 'cuda')
    start, rows, left_out = time.monotonic(), [], 0
    for run in runs(asked):
        for peer in asked.peers if run[0] in asked.only else []:
            if time.monotonic() - start > asked.budget:
                left_out += len(run[2])
            else:
                rows += tried(asked, run, peer)
    print(f'{len(rows)} problems, {left_out} left out, {time.monotonic() - start:.0f} s', file=sys.stderr)
    if asked.out:
        about = {'machine': machine(), 'date': str(datetime.date.today()), 'left_out': left_out,
                 'command': f'scripts/build cuda --arch sm_90a, then bench/products_h200.py {" ".join(sys.argv[1:])}; medians, FADE and a dense product in turn in one run'}
        fade_bench.write(asked.out, about, rows)


if __name__ == '__main__':
    sys.exit(main())
