#!/usr/bin/env python3
"""Which convolutions are slow for what they compute: bench/conv_scan.py [--device DEV] [--dtype T] [--shapes N] [--seed S] [--times X]

Draws random shapes (groups, strides, dilation, pads, both layouts), times each of them in the three passes, and prints those that take
more than X (4) times as long for an operation as the median of the nearest shapes of their pass: near in pixels, channels and filters
of a group, taps and groups, by the logarithms of those. Such a shape is timed again, and printed where it stays so. Shapes below some
million operations (on a GPU some 1,000 million) are not drawn: their time is that of a launch. Exit 1 where one is printed. A busy
machine has outliers of its own. DEV: a device of fade-bench; `cuda` builds bench/conv_library.cu, and calls it in one process through
PyTorch, by graphs of calls (f16 and bf16); `model:gfx942` asks bench/conv_model.cpp what a static model thinks of f16 on an AMD GPU.
--passes names some.
"""
import argparse
import ctypes
import math
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fade_bench import ROOT, answer, required

PASSES = {'fwd': 'forward', 'bwd-data': 'backward_data', 'bwd-weights': 'backward_weights'}
NEIGHBOURS = 8


class Draw:
    """Random shapes of so many operations, whose images have so many pixels along an axis, by dimensions."""
    def __init__(self, least, most, images, batch, elements):
        self.least, self.most, self.images, self.batch, self.elements = least, most, images, batch, elements

    def __call__(self, random_):
        """The options of a shape, where it stands among others, and its operations."""
        while True:
            dims, groups = random_.choice((1, 2, 2, 2, 3)), random_.choice((1, 1, 1, 2, 4, 32))
            size = lambda largest: round(2 ** random_.uniform(0, math.log2(largest)))
            c, k, n = groups * size(256), groups * size(256), size(self.batch)
            image, taps, stride = size(self.images[dims - 1]), random_.choice((1, 2, 3, 3, 5, 7)), random_.choice((1, 1, 2))
            dilation = random_.choice((1, 1, 1, 2))
            reach = (taps - 1) * dilation + 1
            pad = random_.choice((0, reach // 2))
            if image + 2 * pad < reach or c > 2048 or k > 2048:
                continue
            out = (image + 2 * pad - reach) // stride + 1
            pixels = n * out ** dims
            operations = 2 * pixels * taps ** dims * (c // groups) * k
            if not self.least <= operations <= self.most or max(n * image ** dims * c, pixels * k) > self.elements:
                continue
            of_each = lambda number: ','.join([str(number)] * dims)
            options = {'n': n, 'c': c, 'k': k, 'groups': groups, 'in': of_each(image), 'filter': of_each(taps), 'stride': of_each(stride),
                       'dilation': of_each(dilation), 'pad': of_each(pad), 'layout': random_.choice(('nhwc', 'nhwc', 'nchw'))}
            place = [math.log2(number) for number in (pixels, c // groups, k // groups, taps ** dims, groups)]
            return options, place, operations


def numbers(options):
    """The arguments of bench/conv_library.cu, and of the model."""
    axes = lambda name, beyond: ([beyond] * 3 + [int(n) for n in options[name].split(',')])[-3:]
    return [options['n'], options['c'], options['k'], options['groups'], int(options['layout'] == 'nchw'), *axes('in', 1),
            *axes('filter', 1), *axes('stride', 1), *axes('dilation', 1), *axes('pad', 0)]


class Program:
    """fade-bench, which a process runs for each time."""
    draw = Draw(2e7, 2e9, (4096, 128, 32), 16, 1 << 30)

    def __init__(self, args):
        required(args.program, 'host')
        self.args = args

    def timed(self, options, which):
        """(milliseconds, what ran)"""
        words = [word for name, value in options.items() for word in (f'--{name}', value)]
        said = answer([self.args.program, 'conv', '--device', self.args.device, '--dtype', self.args.dtype, '--pass', which, *words, '--json'])
        return said['ms'], said['report']['chosen']


class Model:
    """bench/conv_model.cpp, compiled for an architecture."""
    draw = Draw(2e9, 1e11, (65536, 256, 48), 64, 1 << 26)
    # Of data sheets: compute units, multiply-adds of f16 and of f32 of one a cycle, GHz, bytes a nanosecond; and how busy elements
    # that are read one by one keep the matrix unit, and those of backward weights, by isa_audit.py's play of their main loops.
    CHIPS = {'gfx90a': ((110, 512, 128, 1.7, 1600), 0.68, 0.078), 'gfx942': ((304, 1024, 128, 2.1, 5300), 0.43, 0.042),
             'gfx1100': ((96, 256, 128, 2.5, 960), 0.77, 0.14), 'gfx1201': ((64, 512, 128, 2.97, 640), 0.62, 0.084)}

    def __init__(self, args):
        arch = args.device.removeprefix('model:')
        if arch not in self.CHIPS:
            sys.exit(f'the model has {", ".join(self.CHIPS)}')
        chip, elements, pixels = self.CHIPS[arch]
        self.folder = tempfile.TemporaryDirectory()
        program = Path(self.folder.name) / 'model'
        subprocess.run(['c++', '-std=c++20', '-O1', f'-I{ROOT}/include', ROOT / 'bench/conv_model.cpp', '-o', program, '-pthread', '-ldl',
                        f'-DMODEL_ARCH={arch}', f'-DMODEL_CHIP={{{", ".join(map(str, chip))}}}', f'-DMODEL_ELEMENTS={elements}',
                        f'-DMODEL_PIXELS={pixels}'], check=True)
        self.program = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def timed(self, options, which):
        print(list(PASSES).index(which), *numbers(options), file=self.program.stdin, flush=True)
        ms, chosen = self.program.stdout.readline().strip().split(' ', 1)
        return float(ms), chosen


class Gpu:
    """The library of this machine's NVIDIA GPU."""
    draw = Draw(2e9, 1e11, (65536, 256, 48), 64, 1 << 26)
    calls, rounds = 2, 2

    def __init__(self, args):
        import torch
        import conv_h200
        self.torch, self.h200 = torch, conv_h200
        self.built = conv_h200.libraries([args.dtype], ROOT / 'include')
        self.dtype = args.dtype
        torch.cuda.set_stream(torch.cuda.Stream())
        # Values and results of all shapes: what is read does not decide how long it takes.
        self.memory = [torch.randn(self.draw.elements, device='cuda', dtype=conv_h200.TYPES[args.dtype]) for _ in range(3)]

    def timed(self, options, which):
        sizes = (ctypes.c_int * 20)(*numbers(options))
        said = ctypes.create_string_buffer(400)

        def call(_):
            stream = ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream)
            if self.built[self.dtype, PASSES[which]](stream, sizes, said, *(ctypes.c_void_p(m.data_ptr()) for m in self.memory)):
                sys.exit('FADE refused')
        graph = self.h200.captured(call, self.calls)
        return min(self.h200.milliseconds(graph, self.calls) for _ in range(self.rounds)), said.value.decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--device', default='host')
    parser.add_argument('--dtype')
    parser.add_argument('--shapes', type=int, default=1000)
    parser.add_argument('--seed', type=int, default=random.randrange(1 << 30))
    parser.add_argument('--times', type=float, default=4)
    parser.add_argument('--passes', default=','.join(PASSES))
    parser.add_argument('--all', type=Path, help='a file for a line of each shape')
    parser.add_argument('--program', type=Path, default=ROOT / 'build' / 'host' / 'bin' / 'fade-bench')
    args = parser.parse_args()
    gpu = args.device == 'cuda'
    args.dtype = args.dtype or ('f16' if gpu or args.device.startswith('model:') else 'f32')
    machine = (Gpu if gpu else Model if args.device.startswith('model:') else Program)(args)
    print(f'seed {args.seed}', flush=True)
    random_ = random.Random(args.seed)
    shapes = [machine.draw(random_) for _ in range(args.shapes)]
    outliers, began = 0, time.time()
    lines = args.all.open('w') if args.all else None
    for which in args.passes.split(','):
        found = [(*machine.timed(options, which), options, place, operations) for options, place, operations in shapes]
        of_operation = [ms / operations for ms, _, _, _, operations in found]
        for i, (ms, chosen, options, place, operations) in enumerate(found):
            near = sorted((math.dist(place, found[j][3]), j) for j in range(len(found)) if j != i)[:NEIGHBOURS]
            usual = statistics.median(of_operation[j] for _, j in near)
            shape = ' '.join(f'--{name} {value}' for name, value in options.items())
            if lines:
                print(f'{of_operation[i] / usual:.2f} --pass {which} {shape}: {ms:.4f} ms, {operations / ms / 1e9:.2f} TFLOP/s, {chosen}', file=lines)
            if of_operation[i] < args.times * usual:
                continue
            again = machine.timed(options, which)[0]
            if again / operations < args.times * usual:
                continue
            outliers += 1
            print(f'{again / operations / usual:.1f} times its neighbours: --pass {which} {shape}: {again:.3f} ms, {chosen}', flush=True)
    print(f'{args.shapes} shapes in {len(args.passes.split(","))} passes on {args.device}, {args.dtype}: {outliers} outliers '
          f'({time.time() - began:.0f} s)')
    return 1 if outliers else 0


if __name__ == '__main__':
    sys.exit(main())
