#!/usr/bin/env python3
"""Row operators on an NVIDIA GPU beside PyTorch's: bench/rows_h200.py [--out FILE] [--rounds N] [--compile none|some|all]
    [--only OPERATOR]... (--out wants all of them)

Builds bench/rows_library.cu with nvcc, checks each result against PyTorch in double precision, then times FADE, a
device-to-device copy of as many bytes, PyTorch's eager mode and torch.compile in turn, queued calls, medians.
Tensors rotate over more than twice the L2 cache. Ratios above 1 are faster than the peer. torch.compile, whose compiling takes
most of the time, is a peer for the first size of each type (some), for all sizes, or for none. A line of JSON for each
operator, or for those of --only, then one table.
"""
import argparse
import ctypes
import datetime
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
import torch.nn.functional as F

ROOT = Path(__file__).resolve().parents[1]
PARTS = 3                        # of bench/rows_library.cu
TYPES = {'bf16': torch.bfloat16, 'f32': torch.float32}


def libraries():
    """The parts of each type, compiled side by side."""
    folder = Path(tempfile.mkdtemp())
    builds = {}
    for name in TYPES:
        for part in range(PARTS):
            to = folder / f'librows_{name}_{part}.so'
            command = ['nvcc', '-std=c++20', '-O3', '--expt-relaxed-constexpr', '--extended-lambda', '-shared', '-Xcompiler', '-fPIC',
                       '-gencode', 'arch=compute_90a,code=sm_90a', '-I', str(ROOT / 'include'), str(ROOT / 'bench/rows_library.cu'),
                       '-o', str(to), '-lcuda', f'-DROWS_PART={part}', *(['-DROWS_F32'] if name == 'f32' else [])]
            builds[name, part] = to, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    out = {name: [] for name in TYPES}
    for (name, _), (to, build) in builds.items():
        said = build.communicate()[0]
        if build.returncode:
            sys.exit(f'nvcc: {said}')
        out[name].append(ctypes.CDLL(str(to)))
    return out


class Fade:
    """The library's functions on tensors of one type, on PyTorch's stream of now. A call costs Python about what one of PyTorch's own does:
    functions are found once, and their arguments are numbers."""
    def __init__(self, parts, name):
        self.parts, self.name, self.functions = parts, name, {}
        self.stream = torch.cuda.current_stream().cuda_stream

    def function(self, name, arguments):
        word = f'{name}_{self.name}'
        found = next(getattr(part, word) for part in self.parts if hasattr(part, word))
        found.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_long, *(ctypes.c_int if isinstance(a, int) else ctypes.c_void_p for a in arguments)]
        return found

    def __call__(self, name, x, *more):
        found = self.functions.get(name)
        if not found:
            found = self.functions[name] = self.function(name, more)
        rows, columns = x.shape
        if found(self.stream, rows, columns, *(m.data_ptr() if isinstance(m, torch.Tensor) else m for m in more)):
            sys.exit(f'{name} was refused')


def operators(fade, rows, columns, dtype):
    """name: (inputs of one set, FADE's call, PyTorch's, bytes that must move, results to compare)"""
    size = torch.tensor([], dtype=dtype).element_size()
    def new(*shape, kind=dtype):
        return torch.randn(*shape, device='cuda').to(kind)
    def rows_of(n):
        return lambda: [new(rows, columns) for _ in range(n)]
    w, b = new(columns), new(columns)
    stat = lambda: torch.empty(rows, device='cuda')
    m, r, loss, lse = stat(), stat(), stat(), stat()
    labels = torch.randint(columns, (rows,), device='cuda', dtype=torch.int32)
    long_labels = labels.long()
    places = torch.empty(rows * 8, device='cuda', dtype=torch.int32)
    values, per_row, per_column = new(rows * 8), new(rows), new(columns)
    dw, db = new(columns), new(columns)
    matrix = rows * columns * size
    def backward_inputs():
        h, dy, dx = new(rows, columns), new(rows, columns), new(rows, columns)
        return [h, dy, dx]
    def forward_stats(h):
        mean = h.float().mean(1)
        m.copy_(mean), r.copy_(1 / torch.sqrt(h.float().var(1, unbiased=False) + 1e-5))
    def layer_backward(h, dy, dx):
        return torch.ops.aten.native_layer_norm_backward(dy, h, [columns], m[:, None], r[:, None], w, b, [True, True, True])
    table = {
        'rms_norm': (rows_of(2), lambda x, y: fade('rms_norm', x, x, None, None, w, y, None), lambda x, y: F.rms_norm(x, (columns,), w, 1e-5), 2 * matrix),
        'layer_norm': (rows_of(2), lambda x, y: fade('layer_norm', x, x, w, b, y, None, None), lambda x, y: F.layer_norm(x, (columns,), w, b), 2 * matrix),
        'softmax': (rows_of(2), lambda x, y: fade('softmax', x, x, y), lambda x, y: torch.softmax(x, 1), 2 * matrix),
        'log_softmax': (rows_of(2), lambda x, y: fade('log_softmax', x, x, y), lambda x, y: torch.log_softmax(x, 1), 2 * matrix),
        'softmax_gradient': (rows_of(3), lambda y, dy, dx: fade('softmax_gradient', y, y, dy, dx),
                             lambda y, dy, dx: torch.ops.aten._softmax_backward_data(dy, y, 1, dtype), 3 * matrix),
        'layer_norm_gradient': (backward_inputs, lambda h, dy, dx: fade('layer_norm_gradient', h, h, dy, w, m, r, dx, dw, db), layer_backward, 3 * matrix),
        'cross_entropy': (rows_of(1), lambda x: fade('cross_entropy', x, x, labels, loss, lse),
                          lambda x: F.cross_entropy(x, long_labels, reduction='none'), matrix),
        'sum': (rows_of(1), lambda x: fade('sum', x, 0, x, per_row), lambda x: x.sum(1), matrix),
        'sum along columns': (rows_of(1), lambda x: fade('sum', x, 1, x, per_column), lambda x: x.sum(0), matrix),
        'argmax': (rows_of(1), lambda x: fade('argmax', x, x, places), lambda x: x.argmax(1), matrix),
        'top_k 8': (rows_of(1), lambda x: fade('top_k', x, 8, x, values, places), lambda x: torch.topk(x, 8, 1), matrix),
    }
    results = {'rms_norm': lambda s: s[1], 'layer_norm': lambda s: s[1], 'softmax': lambda s: s[1], 'log_softmax': lambda s: s[1],
               'softmax_gradient': lambda s: s[2], 'layer_norm_gradient': lambda s: s[2], 'cross_entropy': lambda s: loss, 'sum': lambda s: per_row,
               'sum along columns': lambda s: per_column, 'argmax': lambda s: places[:rows], 'top_k 8': lambda s: values}
    return {name: (*row, results[name], forward_stats if name == 'layer_norm_gradient' else None) for name, row in table.items()}


def microseconds(call, sets, calls):
    """Of one of `calls` queued calls over sets in turn."""
    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
    begin.record()
    for i in range(calls):
        call(*sets[i % len(sets)])
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1e3 / calls


def off(name, got, peer, s, dtype):
    """Relative distance to PyTorch's result in its own type (places: share that differ in value)."""
    if isinstance(peer, tuple):
        peer = peer[0]
    if name == 'argmax':
        x = s[0].float()
        return float((x.gather(1, got[:, None].long()) != x.gather(1, peer[:, None])).float().mean())
    a, b = got.double().flatten(), peer.double().flatten()
    return float((a - b).norm() / b.norm())


def measure(fade, dtype_name, shape, rounds, compiles, only):
    rows, columns = shape
    dtype = TYPES[dtype_name]
    for name, (inputs, ours, theirs, moved, result, prepare) in operators(fade, rows, columns, dtype).items():
        if only and name not in only:
            continue
        one = inputs()
        sets = [one] + [inputs() for _ in range(min(40, max(1, -(-160_000_000 // moved))))]
        if prepare:
            prepare(one[0])
        ours(*one)
        torch.cuda.synchronize()
        error = off(name, result(one).clone(), theirs(*one), one, dtype)
        calls = max(10, min(400, 20_000_000_000 // moved))
        half = torch.empty(moved // 2, device='cuda', dtype=torch.uint8)
        halves = [(half, torch.empty_like(half)) for _ in range(len(sets))]
        peers = {'fade': (ours, sets), 'copy': (lambda a, b: b.copy_(a), halves), 'eager': (theirs, sets)}
        if compiles:
            torch._dynamo.reset()
            compiled = torch.compile(theirs, dynamic=False, mode='max-autotune-no-cudagraphs' if False else 'default')
            compiled(*one)
            peers['compile'] = (compiled, sets)
        took = {key: [] for key in peers}
        for call, arguments in peers.values():
            microseconds(call, arguments, calls)
        for _ in range(rounds):
            for key, (call, arguments) in peers.items():
                took[key].append(microseconds(call, arguments, calls))
        median = {key: statistics.median(v) for key, v in took.items()}
        row = {'op': name, 'dtype': dtype_name, 'rows': rows, 'columns': columns, 'us': round(median['fade'], 2), 'off': error,
               'gb_s': round(moved / median['fade'] / 1e3), 'of_copy': round(median['copy'] / median['fade'], 3),
               'over_eager': round(median['eager'] / median['fade'], 2)}
        if compiles:
            row['over_compile'] = round(median['compile'] / median['fade'], 2)
        print(json.dumps(row), flush=True)
        del sets, halves
        torch.cuda.empty_cache()
        yield row


def print_table(rows):
    """Each operator of each size: the ratio of a copy's bandwidth, and the times of PyTorch over FADE's."""
    print(f'{"operator":<20} {"type":<5} {"rows x columns":>15} {"us":>8} {"of copy":>8} {"eager":>6} {"compile":>8} {"off":>8}')
    for r in rows:
        size = f'{r["rows"]} x {r["columns"]}'
        print(f'{r["op"]:<20} {r["dtype"]:<5} {size:>15} {r["us"]:>8} {r["of_copy"]:>8} {r["over_eager"]:>6} {r.get("over_compile", "-"):>8} {r["off"]:>8.1e}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out'), parser.add_argument('--rounds', type=int, default=3), parser.add_argument('--compile', choices=['none', 'some', 'all'], default='some')
    parser.add_argument('--only', action='append', help='an operator, as the table names it')
    asked = parser.parse_args()
    if asked.out and asked.only:
        parser.error('--out replaces the file, so it goes with no --only')
    built = libraries()
    out = []
    for dtype, shape in (('bf16', (16384, 4096)), ('bf16', (4096, 4096)), ('bf16', (128, 8192)), ('bf16', (4096, 32768)), ('f32', (8192, 4096)),
                         ('bf16', (131072, 512)), ('bf16', (2048, 50257))):
        compiles = asked.compile == 'all' or (asked.compile == 'some' and shape in ((16384, 4096), (8192, 4096)))
        out += measure(Fade(built[dtype], dtype), dtype, shape, asked.rounds, compiles, asked.only)
    print_table(out)
    if asked.out:
        said = {'machine': torch.cuda.get_device_name(), 'date': str(datetime.date.today()), 'command': ' '.join(['bench/rows_h200.py', *sys.argv[1:]]), 'rows': out}
        Path(asked.out).write_text(json.dumps(said, indent=1) + '\n')


if __name__ == '__main__':
    main()
