#!/usr/bin/env python3
"""Attention on an NVIDIA GPU beside PyTorch's: bench/attention_h200.py [--bench PROGRAM] [--peer flash|cudnn|unfused] [--dtype T] [--rounds N] [--out FILE]

fade-bench and PyTorch take turns, a round each: scaled_dot_product_attention with the flash or the cuDNN backend forced, or a product, a
softmax and a product, with a mask that was made before where it is causal. Both time calls that follow each other, as many as
fill a sample. Writes machine, date, command, and a row a shape with the medians over the rounds and their ratio (PyTorch time / FADE
time) as JSON; for unfused attention also the bytes that it allocates, and those of FADE's O and lse.

With --deviation 0.1,1,4,10,20 or --distribution outlier,late,growing,steep,sink,equal it measures how fast FADE and cuDNN are where scores spread
(attention_values.py), which takes no fade-bench.
"""
import argparse
import datetime
import json
import platform
import statistics
import sys
import time
from pathlib import Path

import attention_values
import fade_bench

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

SHAPES = [  # batch, heads, positions, head_dim, causal
    (2, 16, 8192, 128, False), (2, 16, 8192, 128, True), (4, 16, 4096, 128, False), (4, 16, 4096, 128, True),
    (2, 32, 8192, 64, False), (2, 32, 8192, 64, True), (16, 16, 1024, 128, False), (2, 8, 4096, 256, False)]
UNFUSED_SHAPES = [(batch, heads, length, head_dim, causal) for head_dim in (64, 128) for causal in (False, True) for length in (128, 1024, 4096)
                  for batch, heads in {(4, 16): 'few', (16384 // length, 2048 // head_dim): 'as many as in FlashAttention\'s own benchmark'}]
TYPES = {'bf16': torch.bfloat16, 'f16': torch.float16}
SAMPLE_SECONDS, SAMPLES = 1e-3, 30   # as fade-bench has it: calls that fill 1 ms, one if it takes longer


def command(bench, dtype, shape):
    batch, heads, length, head_dim, causal = shape
    words = [bench, 'attention', '--device', 'cuda:0', '--dtype', dtype, '--batch', batch, '--heads', heads, '--seq-q', length, '--seq-k', length,
             '--head-dim', head_dim, '--warm-cache', '--json', '--seed', 7] + (['--causal'] if causal else [])
    return [str(word) for word in words]


def by(backend):
    def attention(q, k, v, causal):
        def run():
            with sdpa_kernel(backend):
                return scaled_dot_product_attention(q, k, v, is_causal=causal)
        return run
    return attention


def unfused(q, k, v, causal):
    hidden = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).triu(1)

    def run():
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        return torch.softmax(scores.masked_fill(hidden, float('-inf')) if causal else scores, dim=-1) @ v
    return run


PEERS = {'flash': (by(SDPBackend.FLASH_ATTENTION), SHAPES), 'cudnn': (by(SDPBackend.CUDNN_ATTENTION), SHAPES), 'unfused': (unfused, UNFUSED_SHAPES)}


def seconds_of(run, times):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(times):
        run()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / times


def torch_run(peer, dtype, shape):
    """The median in ms of a call among others, and the bytes that a call allocates at most."""
    batch, heads, length, head_dim, causal = shape
    # [batch, position, heads, head_dim] in memory, as fade-bench has it.
    q, k, v = (torch.randn(batch, length, heads, head_dim, dtype=TYPES[dtype], device='cuda').transpose(1, 2) for _ in range(3))
    run = PEERS[peer][0](q, k, v, causal)
    with torch.no_grad():
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        run()
        torch.cuda.synchronize()
        allocated = torch.cuda.max_memory_allocated() - before
        times = max(1, round(SAMPLE_SECONDS / seconds_of(run, 3)))   # the first ones warm up
        return statistics.median(seconds_of(run, times) for _ in range(SAMPLES)) * 1e3, allocated


def row(bench, peer, dtype, shape, rounds):
    ours, theirs = [], []
    for _ in range(rounds):
        said = fade_bench.answer(command(bench, dtype, shape))
        ours.append(said['ms'])
        took, bytes_of_peer = torch_run(peer, dtype, shape)
        theirs.append(took)
        torch.cuda.empty_cache()
    batch, heads, length, head_dim, causal = shape
    ms, peer_ms = statistics.median(ours), statistics.median(theirs)
    flops = 4 * batch * heads * length * length * head_dim / (2 if causal else 1)
    memory = {'bytes': batch * heads * length * (head_dim * 2 + 4), 'torch_bytes': bytes_of_peer} if peer == 'unfused' else {}
    return {'dtype': dtype, 'batch': batch, 'heads': heads, 'seq': length, 'head_dim': head_dim, 'causal': causal, 'kernel': said['kernel'], 'ms': round(ms, 5),
            'tflops': round(flops / ms / 1e9, 1), f'torch_{peer}_ms': round(peer_ms, 5), f'torch_{peer}_tflops': round(flops / peer_ms / 1e9, 1),
            'ratio': round(peer_ms / ms, 3)} | memory


def machine():
    return f'{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}, PyTorch {torch.__version__}, {platform.system()} {platform.machine()}'


def measure_values(asked):
    if asked.peer not in (None, 'cudnn'):
        sys.exit(f'--peer {asked.peer}: where scores spread the peer is cudnn')
    unknown = set(asked.distribution) - set(attention_values.DISTRIBUTIONS)
    if unknown:
        sys.exit(f'--distribution {",".join(unknown)}: there are {", ".join(attention_values.DISTRIBUTIONS)}')
    rows = []
    for row in attention_values.rows(asked.deviation, asked.distribution, [asked.dtype] if asked.dtype else list(TYPES), asked.rounds):
        rows.append(row)
        print(json.dumps(row), file=sys.stderr)
    result = {'machine': machine(), 'date': datetime.date.today().isoformat(),
              'command': f'bench/attention_h200.py --deviation {",".join(f"{d:g}" for d in asked.deviation)} --distribution {",".join(asked.distribution)}'
                         f'; medians of {asked.rounds} rounds'}
    fade_bench.write(asked.out or fade_bench.ROOT / 'bench/results/attention-h200-values.json', result, rows)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--bench', default=fade_bench.ROOT / 'build/cuda/bin/fade-bench', type=Path)
    options.add_argument('--peer', choices=PEERS, help='flash if nothing is said; cudnn where scores spread')
    options.add_argument('--dtype', choices=TYPES, help='bf16 if nothing is said; both where scores spread')
    options.add_argument('--rounds', default=5, type=int)
    options.add_argument('--out', type=Path, help='bench/results/attention-h200-PEER.json if nothing is said')
    options.add_argument('--deviation', type=lambda text: [float(word) for word in text.split(',')], default=[], metavar='LIST')
    options.add_argument('--distribution', type=lambda text: text.split(','), default=[], metavar='LIST')
    asked = options.parse_args()
    if asked.deviation or asked.distribution:
        return measure_values(asked)
    asked.peer, asked.dtype = asked.peer or 'flash', asked.dtype or 'bf16'
    fade_bench.required(asked.bench, 'cuda')
    rows = []
    for shape in PEERS[asked.peer][1]:
        rows.append(row(asked.bench, asked.peer, asked.dtype, shape, asked.rounds))
        print(json.dumps(rows[-1]), file=sys.stderr)
    result = {'machine': machine(),
              'date': datetime.date.today().isoformat(),
              'command': f'scripts/build cuda, then bench/attention_h200.py --peer {asked.peer}, which runs {" ".join(command("fade-bench", asked.dtype, ("B", "H", "N", "D", False)))}'
                         f' and PyTorch in turn; medians of {asked.rounds} rounds'}
    out = asked.out or fade_bench.ROOT / f'bench/results/attention-h200-{asked.peer}.json'
    fade_bench.write(out, result, rows)


if __name__ == '__main__':
    main()
