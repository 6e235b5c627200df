#!/usr/bin/env python3
"""Decoding on an NVIDIA GPU against its memory: bench/decode_h200.py [--bench PROGRAM] [--peak GB/s] [--rounds N] [--out FILE]

One query a sequence of 64 heads over 8, bf16, keys in pages and not, by fade-bench; writes machine, date, command, and a row a shape:
the median over the rounds, and how much of the memory's bandwidth reading the keys and values once in that time is.
"""
import argparse
import datetime
import platform
import statistics
import subprocess
from pathlib import Path

import fade_bench

HEADS, KV_HEADS = 64, 8
SHAPES = [(1, 4096), (1, 16384), (1, 65536), (4, 16384), (4, 65536), (16, 4096), (16, 16384), (16, 65536), (64, 4096), (64, 16384)]   # batch, keys


def command(bench, batch, keys, head_dim, page):
    words = [bench, 'attention', '--device', 'cuda:0', '--dtype', 'bf16', '--batch', batch, '--heads', HEADS, '--kv-heads', KV_HEADS, '--seq-q', 1, '--seq-k', keys,
             '--head-dim', head_dim, '--json', '--seed', 7] + (['--page', page] if page else [])
    return [str(word) for word in words]


def row(asked, batch, keys, head_dim, page):
    said = [fade_bench.answer(command(asked.bench, batch, keys, head_dim, page)) for _ in range(asked.rounds)]
    ms = statistics.median(one['ms'] for one in said)
    rate = 2 * batch * KV_HEADS * keys * head_dim * 2 / ms / 1e6
    return {'batch': batch, 'keys': keys, 'head_dim': head_dim, 'page': page, 'kernel': said[0]['kernel'], 'ms': round(ms, 5), 'gb_per_s': round(rate), 'of_peak': round(rate / asked.peak, 3)}


def machine():
    found = subprocess.run(['nvidia-smi', '--query-gpu=name,driver_version', '--format=csv,noheader'], capture_output=True, text=True).stdout.strip().splitlines()
    return f'{found[0] if found else "unknown GPU"}, {platform.system()} {platform.machine()}'


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--bench', default=fade_bench.ROOT / 'build/cuda/bin/fade-bench', type=Path)
    options.add_argument('--peak', default=4800, type=float, help='bandwidth of the memory in GB/s; 4800 is what NVIDIA states for the H200')
    options.add_argument('--rounds', default=3, type=int)
    options.add_argument('--out', default=fade_bench.ROOT / 'bench/results/attention-h200-decode.json', type=Path)
    asked = options.parse_args()
    fade_bench.required(asked.bench, 'cuda')
    rows = [row(asked, batch, keys, head_dim, page) for head_dim in (128, 64) for batch, keys in SHAPES for page in (0, 16)]
    result = {'machine': machine(), 'date': datetime.date.today().isoformat(), 'peak_gb_per_s': asked.peak,
              'command': f'scripts/build cuda, then bench/decode_h200.py, which runs {" ".join(command("fade-bench", "B", "K", "D", "P"))}; medians of {asked.rounds} rounds'}
    fade_bench.write(asked.out, result, rows)


if __name__ == '__main__':
    main()
