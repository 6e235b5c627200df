#!/usr/bin/env python3
"""Which convolutions are slow for what they compute: bench/conv_scan.py [--device DEV] [--dtype T] [--shapes N] [--seed S] [--times X]

Draws random shapes (groups, strides, dilation, pads, both layouts), times each of them in the three passes by fade-bench, and prints
those that take more than X (4) times as long for an operation as the median of the nearest shapes of their pass: near in pixels,
channels and filters of a group, taps and groups, by the logarithms of those. Such a shape is timed again, and printed where it stays
so. Shapes below some million operations are not drawn: their time is that of a launch. Exit 1 where one is printed. A busy machine
has outliers of its own.
"""
import argparse
import math
import random
import statistics
import sys
from pathlib import Path

from fade_bench import ROOT, answer, required

PASSES = 'fwd', 'bwd-data', 'bwd-weights'
NEIGHBOURS = 8
LEAST, MOST = 2e7, 2e9                          # operations of a shape


def drawn(random_):
    """The options of a shape, where it stands among others, and its operations."""
    while True:
        dims, groups = random_.choice((1, 2, 2, 2, 3)), random_.choice((1, 1, 1, 2, 4, 32))
        size = lambda largest: round(2 ** random_.uniform(0, math.log2(largest)))
        c, k, n = groups * size(256), groups * size(256), size(16)
        image, taps, stride = size({1: 4096, 2: 128, 3: 32}[dims]), random_.choice((1, 2, 3, 3, 5, 7)), random_.choice((1, 1, 2))
        dilation = random_.choice((1, 1, 1, 2))
        reach = (taps - 1) * dilation + 1
        pad = random_.choice((0, reach // 2))
        if image + 2 * pad < reach or c > 2048 or k > 2048:
            continue
        pixels = n * ((image + 2 * pad - reach) // stride + 1) ** dims
        operations = 2 * pixels * taps ** dims * (c // groups) * k
        if not LEAST <= operations <= MOST:
            continue
        of_each = lambda number: ','.join([str(number)] * dims)
        options = {'n': n, 'c': c, 'k': k, 'groups': groups, 'in': of_each(image), 'filter': of_each(taps), 'stride': of_each(stride),
                   'dilation': of_each(dilation), 'pad': of_each(pad), 'layout': random_.choice(('nhwc', 'nhwc', 'nchw'))}
        place = [math.log2(number) for number in (pixels, c // groups, k // groups, taps ** dims, groups)]
        return options, place, operations


def timed(args, options, which):
    """(milliseconds, what ran)"""
    words = [word for name, value in options.items() for word in (f'--{name}', value)]
    said = answer([args.program, 'conv', '--device', args.device, '--dtype', args.dtype, '--pass', which, *words, '--json'])
    return said['ms'], said['report']['chosen']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--device', default='host')
    parser.add_argument('--dtype', default='f32')
    parser.add_argument('--shapes', type=int, default=1000)
    parser.add_argument('--seed', type=int, default=random.randrange(1 << 30))
    parser.add_argument('--times', type=float, default=4)
    parser.add_argument('--program', type=Path, default=ROOT / 'build' / 'host' / 'bin' / 'fade-bench')
    args = parser.parse_args()
    required(args.program, 'host')
    print(f'seed {args.seed}', flush=True)
    random_ = random.Random(args.seed)
    shapes = [drawn(random_) for _ in range(args.shapes)]
    outliers = 0
    for which in PASSES:
        found = [(*timed(args, options, which), options, place, operations) for options, place, operations in shapes]
        of_operation = [ms / operations for ms, _, _, _, operations in found]
        for i, (ms, chosen, options, place, operations) in enumerate(found):
            near = sorted((math.dist(place, found[j][3]), j) for j in range(len(found)) if j != i)[:NEIGHBOURS]
            usual = statistics.median(of_operation[j] for _, j in near)
            if of_operation[i] < args.times * usual:
                continue
            again = timed(args, options, which)[0]
            if again / operations < args.times * usual:
                continue
            outliers += 1
            shape = ' '.join(f'--{name} {value}' for name, value in options.items())
            print(f'{again / operations / usual:.1f} times its neighbours: --pass {which} {shape}: {again:.3f} ms, {chosen}', flush=True)
    print(f'{args.shapes} shapes in {len(PASSES)} passes on {args.device}, {args.dtype}: {outliers} outliers')
    return 1 if outliers else 0


if __name__ == '__main__':
    sys.exit(main())
