#!/usr/bin/env python3
"""Attention on this CPU beside PyTorch's: bench/attention_host.py [--bench PROGRAM] [--threads N] [--rounds N] [--out FILE]

Wants PyTorch and NumPy for CPUs, as in `python3 -m venv V && V/bin/pip install torch numpy`. Peers are scaled_dot_product_attention with the flash
backend forced, and the attention into which oneDNN Graph fuses the products and the softmax of a TorchScript module; a causal one gets its mask as a
tensor that it adds. All run on the same cores, to which this script binds itself, and take turns, a round each; writes machine, date, command, and a
row a shape with the medians over the rounds and their ratios (peer time / FADE time) as JSON. Of one thread the time is the processor's, so the machine
may be shared; of more it is the wall's, and the cores must be idle.
"""
import argparse
import datetime
import json
import math
import os
import statistics
import sys
import time
import warnings
from pathlib import Path

import fade_bench
from host import machine

HEADS = 4
SHAPES = [(length, head_dim, causal) for head_dim in (64, 128) for causal in (False, True) for length in (1024, 2048, 4096)]
TYPES = {'f32': 'float32', 'bf16': 'bfloat16'}
REPEATS = 7


def command(bench, clock, dtype, shape):
    length, head_dim, causal = shape
    words = [bench, 'attention', '--device', 'host', '--dtype', dtype, '--heads', HEADS, '--seq-q', length, '--seq-k', length, '--head-dim', head_dim,
             '--clock', clock, '--warm-cache', '--json', '--seed', 7] + (['--causal'] if causal else [])
    return [str(word) for word in words]


def median_ms(call, clock):
    now = time.process_time if clock == 'processor' else time.perf_counter
    times = []
    for _ in range(REPEATS + 2):
        begin = now()
        call()
        times.append(1e3 * (now() - begin))
    return statistics.median(times[2:])   # the first ones warm up


def flash_of(q, k, v, causal):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention

    def call():
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            scaled_dot_product_attention(q, k, v, is_causal=causal)
    return call


def graph_of(q, k, v, causal):
    """The same products and softmax, after the calls that oneDNN Graph takes to compile them."""
    import torch
    length, head_dim = q.shape[-2:]

    class Attention(torch.nn.Module):
        def forward(self, q, k, v, *mask):
            scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(head_dim)
            return torch.matmul(torch.softmax(scores + mask[0] if mask else scores, -1), v)

    mask = (torch.full((1, 1, length, length), -math.inf, dtype=q.dtype).triu(1),) if causal else ()
    torch.jit.enable_onednn_fusion(True)
    module = torch.jit.freeze(torch.jit.trace(Attention().eval(), (q, k, v, *mask)))
    for _ in range(4):
        module(q, k, v, *mask)
    if 'oneDNNFusionGroup' not in str(torch.jit.last_executed_optimized_graph()):
        sys.exit('bench/attention_host.py: oneDNN Graph did not fuse the attention; this PyTorch is no peer')
    return lambda: module(q, k, v, *mask)


def row(bench, clock, dtype, shape, rounds):
    import torch
    length, head_dim, causal = shape
    q, k, v = (torch.randn(1, HEADS, length, head_dim, dtype=getattr(torch, TYPES[dtype])) for _ in range(3))
    with torch.no_grad():
        calls = {'fade': None, 'torch_flash': flash_of(q, k, v, causal), 'onednn_graph': graph_of(q, k, v, causal)}
        times = {name: [] for name in calls}
        for _ in range(rounds):
            for name, call in calls.items():
                times[name].append(median_ms(call, clock) if call else fade_bench.answer(command(bench, clock, dtype, shape))['ms'])
    flops = 4 * HEADS * length * length * head_dim / (2 if causal else 1)
    ms = {name: statistics.median(t) for name, t in times.items()}
    said = {'dtype': dtype, 'heads': HEADS, 'seq': length, 'head_dim': head_dim, 'causal': causal}
    for name in ms:
        said |= {f'{name}_ms': round(ms[name], 3), f'{name}_gflops': round(flops / ms[name] / 1e6, 1)}
    return said | {f'ratio_{name}': round(ms[name] / ms['fade'], 3) for name in ms if name != 'fade'}


def geometric_mean(rows, key):
    return round(math.prod(r[key] for r in rows) ** (1 / len(rows)), 3)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--bench', default=fade_bench.ROOT / 'build/host/bin/fade-bench', type=Path)
    options.add_argument('--threads', default=1, type=int)
    options.add_argument('--rounds', default=5, type=int)
    options.add_argument('--out', default=fade_bench.ROOT / 'bench/results/attention-host-torch.json', type=Path)
    asked = options.parse_args()
    fade_bench.required(asked.bench, 'host')
    cores = sorted(os.sched_getaffinity(0))
    if not 1 <= asked.threads <= len(cores):
        sys.exit(f'bench/attention_host.py: --threads is {asked.threads}, but this process may use {len(cores)} cores.')
    busy = os.getloadavg()[0]
    os.sched_setaffinity(0, cores[-asked.threads:])   # fade-bench inherits it, and takes as many threads as it may use
    warnings.filterwarnings('ignore', category=FutureWarning)   # TorchScript, which is how oneDNN Graph is reached
    import torch   # its threads are bound as this process is now
    torch.set_num_threads(asked.threads)
    clock = 'processor' if asked.threads == 1 else 'wall'
    rows = []
    for dtype in TYPES:
        for shape in SHAPES:
            rows.append(row(asked.bench, clock, dtype, shape, asked.rounds))
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    result = {'machine': f'{machine()}, PyTorch {torch.__version__}', 'load before': round(busy, 2), 'date': datetime.date.today().isoformat(),
              'command': f'scripts/build host, then bench/attention_host.py --threads {asked.threads} --rounds {asked.rounds}, which runs {" ".join(command("fade-bench", clock, "T", ("N", "D", False)))},'
                         f' PyTorch with the flash backend and oneDNN Graph in turn; medians of the rounds, times of the {clock}',
              'geomean ratio_torch_flash': geometric_mean(rows, 'ratio_torch_flash'), 'geomean ratio_onednn_graph': geometric_mean(rows, 'ratio_onednn_graph')}
    fade_bench.write(asked.out, result, rows)


if __name__ == '__main__':
    main()
