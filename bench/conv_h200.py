#!/usr/bin/env python3
"""Convolutions on an NVIDIA GPU beside cuDNN: bench/conv_h200.py [--out FILE] [--types f16,bf16] [--rounds N] [--include FOLDER]

Builds bench/conv_library.cu with nvcc, checks every result against PyTorch in single precision (no TF32), then times FADE and
cuDNN as PyTorch has it (channels last, cudnn.benchmark, which times its algorithms and keeps the fastest) in turn, queued calls,
medians of graphs of calls. Tensors rotate over more than twice the L2 cache. Ratios above 1 are faster than cuDNN. --include takes FADE from
another folder. A line for each convolution and pass, then one file. --types i8,f8e4m3 times the forward pass of those to f16, with a
scale, beside that of FADE in f16 and cuDNN's.
"""
import argparse
import ctypes
import datetime
import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[1]
PASSES = ['forward', 'backward_data', 'backward_weights']
TYPES = {'f16': torch.float16, 'bf16': torch.bfloat16}
BYTES = {'i8': torch.int8, 'f8e4m3': torch.float8_e4m3fn}
BATCH = 64
RESNET_50 = [  # channels, filters, height and width, filter, stride
    (64, 64, 56, 1, 1), (64, 64, 56, 3, 1), (64, 256, 56, 1, 1), (256, 64, 56, 1, 1), (256, 128, 56, 1, 1), (128, 128, 56, 3, 2),
    (256, 512, 56, 1, 2), (128, 512, 28, 1, 1), (512, 128, 28, 1, 1), (128, 128, 28, 3, 1), (512, 256, 28, 1, 1), (256, 256, 28, 3, 2),
    (512, 1024, 28, 1, 2), (256, 1024, 14, 1, 1), (1024, 256, 14, 1, 1), (256, 256, 14, 3, 1), (1024, 512, 14, 1, 1), (512, 512, 14, 3, 2),
    (1024, 2048, 14, 1, 2), (512, 2048, 7, 1, 1), (2048, 512, 7, 1, 1), (512, 512, 7, 3, 1)]
SHAPES = [('resnet-50', (BATCH, c, k, n, n, r, s, r // 2)) for c, k, n, r, s in RESNET_50] + \
         [('diffusion', (32, 320, 320, 64, 64, 3, 1, 1)), ('stem', (BATCH, 3, 64, 224, 224, 7, 2, 3))]


def libraries(types, include):
    """One for each type and pass, compiled side by side."""
    folder = Path(tempfile.mkdtemp())
    builds = {}
    for name in types:
        for part, of in enumerate(PASSES if name in TYPES else PASSES[:1]):
            to = folder / f'lib{of}_{name}.so'
            command = ['nvcc', '-std=c++20', '-O3', '--expt-relaxed-constexpr', '--extended-lambda', '-shared', '-Xcompiler', '-fPIC',
                       '-gencode', 'arch=compute_90a,code=sm_90a', '-I', str(include), str(ROOT / 'bench/conv_library.cu'),
                       '-o', str(to), '-lcuda', f'-DCONV_PART={part}', f'-DCONV_{name.upper()}']
            builds[name, of] = to, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    out = {}
    for (name, of), (to, build) in builds.items():
        said = build.communicate()[0]
        if build.returncode:
            sys.exit(f'nvcc: {said}')
        out[name, of] = getattr(ctypes.CDLL(str(to)), f'conv_{of}')
    return out


def sizes_of(batch, channels, filters, image, filter_, stride, dilation, pad, groups=1, channels_first=0):
    """The arguments of bench/conv_library.cu; what has axes is d, h, w."""
    return (ctypes.c_int * 20)(batch, channels, filters, groups, channels_first, *image, *filter_, *stride, *dilation, *pad)


def images(n, c, h, w, dtype):
    return torch.randn(n, c, h, w, device='cuda', dtype=dtype).contiguous(memory_format=torch.channels_last)


class Convolution:
    """One convolution, with as many sets of tensors as the L2 cache holds none of."""
    def __init__(self, sizes, dtype):
        self.sizes, self.dtype = sizes, dtype
        batch, channels, filters, h, w, r, self.stride, self.pad = sizes
        out = [(n + 2 * self.pad - r) // self.stride + 1 for n in (h, w)]
        self.flops = 2 * batch * filters * channels * r * r * out[0] * out[1]
        size = 2 * (batch * channels * h * w + batch * filters * out[0] * out[1])
        self.sets = []
        for _ in range(max(1, math.ceil(128e6 / size))):
            x, w_, dy = images(batch, channels, h, w, dtype), images(filters, channels, r, r, dtype), images(batch, filters, *out, dtype)
            self.sets.append({'x': x, 'w': w_, 'dy': dy, 'forward': torch.empty_like(dy), 'backward_data': torch.empty_like(x),
                              'backward_weights': torch.empty_like(w_)})

    def read(self, of, t):
        return {'forward': (t['x'], t['w']), 'backward_data': (t['dy'], t['w']), 'backward_weights': (t['x'], t['dy'])}[of]

    def ours(self, library, of, t):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        said = ctypes.create_string_buffer(400)
        a, b = self.read(of, t)
        batch, channels, filters, h, w, r, stride, pad = self.sizes
        words = sizes_of(batch, channels, filters, (1, h, w), (1, r, r), (1, stride, stride), (1, 1, 1), (0, pad, pad))
        if library(stream, words, said, *(ctypes.c_void_p(x.data_ptr()) for x in (a, b, t[of]))):
            sys.exit('FADE refused')
        return said.value.decode()

    def in_bytes(self, dtype):
        """The same sets of bytes, whose results are those of f16."""
        out = Convolution.__new__(Convolution)
        out.sizes, out.dtype = self.sizes, dtype
        as_bytes = lambda x: (x * 2).round().clamp(-8, 8).to(dtype)
        out.sets = [{'x': as_bytes(t['x']), 'w': as_bytes(t['w']), 'forward': t['forward'], 'dy': t['dy']} for t in self.sets]
        return out

    def torch(self, of, t, convert=lambda x: x):
        x, w, dy = (convert(t[name]) for name in ('x', 'w', 'dy'))
        if of == 'forward':
            return torch.nn.functional.conv2d(x, w, stride=self.stride, padding=self.pad)
        mask = [of == 'backward_data', of == 'backward_weights', False]
        made = torch.ops.aten.convolution_backward(dy, x, w, None, [self.stride] * 2, [self.pad] * 2, [1, 1], False, [0, 0], 1, mask)
        return made[mask.index(True)]


def captured(call, times):
    """A graph of so many calls: PyTorch needs more of the CPU for a convolution than the GPU often does."""
    for n in range(3):
        call(n)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=torch.cuda.current_stream()):
        for n in range(times):
            call(n)
    return graph


def milliseconds(graph, times):
    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
    begin.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / times


def row(network, sizes, dtype, of, library, rounds):
    conv = Convolution(sizes, TYPES[dtype])
    first = conv.sets[0]
    first[of].fill_(float('nan'))
    said = conv.ours(library, of, first)
    right = conv.torch(of, first, torch.Tensor.float)
    off = float((first[of].float() - right).norm() / right.norm())
    calls = {'ms': lambda n: conv.ours(library, of, conv.sets[n % len(conv.sets)]),
             'cudnn_ms': lambda n: conv.torch(of, conv.sets[n % len(conv.sets)])}
    times = max(4, len(conv.sets))
    graphs = {name: captured(call, times) for name, call in calls.items()}
    took = {name: [] for name in calls}
    for n in range(rounds + 1):
        for name, graph in graphs.items():
            ms = milliseconds(graph, times)
            if n > 0:  # the first round warms up
                took[name].append(ms)
    ms, cudnn_ms = (statistics.median(took[name]) for name in calls)
    out = {'network': network, 'dtype': dtype, 'pass': of, 'sizes': sizes, 'kernel': said.split(':')[0], 'ms': round(ms, 4),
           'tflops': round(conv.flops / ms / 1e9, 1), 'cudnn_ms': round(cudnn_ms, 4), 'ratio': round(cudnn_ms / ms, 3), 'off': float(f'{off:.2g}')}
    print(*out.values(), flush=True)
    bound = 2e-3 if dtype == 'f16' else 1e-2
    if not off <= bound:
        sys.exit(f'off by {off}, at most {bound}')
    return out


def row_of_bytes(network, sizes, name, built, rounds):
    """The forward pass of bytes beside that of f16, which rotates over twice as many."""
    conv = Convolution(sizes, torch.float16)
    own = conv.in_bytes(BYTES[name])
    first = own.sets[0]
    said = own.ours(built[name, 'forward'], 'forward', first)
    right = torch.nn.functional.conv2d(first['x'].float(), first['w'].float(), stride=conv.stride, padding=conv.pad) / 64
    off = float((first['forward'].float() - right).norm() / right.norm())
    calls = {'ms': lambda n: own.ours(built[name, 'forward'], 'forward', own.sets[n % len(own.sets)]),
             'f16_ms': lambda n: conv.ours(built['f16', 'forward'], 'forward', conv.sets[n % len(conv.sets)]),
             'cudnn_f16_ms': lambda n: conv.torch('forward', conv.sets[n % len(conv.sets)])}
    times = max(4, len(conv.sets))
    graphs = {of: captured(call, times) for of, call in calls.items()}
    took = {of: statistics.median([milliseconds(graph, times) for _ in range(rounds + 1)][1:]) for of, graph in graphs.items()}
    out = {'network': network, 'dtype': name, 'pass': 'forward', 'sizes': sizes, 'kernel': said.split(':')[0],
           **{of: round(ms, 4) for of, ms in took.items()}, 'ratio': round(took['f16_ms'] / took['ms'], 3), 'off': float(f'{off:.2g}')}
    print(*out.values(), flush=True)
    if not off <= 2e-3:
        sys.exit(f'off by {off}')
    return out


def machine():
    asked = ['nvidia-smi', '--query-gpu=name,driver_version', '--format=csv,noheader']
    name, driver = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip().split(', ')
    return f'{name}, driver {driver.split(".")[0]}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}, Linux x86-64'


def geomean(values):
    return math.exp(statistics.mean(map(math.log, values)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', type=Path)
    parser.add_argument('--types', default='f16,bf16', help='of f16, bf16, i8, f8e4m3')
    parser.add_argument('--rounds', type=int, default=9)
    parser.add_argument('--include', type=Path, default=ROOT / 'include')
    parser.add_argument('--passes', default=','.join(PASSES))
    options = parser.parse_args()
    types = options.types.split(',')
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    built = libraries(sorted({*types, *(['f16'] if set(types) & set(BYTES) else [])}), options.include)
    torch.cuda.set_stream(torch.cuda.Stream())  # the default one cannot be captured
    rows = [row(network, sizes, dtype, of, built[dtype, of], options.rounds)
            for dtype in types if dtype in TYPES for of in options.passes.split(',') for network, sizes in SHAPES]
    for name in (t for t in types if t in BYTES):
        some = [row_of_bytes(network, sizes, name, built, options.rounds) for network, sizes in SHAPES if network != 'stem']
        ratios = [r['ratio'] for r in some if r['network'] == 'resnet-50']
        print(f'resnet-50 {name} forward beside f16: geometric mean {geomean(ratios):.3f}, worst {min(ratios):.2f}')
        rows += some
    for dtype in (t for t in types if t in TYPES):
        for of in options.passes.split(','):
            ratios = [r['ratio'] for r in rows if (r['dtype'], r['pass'], r['network']) == (dtype, of, 'resnet-50')]
            print(f'resnet-50 {dtype} {of}: geometric mean {geomean(ratios):.3f}, worst {min(ratios):.2f}')
    if options.out:
        options.out.write_text(json.dumps({'machine': machine(), 'date': datetime.date.today().isoformat(),
                                           'command': f'bench/conv_h200.py --types {options.types}', 'rows': rows}, indent=1) + '\n')


if __name__ == '__main__':
    main()
