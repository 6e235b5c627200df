#!/usr/bin/env python3
"""A user's own kernel on an NVIDIA GPU beside FlashAttention-2: bench/own_flash_h200.py [--rounds N] [--out FILE]

Builds the flash attention of examples/own_flash_attention.cpp with nvcc (bench/own_flash_library.cu), runs the example's own
check, compares each shape with PyTorch's product in f32, then times it and PyTorch's flash backend, which is FlashAttention-2,
in turn: queued calls, medians. Causal, f16, head dimension 128. Ratios above 1 are faster than FlashAttention-2.
"""
import argparse
import ctypes
import datetime
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import fade_bench

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

SHAPES = [(2, 16, 16, 8192), (4, 16, 16, 4096), (2, 32, 8, 8192), (16, 16, 16, 1024)]   # batch, heads, kv_heads, positions
CALLS = 10                                                                              # a sample
BOUND = 1e-3                                                                            # of the Frobenius norm, as the example's


def library():
    to = Path(tempfile.mkdtemp()) / 'libown_flash.so'
    built = subprocess.run(['nvcc', '-std=c++20', '-O3', '--expt-relaxed-constexpr', '--extended-lambda', '-shared', '-Xcompiler', '-fPIC',
                            '-gencode', 'arch=compute_90a,code=sm_90a', '-I', fade_bench.ROOT / 'include',
                            fade_bench.ROOT / 'bench/own_flash_library.cu', '-o', to, '-lcuda'], capture_output=True, text=True)
    if built.returncode:
        sys.exit(f'nvcc: {built.stdout}{built.stderr}')
    return ctypes.CDLL(str(to))


def milliseconds(run):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(CALLS):
        run()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / CALLS


def error_of(o, q, k, v):
    """Beside a product in f32 of one head after another: a matrix of scores of all of them is too large."""
    heads, group = q.shape[2], q.shape[2] // k.shape[2]
    off = norm = 0.0
    for head in range(heads):
        a, b, c = (x[0, :, h].float() for x, h in ((q, head), (k, head // group), (v, head // group)))
        hidden = torch.ones(len(a), len(b), dtype=torch.bool, device=a.device).triu(1)
        wanted = torch.softmax((a.double() @ b.double().T * a.shape[1] ** -0.5).masked_fill(hidden, float('-inf')), -1) @ c.double()
        off += float((o[0, :, head].double() - wanted).square().sum())
        norm += float(wanted.square().sum())
    return (off / norm) ** 0.5


def row(own, shape, rounds):
    batch, heads, kv_heads, positions = shape
    new = lambda count: torch.randn(batch, positions, count, 128, device='cuda', dtype=torch.float16)
    q, k, v = new(heads), new(kv_heads), new(kv_heads)
    o = torch.full_like(q, float('nan'))
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    pointers = [ctypes.c_void_p(x.data_ptr()) for x in (q, k, v, o)]

    def ours():
        if own.own_flash(stream, batch, heads, kv_heads, positions, *pointers):
            sys.exit('own_flash was refused')

    def theirs():
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            scaled_dot_product_attention(*(x.transpose(1, 2) for x in (q, k, v)), is_causal=True, enable_gqa=heads != kv_heads)

    ours(), theirs()
    error = error_of(o, q, k, v)
    if not error < BOUND:
        sys.exit(f'own_flash_attention: relative error {error:.1e} at {shape}, but at most {BOUND:.0e}')
    taken = [(milliseconds(ours), milliseconds(theirs)) for _ in range(rounds)]
    ms, peer = (statistics.median(t) for t in zip(*taken))
    flops = 2 * batch * heads * positions ** 2 * 128
    return {'batch': batch, 'heads': heads, 'kv_heads': kv_heads, 'seq': positions, 'error': float(f'{error:.2e}'), 'ms': round(ms, 4),
            'tflops': round(flops / ms / 1e9, 1), 'flash_2_ms': round(peer, 4), 'ratio': round(peer / ms, 3)}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--rounds', default=15, type=int)
    options.add_argument('--out', type=Path, default=fade_bench.ROOT / 'bench/results/own-flash-h200.json')
    asked = options.parse_args()
    own = library()
    if own.own_flash_check():
        sys.exit('the example is wrong on this GPU')
    rows = [row(own, shape, asked.rounds) for shape in SHAPES]
    for said in rows:
        print(said)
    fade_bench.write(asked.out, {'machine': torch.cuda.get_device_name(), 'date': datetime.date.today().isoformat(),
                                 'command': f'bench/own_flash_h200.py --rounds {asked.rounds}'}, rows)


if __name__ == '__main__':
    main()
