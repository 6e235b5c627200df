#!/usr/bin/env python3
"""Row operators on this CPU beside PyTorch's: bench/rows_host.py [--rounds N] [--types f32 bf16 f16] [--out FILE]

Wants the package fade (pip install ./python), PyTorch and NumPy. Both use one thread, bound to one core, and take turns with a copy of as
many bytes, a round each; times are the processor's, so the machine may be shared, and medians over the rounds. Tensors of the large sizes
rotate over several sets, beyond the caches. Each result is held against PyTorch's in double precision first. Writes machine, date, command and a row
for each operator and size as JSON: ratios above 1 are faster than PyTorch.
"""
import argparse
import datetime
import json
import os
import statistics
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from host import machine

import fade

ROOT = Path(__file__).resolve().parents[1]
TYPES = {'f32': torch.float32, 'bf16': torch.bfloat16, 'f16': torch.float16}
SIZES = [('f32', 8192, 4096), ('bf16', 8192, 4096), ('f16', 8192, 4096), ('f32', 128, 4096), ('bf16', 128, 8192), ('f16', 128, 8192)]
BEYOND_CACHES = 1 << 26                          # bytes of one tensor from which on sets rotate
SETS = 3


def operators(dtype, rows, columns, on):
    """{name: (inputs of one set, FADE's call, PyTorch's, bytes that must move, results in double precision or None)}"""
    size = dtype.itemsize
    new = lambda *shape: torch.randn(*shape).to(dtype)
    w, b = new(columns), new(columns)
    labels = torch.randint(columns, (rows,), dtype=torch.int32)
    long_labels = labels.long()
    matrix = rows * columns * size
    one = lambda: [new(rows, columns), torch.ones(rows, columns, dtype=dtype)]      # memory that was touched
    two = lambda: [torch.softmax(torch.randn(rows, columns), -1).to(dtype), new(rows, columns), torch.ones(rows, columns, dtype=dtype)]
    k = 8
    return {
        'rms_norm': (one, lambda x, y: fade.rms_norm(x, w, out=y, device=on), lambda x, y: F.rms_norm(x, (columns,), w, 1e-5), 2 * matrix,
                     lambda x, y: F.rms_norm(x.double(), (columns,), w.double(), 1e-5)),
        'layer_norm': (one, lambda x, y: fade.layer_norm(x, w, b, out=y, device=on), lambda x, y: F.layer_norm(x, (columns,), w, b), 2 * matrix,
                       lambda x, y: F.layer_norm(x.double(), (columns,), w.double(), b.double())),
        'softmax': (one, lambda x, y: fade.softmax(x, out=y, device=on), lambda x, y: torch.softmax(x, -1), 2 * matrix,
                    lambda x, y: torch.softmax(x.double(), -1)),
        'log_softmax': (one, lambda x, y: fade.log_softmax(x, out=y, device=on), lambda x, y: torch.log_softmax(x, -1), 2 * matrix,
                        lambda x, y: torch.log_softmax(x.double(), -1)),
        'softmax_gradient': (two, lambda p, dy, dx: fade.softmax_gradient(p, dy, out=dx, device=on),
                             lambda p, dy, dx: torch.ops.aten._softmax_backward_data(dy, p, -1, dtype), 3 * matrix,
                             lambda p, dy, dx: torch.ops.aten._softmax_backward_data(dy.double(), p.double(), -1, torch.float64)),
        'cross_entropy': (one, lambda x, y: fade.cross_entropy(x, labels, device=on),
                          lambda x, y: F.cross_entropy(x, long_labels, reduction='none'), matrix,
                          lambda x, y: F.cross_entropy(x.double(), long_labels, reduction='none')),
        'sum': (one, lambda x, y: fade.sum(x, device=on), lambda x, y: x.sum(-1), matrix, lambda x, y: x.double().sum(-1)),
        'sum along columns': (one, lambda x, y: fade.sum(x, axis=0, device=on), lambda x, y: x.sum(0), matrix, lambda x, y: x.double().sum(0)),
        'argmax': (one, lambda x, y: fade.argmax(x, device=on), lambda x, y: x.argmax(-1), matrix, None),
        f'top_k {k}': (one, lambda x, y: fade.top_k(x, k, device=on), lambda x, y: torch.topk(x, k), matrix, None),
    }


def processor_time(call, repeats):
    start = time.thread_time_ns()
    for _ in range(repeats):
        call()
    return (time.thread_time_ns() - start) / repeats / 1e6


def off(got, wanted):
    return float((got.double() - wanted).norm() / wanted.norm())


def measured(rounds, types):
    on = fade.Device('host', threads=1)
    for name, rows, columns in (s for s in SIZES if s[0] in types):
        dtype = TYPES[name]
        for op, (make, ours, theirs, moved, exact) in operators(dtype, rows, columns, on).items():
            sets = [make() for _ in range(SETS if rows * columns * dtype.itemsize >= BEYOND_CACHES else 1)]
            error = None if exact is None else off(ours(*sets[0]), exact(*sets[0]))
            if error is not None and error > {'f32': 1e-5, 'bf16': 2e-2, 'f16': 3e-3}[name]:
                sys.exit(f'{op} of {name}: {error} from double precision')
            from_, to = (torch.empty(moved // 2, dtype=torch.uint8).fill_(1) for _ in range(2))
            ways = {'ms': ours, 'torch_ms': theirs, 'copy_ms': lambda *_: to.copy_(from_)}
            repeats = 1 if len(sets) > 1 else max(1, int(2e7 / moved))
            times = {way: [] for way in ways}
            for n in range(rounds + 1):
                for way, f in ways.items():
                    inputs = sets[n % len(sets)]
                    times[way].append(processor_time(lambda: f(*inputs), repeats))
            ms = {way: statistics.median(t[1:]) for way, t in times.items()}
            row = {'op': op, 'dtype': name, 'rows': rows, 'columns': columns, **{way: float(f'{t:.4g}') for way, t in ms.items()},
                   'gb_s': float(f'{moved / ms["ms"] / 1e6:.3g}'), 'of_copy': round(ms['copy_ms'] / ms['ms'], 2),
                   'ratio': round(ms['torch_ms'] / ms['ms'], 2)}
            print(json.dumps(row), flush=True)
            yield row


def keep_memory():
    """Begins anew with an allocator that keeps large pieces: PyTorch allocates its results, and new pages would be its time."""
    kept = {'MALLOC_MMAP_THRESHOLD_': str(1 << 32), 'MALLOC_TRIM_THRESHOLD_': str(1 << 34)}
    if any(os.environ.get(name) != value for name, value in kept.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | kept)


def main():
    keep_memory()
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--rounds', type=int, default=7)
    options.add_argument('--types', nargs='+', choices=TYPES, default=list(TYPES))
    options.add_argument('--out', type=Path, default=ROOT / 'bench/results/rows-host-torch.json')
    asked = options.parse_args()
    torch.set_num_threads(1)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
    busy = os.getloadavg()[0]
    with torch.no_grad():
        rows = list(measured(asked.rounds, asked.types))
    lines = ',\n  '.join(json.dumps(r) for r in rows)
    head = json.dumps({'machine': machine(), 'load before': round(busy, 2), 'date': datetime.date.today().isoformat(), 'torch': torch.__version__,
                       'command': f'bench/rows_host.py --rounds {asked.rounds} --types {" ".join(asked.types)}'})
    asked.out.write_text(f'{head[:-1]}, "rows": [\n  {lines}]}}\n')


if __name__ == '__main__':
    main()
