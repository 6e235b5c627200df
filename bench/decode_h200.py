#!/usr/bin/env python3
"""Decoding on an NVIDIA GPU against its memory: bench/decode_h200.py [--bench PROGRAM] [--peak GB/s] [--rounds N] [--out FILE]

One query a sequence of 64 heads over 8, bf16, keys in pages and not, by fade-bench; writes machine, date, command, and a row a shape:
the median over the rounds, and how much of the memory's bandwidth reading the keys and values once in that time is.
"""
import argparse
import datetime
import json
import platform
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADS, KV_HEADS = 64, 8
SHAPES = [(1, 4096), (1, 16384), (1, 65536), (4, 16384), (4, 65536), (16, 4096), (16, 16384), (16, 65536), (64, 4096), (64, 16384)]   # batch, keys


def command(bench, batch, keys, head_dim, page):
    words = [bench, 'attention', '--device', 'cuda:0', '--dtype', 'bf16', '--batch', batch, '--heads', HEADS, '--kv-heads', KV_HEADS, '--seq-q', 1, '--seq-k', keys,
             '--head-dim', head_dim, '--json', '--seed', 7] + (['--page', page] if page else [])
    return [str(word) for word in words]


def said_by(words):
    ran = subprocess.run(words, capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f'bench/decode_h200.py: {ran.stderr.strip() or f"fade-bench exits {ran.returncode}"}')
    return json.loads(ran.stdout)


def row(asked, batch, keys, head_dim, page):
    said = [said_by(command(asked.bench, batch, keys, head_dim, page)) for _ in range(asked.rounds)]
    ms = statistics.median(one['ms'] for one in said)
    rate = 2 * batch * KV_HEADS * keys * head_dim * 2 / ms / 1e6
    return {'batch': batch, 'keys': keys, 'head_dim': head_dim, 'page': page, 'kernel': said[0]['kernel'], 'ms': round(ms, 5), 'gb_per_s': round(rate), 'of_peak': round(rate / asked.peak, 3)}


def machine():
    found = subprocess.run(['nvidia-smi', '--query-gpu=name,driver_version', '--format=csv,noheader'], capture_output=True, text=True).stdout.strip().splitlines()
    return f'{found[0] if found else "unknown GPU"}, {platform.system()} {platform.machine()}'


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--bench', default=ROOT / 'build/cuda/bin/fade-bench', type=Path)
    options.add_argument('--peak', default=4800, type=float, help='bandwidth of the memory in GB/s; 4800 is what NVIDIA states for the H200')
    options.add_argument('--rounds', default=3, type=int)
    options.add_argument('--out', default=ROOT / 'bench/results/attention-h200-decode.json', type=Path)
    asked = options.parse_args()
    if not asked.bench.is_file():
        sys.exit(f'bench/decode_h200.py: there is no {asked.bench}; scripts/build cuda makes it')
    rows = [row(asked, batch, keys, head_dim, page) for head_dim in (128, 64) for batch, keys in SHAPES for page in (0, 16)]
    result = {'machine': machine(), 'date': datetime.date.today().isoformat(), 'peak_gb_per_s': asked.peak,
              'command': f'scripts/build cuda, then bench/decode_h200.py, which runs {" ".join(command("fade-bench", "B", "K", "D", "P"))}; medians of {asked.rounds} rounds'}
    head = ''.join(f' {json.dumps(key)}: {json.dumps(value)},\n' for key, value in result.items())
    asked.out.write_text('{\n' + head + ' "rows": [\n' + ',\n'.join('  ' + json.dumps(r) for r in rows) + '\n ]\n}\n')
    print(f'written to {asked.out}', file=sys.stderr)


if __name__ == '__main__':
    main()
