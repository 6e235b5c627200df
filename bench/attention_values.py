"""Attention on an NVIDIA GPU where scores spread, beside cuDNN: what bench/attention_h200.py --deviation and --distribution measure.

Builds bench/attention_library.cu with nvcc and gives the same tensors to FADE and to PyTorch's cuDNN backend: queued calls, in a random order in
every round, medians. A kernel that is fast for some values of its inputs alone is not fast: real models have heads whose scores deviate by 10.

Deviations are those of normal scores, in units of the exponent of e. Distributions deviate by 1, but: 'outlier' has one key three quarters in whose
scores are 60 times as large, 'late' the same as the last key; means of 'growing' and 'steep' grow by 64 and 2048 along the keys; 'sink' has a first
key 20 above all; in 'equal' all keys are one.
"""
import ctypes
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

ROOT = Path(__file__).resolve().parents[1]
TYPES = {'f16': torch.float16, 'bf16': torch.bfloat16}
DISTRIBUTIONS = ('outlier', 'late', 'growing', 'steep', 'sink', 'equal')


def library(include=ROOT / 'include'):
    to = Path(tempfile.mkdtemp()) / 'libattention.so'
    said = subprocess.run(['nvcc', '-std=c++20', '-O3', '--expt-relaxed-constexpr', '--extended-lambda', '-shared', '-Xcompiler', '-fPIC',
                           '-gencode', 'arch=compute_90a,code=sm_90a', '-I', str(include), str(ROOT / 'bench/attention_library.cu'), '-o', str(to), '-lcuda'],
                          capture_output=True, text=True)
    if said.returncode:
        sys.exit(f'nvcc: {said.stdout}{said.stderr}')
    return ctypes.CDLL(str(to))


def inputs(shape, dtype, distribution):
    """q, k, v as [batch, position, head, head_dim], such that the scores q k of a normal distribution deviate by sqrt(head_dim)."""
    batch, heads, positions, head_dim = shape
    q, k, v = (torch.randn(batch, positions, heads, head_dim, device='cuda') for _ in range(3))
    if distribution in ('outlier', 'late'):
        k[:, positions * 3 // 4 if distribution == 'outlier' else -1] *= 60
    if distribution in ('growing', 'steep', 'sink'):
        # Queries share their first element, along which keys add to scores: what is added is divided by the scale, sqrt(head_dim).
        q[..., 0] = 4
        k[..., 0] = 0
        if distribution == 'sink':
            k[:, 0, :, 0] = 20 * head_dim ** 0.5 / 4
        else:
            most = {'growing': 64, 'steep': 2048}[distribution]
            k[..., 0] = torch.linspace(0, most * head_dim ** 0.5 / 4, positions, device='cuda')[None, :, None]
    if distribution == 'equal':
        k[:] = k[:, :1].clone()
    return tuple(x.to(TYPES[dtype]) for x in (q, k, v))


def milliseconds(call, times):
    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
    begin.record()
    for _ in range(times):
        call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / times


def reference(q, k, v, causal, scale):
    """Of the last 64 queries of batch 0 and head 0, in double precision."""
    n = q.shape[1]
    q, k, v = q[0, -64:, 0].double(), k[0, :, 0].double(), v[0, :, 0].double()
    scores = q @ k.T * scale
    if causal:
        scores.masked_fill_(torch.arange(n, device='cuda')[None] > torch.arange(n - 64, n, device='cuda')[:, None], float('-inf'))
    return torch.softmax(scores, -1) @ v


def row(fade, shape, dtype, causal, deviation, distribution, rounds):
    batch, heads, positions, head_dim = shape
    scale = deviation / head_dim ** 0.5
    q, k, v = inputs(shape, dtype, distribution)
    o = torch.full_like(q, float('nan'))
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

    def ours():
        if getattr(fade, f'attention_{dtype}')(stream, *map(ctypes.c_long, shape), causal, ctypes.c_double(scale),
                                               *(ctypes.c_void_p(x.data_ptr()) for x in (q, k, v, o))):
            sys.exit('FADE refused')

    turned = [x.transpose(1, 2) for x in (q, k, v)]
    def cudnn():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            scaled_dot_product_attention(*turned, is_causal=bool(causal), scale=scale)
    ours()
    right = reference(q, k, v, causal, scale)
    off = float((o[0, -64:, 0].double() - right).norm() / right.norm())
    calls = {'ms': ours, 'cudnn_ms': cudnn}
    times = {name: max(3, round(4 / milliseconds(call, 3))) for name, call in calls.items()}
    took = {name: [] for name in calls}
    for _ in range(rounds):
        for name in random.sample(list(calls), len(calls)):   # a GPU that rested is faster for a while
            took[name].append(milliseconds(calls[name], times[name]))
    ms, cudnn_ms = (statistics.median(took[name]) for name in calls)
    return {'dtype': dtype, 'batch': batch, 'heads': heads, 'seq': positions, 'head_dim': head_dim, 'causal': bool(causal), 'deviation': deviation,
            'distribution': distribution, 'ms': round(ms, 4), 'cudnn_ms': round(cudnn_ms, 4), 'ratio': round(cudnn_ms / ms, 3), 'off': float(f'{off:.2g}')}


def rows(deviations, distributions, dtypes, rounds):
    fade = library()
    for head_dim in (128, 64):
        shape = (2, 16 * 128 // head_dim, 8192, head_dim)
        for dtype in dtypes:
            for causal in (0, 1):
                for deviation, distribution in [(d, 'normal') for d in deviations] + [(1.0, d) for d in distributions]:
                    yield row(fade, shape, dtype, causal, deviation, distribution, rounds)
