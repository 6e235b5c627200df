#!/usr/bin/env python3
"""Products of matrices on an NVIDIA GPU beside cuBLAS: bench/gemm_h200.py [--out FILE] [--quick|--few-rows] [--peer cublaslt]

Wants build/cuda/bin/fade-bench (scripts/build cuda --arch sm_90a). Calls are queued and take turns with cuBLAS's in one run;
inputs rotate over twice the last cache. Ratios above 1 are faster than cuBLAS. A line for each problem, then one file.
"""
import argparse
import datetime
import re
import subprocess
import sys
from pathlib import Path

import fade_bench

BENCH = fade_bench.ROOT / 'build/cuda/bin/fade-bench'
LAYOUTS = ['nt', 'nn', 'tn', 'tt']
SHAPES = [('nt', 512, 4096, 4096), ('nt', 128, 4096, 4096), ('nt', 2048, 6144, 4096), ('nt', 4096, 14336, 4096), ('nt', 5000, 5000, 5000),
          ('nt', 16384, 1024, 1024), ('nt', 8192, 28672, 8192), ('nt', 8192, 8192, 28672), ('nt', 1024, 1024, 65536)]


LAYERS = [(4096, 4096), (8192, 8192), (28672, 8192), (4096, 14336)]   # n x k of what decoding multiplies by


def of_few_rows():
    """Of decoding: what few rows cost is the time to read B."""
    for n, k in LAYERS:
        for m in (1, 2, 4, 8, 16, 32, 64):
            yield 'bf16', 'nt', m, n, k, 'auto'


def problems(quick):
    """(type, layout, m, n, k, parts of k)"""
    for n in (4096, 2048) if quick else (8192, 4096, 2048, 1024, 512):
        for t in ('bf16', 'f16') if n > 1024 else ('bf16',):
            for layout in LAYOUTS:
                yield t, layout, n, n, n, '1'
    if quick:
        return
    for layout, m, n, k in SHAPES:
        yield 'bf16', layout, m, n, k, '1'
    for layout, m, n, k in (SHAPES[1], SHAPES[-1]):
        yield 'bf16', layout, m, n, k, 'auto'
    for layout in LAYOUTS:
        yield 'f32', layout, 8192, 8192, 8192, '1'


def row(t, layout, m, n, k, split, peer):
    said = fade_bench.answer([BENCH, 'gemm', '--device', 'cuda:0', '--dtype', t, '--layout', layout, '--m', m, '--n', n, '--k', k,
                              '--split-k', split, '--check', '--vs', peer, '--json', '--seed', 7])
    out = {'dtype': t, 'layout': layout, 'm': m, 'n': n, 'k': k, 'split_k': split, 'kernel': said['report']['chosen'],
           'ms': round(said['ms'], 5), 'tflops': round(said['tflops'], 1), f'{peer}_ms': round(said['vs']['ms'], 5),
           'ratio': round(said['vs']['ratio'], 3), 'rel_err': said['check']['rel_err'], 'bound': said['check']['bound']}
    print(*out.values(), flush=True)
    return out


def machine():
    asked = ['nvidia-smi', '--query-gpu=name,driver_version', '--format=csv,noheader']
    name, driver = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip().split(', ')
    said = subprocess.run(['nvcc', '--version'], capture_output=True, text=True, check=True).stdout
    return f'{name}, driver {driver.split(".")[0]}, CUDA {re.search(r"release ([0-9.]+)", said).group(1)}, Linux x86-64'


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', type=Path)
    parser.add_argument('--quick', action='store_true', help='cubes of 4096 and 2048 alone')
    parser.add_argument('--few-rows', action='store_true', help='m of 1 to 64 alone, in bf16')
    parser.add_argument('--peer', choices=['cublas', 'cublaslt'], default='cublas', help='cublaslt: the fastest of the first 8 that its heuristics name')
    options = parser.parse_args()
    fade_bench.required(BENCH, 'cuda')
    rows = [row(*p, options.peer) for p in (of_few_rows() if options.few_rows else problems(options.quick))]
    if options.out:
        about = {'machine': machine(), 'date': str(datetime.date.today()),
                 'command': 'scripts/build cuda --arch sm_90a, then bench/gemm_h200.py; medians, FADE and cuBLAS in turn in one run'}
        fade_bench.write(options.out, about, rows)


if __name__ == '__main__':
    sys.exit(main())
