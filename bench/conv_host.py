#!/usr/bin/env python3
"""ResNet-50's convolutions on this CPU beside PyTorch's oneDNN: bench/conv_host.py [--types f32,bf16,i8] [--rounds N] [--include FOLDER] [--out FILE]

Wants a C++ compiler and PyTorch for CPUs. Builds bench/host_library.cpp. Tensors have channels last, and 4 images. FADE and PyTorch use one thread,
bound to one core, and take turns, a round each; times are the processor's, so the machine may be shared, and medians over the rounds.
oneDNN's filters of forward are in its own order before they are timed. i8 goes forward, to f32, with a scale. Each result is held against PyTorch's first. Prints a row for
each convolution and pass: ratios above 1 are faster than PyTorch. --include takes FADE
from another folder, --library what was built before.
"""
import argparse
import ctypes
import json
import sys

import host_peer
import torch

TYPES = {'f32': torch.float32, 'bf16': torch.bfloat16, 'i8': torch.int8}
PASSES = ['forward', 'backward_data', 'backward_weights']
BATCH = 4
CLOSE = {'f32': 3e-5, 'bf16': 1e-2, 'i8': 1e-6}
RESNET_50 = [  # channels, filters, height and width, filter, stride
    (64, 64, 56, 1, 1), (64, 64, 56, 3, 1), (64, 256, 56, 1, 1), (256, 64, 56, 1, 1), (256, 128, 56, 1, 1), (128, 128, 56, 3, 2),
    (256, 512, 56, 1, 2), (128, 512, 28, 1, 1), (512, 128, 28, 1, 1), (128, 128, 28, 3, 1), (512, 256, 28, 1, 1), (256, 256, 28, 3, 2),
    (512, 1024, 28, 1, 2), (256, 1024, 14, 1, 1), (1024, 256, 14, 1, 1), (256, 256, 14, 3, 1), (1024, 512, 14, 1, 1), (512, 512, 14, 3, 2),
    (1024, 2048, 14, 1, 2), (512, 2048, 7, 1, 1), (2048, 512, 7, 1, 1), (512, 512, 7, 3, 1), (3, 64, 224, 7, 2)]


def passes_of(t):
    return PASSES[:1] if t == 'i8' else PASSES


def calls_of_bytes(library, sizes):
    """The same of i8, whose products stand for a 4096th: scales of 1 / 64 each. PyTorch takes unsigned images, so none is negative."""
    c, k, n, r, stride = sizes
    pad, last = r // 2, torch.channels_last
    new = lambda least, *shape: torch.randint(least, 128, shape, dtype=torch.int8).contiguous(memory_format=last)
    x, w = new(0, BATCH, c, n, n), new(-127, k, c, r, r)
    side = (n + 2 * pad - r) // stride + 1
    to = torch.ones(BATCH, k, side, side).contiguous(memory_format=last)
    axes, scales, zeros = ([stride] * 2, [pad] * 2, [1, 1]), torch.full((k,), 1 / 64), torch.zeros(k, dtype=torch.long)
    ordered = torch.ops.onednn.qconv_prepack(w, scales, 1 / 64, 0, *axes, 1, list(x.shape))
    numbers = (ctypes.c_int * 7)(BATCH, c, k, n, r, stride, pad)
    ours = lambda: host_peer.ask(library.host_conv(2, 0, numbers, *map(host_peer.address, (x, w, to))))
    return ours, lambda: torch.ops.onednn.qconv2d_pointwise(x.view(torch.uint8), 1 / 64, 0, ordered, scales, zeros, None, *axes, 1, 1.0, 0, torch.float32,
                                                            'none', [], ''), to


def calls(library, of, t, sizes):
    """FADE's call, PyTorch's, and what FADE writes."""
    c, k, n, r, stride = sizes
    pad, last = r // 2, torch.channels_last
    new = lambda *shape: torch.randn(shape).to(TYPES[t]).contiguous(memory_format=last)
    x, w = new(BATCH, c, n, n), new(k, c, r, r)
    y = torch.nn.functional.conv2d(x, w, stride=stride, padding=pad).contiguous(memory_format=last)
    dy = torch.randn_like(y)
    left, right, to = {'forward': (x, w, torch.ones_like(y)), 'backward_data': (dy, w, torch.ones_like(x)),
                       'backward_weights': (x, dy, torch.ones_like(w))}[of]
    numbers = (ctypes.c_int * 7)(BATCH, c, k, n, r, stride, pad)
    ours = lambda: host_peer.ask(library.host_conv(list(TYPES).index(t), PASSES.index(of), numbers, *map(host_peer.address, (left, right, to))))
    if of == 'forward':
        ordered = torch.ops.mkldnn._reorder_convolution_weight(w, [pad] * 2, [stride] * 2, [1, 1], 1, list(x.shape))
        return ours, lambda: torch.ops.mkldnn._convolution_pointwise(x, ordered, None, [pad] * 2, [stride] * 2, [1, 1], 1, 'none', [], ''), to
    mask = [of == 'backward_data', of == 'backward_weights', False]
    return ours, lambda: torch.ops.aten.convolution_backward(dy, x, w, None, [stride] * 2, [pad] * 2, [1, 1], False, [0, 0], 1,
                                                             mask)[mask.index(True)], to


def measured(library, types, rounds):
    for t, of, sizes in ((t, of, sizes) for t in types for of in passes_of(t) for sizes in RESNET_50):
        ours, theirs, to = calls_of_bytes(library, sizes) if t == 'i8' else calls(library, of, t, sizes)
        ours()
        wanted = theirs().double()
        off = float((to.double() - wanted).norm() / wanted.norm())
        if off > CLOSE[t]:
            sys.exit(f'{of} {t} {sizes}: {off} from PyTorch')
        ms = host_peer.medians({'ms': ours, 'onednn_ms': theirs}, [()], 1, rounds)
        c, k, n, r, stride = sizes
        flops = 2 * BATCH * k * c * r * r * ((n + 2 * (r // 2) - r) // stride + 1) ** 2
        row = {'pass': of, 'dtype': t, 'batch': BATCH, 'channels': c, 'filters': k, 'size': n, 'filter': r, 'stride': stride,
               **{way: float(f'{x:.4g}') for way, x in ms.items()}, 'gflops': round(flops / ms['ms'] / 1e6),
               'ratio': round(ms['onednn_ms'] / ms['ms'], 2)}
        print(json.dumps(row), flush=True)
        yield row


def main():
    host_peer.keep_memory()
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--types', default='f32,bf16,i8')
    host_peer.add_options(options)
    asked = options.parse_args()
    library, busy = host_peer.library(asked.include, asked.library), host_peer.bound_to_one_core()
    with torch.no_grad():
        rows = list(measured(library, asked.types.split(','), asked.rounds))
    some = lambda t, of: [r['ratio'] for r in rows if (r['dtype'], r['pass']) == (t, of)]
    means = {f'{t} {of}': {'geomean': host_peer.geomean(some(t, of)), 'worst': min(some(t, of))} for t in asked.types.split(',') for of in passes_of(t)}
    print(json.dumps(means))
    if asked.out:
        host_peer.write(asked.out, busy, {'command': f'bench/conv_host.py --types {asked.types} --rounds {asked.rounds}', 'ratios': means}, rows)


if __name__ == '__main__':
    main()
