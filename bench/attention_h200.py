#!/usr/bin/env python3
"""Attention on an NVIDIA GPU beside PyTorch's FlashAttention: bench/attention_h200.py [--bench PROGRAM] [--dtype T] [--rounds N] [--out FILE]

fade-bench and scaled_dot_product_attention with the flash backend forced take turns, a round each; writes machine, date,
command, and a row a shape with the medians over the rounds and their ratio (PyTorch time / FADE time) as JSON.
"""
import argparse
import datetime
import json
import platform
import statistics
import subprocess
import sys
from pathlib import Path

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

ROOT = Path(__file__).resolve().parents[1]
SHAPES = [  # batch, heads, positions, head_dim, causal
    (2, 16, 8192, 128, False), (2, 16, 8192, 128, True), (4, 16, 4096, 128, False), (4, 16, 4096, 128, True),
    (2, 32, 8192, 64, False), (2, 32, 8192, 64, True), (16, 16, 1024, 128, False), (2, 8, 4096, 256, False)]
TYPES = {'bf16': torch.bfloat16, 'f16': torch.float16}
REPEATS = 20


def command(bench, dtype, shape):
    batch, heads, length, head_dim, causal = shape
    words = [bench, 'attention', '--device', 'cuda:0', '--dtype', dtype, '--batch', batch, '--heads', heads, '--seq-q', length, '--seq-k', length,
             '--head-dim', head_dim, '--json', '--seed', 7] + (['--causal'] if causal else [])
    return [str(word) for word in words]


def fade_run(words):
    ran = subprocess.run(words, capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f'bench/attention_h200.py: {ran.stderr.strip() or f"fade-bench exits {ran.returncode}"}')
    return json.loads(ran.stdout)


def torch_ms(dtype, shape):
    """The median of single calls, timed by events on the GPU."""
    batch, heads, length, head_dim, causal = shape
    # [batch, position, heads, head_dim] in memory, as fade-bench has it.
    q, k, v = (torch.randn(batch, length, heads, head_dim, dtype=TYPES[dtype], device='cuda').transpose(1, 2) for _ in range(3))
    times = []
    with torch.no_grad(), sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        for _ in range(REPEATS + 3):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            scaled_dot_product_attention(q, k, v, is_causal=causal)
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end))
    return statistics.median(times[3:])   # the first ones warm up


def row(bench, dtype, shape, rounds):
    ours, theirs = [], []
    for _ in range(rounds):
        said = fade_run(command(bench, dtype, shape))
        ours.append(said['ms'])
        theirs.append(torch_ms(dtype, shape))
        torch.cuda.empty_cache()
    batch, heads, length, head_dim, causal = shape
    ms, peer = statistics.median(ours), statistics.median(theirs)
    flops = 4 * batch * heads * length * length * head_dim / (2 if causal else 1)
    return {'dtype': dtype, 'batch': batch, 'heads': heads, 'seq': length, 'head_dim': head_dim, 'causal': causal, 'kernel': said['kernel'], 'ms': round(ms, 5),
            'tflops': round(flops / ms / 1e9, 1), 'torch_flash_ms': round(peer, 5), 'torch_flash_tflops': round(flops / peer / 1e9, 1), 'ratio': round(peer / ms, 3)}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--bench', default=ROOT / 'build/cuda/bin/fade-bench', type=Path)
    options.add_argument('--dtype', default='bf16', choices=TYPES)
    options.add_argument('--rounds', default=5, type=int)
    options.add_argument('--out', default=ROOT / 'bench/results/attention-h200-flash.json', type=Path)
    asked = options.parse_args()
    if not asked.bench.is_file():
        sys.exit(f'bench/attention_h200.py: there is no {asked.bench}; scripts/build cuda makes it')
    rows = []
    for shape in SHAPES:
        rows.append(row(asked.bench, asked.dtype, shape, asked.rounds))
        print(json.dumps(rows[-1]), file=sys.stderr)
    result = {'machine': f'{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}, PyTorch {torch.__version__}, {platform.system()} {platform.machine()}',
              'date': datetime.date.today().isoformat(),
              'command': f'scripts/build cuda, then bench/attention_h200.py, which runs {" ".join(command("fade-bench", asked.dtype, ("B", "H", "N", "D", False)))}'
                         f' and scaled_dot_product_attention with the flash backend in turn; medians of {asked.rounds} rounds'}
    head = ''.join(f' {json.dumps(key)}: {json.dumps(value)},\n' for key, value in result.items())
    asked.out.write_text('{\n' + head + ' "rows": [\n' + ',\n'.join('  ' + json.dumps(r) for r in rows) + '\n ]\n}\n')
    print(f'written to {asked.out}', file=sys.stderr)


if __name__ == '__main__':
    main()
