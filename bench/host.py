#!/usr/bin/env python3
"""GEMM on this CPU beside OpenBLAS: bench/host.py [--bench PROGRAM] [--dtype T] [--layout L] [--out FILE]

Cubes of 256 to 2048, both libraries interleaved in one run each; writes machine, date, command, a row a size and the
geometric mean of the ratios (OpenBLAS time / FADE time) as JSON. For figures that can be compared the machine must be idle.
"""
import argparse
import datetime
import math
import os
import platform
import sys
from pathlib import Path

import fade_bench

SIZES = (256, 384, 512, 768, 1024, 1536, 2048)
PEER = 'openblas'


def machine():
    """The processor by its own name, what it may use, and what runs on it."""
    info = Path('/proc/cpuinfo').read_text().splitlines() if Path('/proc/cpuinfo').exists() else []
    names = [line.split(':', 1)[1].strip() for line in info if line.startswith('model name')]
    cores = len(os.sched_getaffinity(0))
    return f'{names[0] if names else platform.processor()}, {cores} cores used, {platform.system()} {platform.machine()}'


def command(bench, dtype, layout, size):
    return [bench, 'gemm', '--device', 'host', '--dtype', dtype, '--layout', layout, '--m', size, '--n', size, '--k', size,
            '--check', '--vs', PEER, '--warm-cache', '--json', '--seed', '7']


def row(bench, dtype, layout, size):
    said = fade_bench.answer(command(bench, dtype, layout, size))
    return {'dtype': dtype, 'layout': layout, 'm': size, 'n': size, 'k': size, 'kernel': said['kernel'], 'ms': said['ms'], 'gflops': round(1000 * said['tflops'], 1),
            f'{PEER}_ms': said['vs']['ms'], 'ratio': round(said['vs']['ratio'], 3), 'rel_err': said['check']['rel_err'], 'bound': said['check']['bound']}


def measured(bench, dtype, layout):
    rows = []
    for size in SIZES:
        rows.append(row(bench, dtype, layout, size))
        print(f'{size:5} cubed: {rows[-1]["gflops"]:8.1f} GFLOP/s, ratio {rows[-1]["ratio"]:.3f}', file=sys.stderr)
    return rows


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--bench', default=fade_bench.ROOT / 'build/host/bin/fade-bench', type=Path)
    options.add_argument('--dtype', default='f32')
    options.add_argument('--layout', default='nn')
    options.add_argument('--out', default=fade_bench.ROOT / f'bench/results/gemm-host-{PEER}.json', type=Path)
    asked = options.parse_args()
    fade_bench.required(asked.bench, 'host')
    busy = os.getloadavg()[0]
    rows = measured(asked.bench, asked.dtype, asked.layout)
    mean = math.prod(r['ratio'] for r in rows) ** (1 / len(rows))
    shown = ' '.join(str(word) for word in command('fade-bench', asked.dtype, asked.layout, 'N'))
    result = {'machine': machine(), 'load before': round(busy, 2), 'date': datetime.date.today().isoformat(),
              'command': f'scripts/build host, then bench/host.py, which runs {shown}; medians, FADE and OpenBLAS interleaved in one run', 'geomean ratio': round(mean, 3)}
    fade_bench.write(asked.out, result, rows)
    print(f'geometric mean of the ratios {mean:.3f}', file=sys.stderr)


if __name__ == '__main__':
    main()
