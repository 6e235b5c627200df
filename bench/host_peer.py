"""What gemm_host.py and conv_host.py share: FADE on one thread of this CPU, times in turn with PyTorch, and the file of results."""
import ctypes
import datetime
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def library(include, built):
    """bench/host_library.cpp, compiled with FADE from a folder, unless it was built before."""
    if built:
        return ctypes.CDLL(str(built.resolve()))
    to = Path(tempfile.mkdtemp()) / 'host_library.so'
    subprocess.run([os.environ.get('CXX', 'c++'), '-std=c++20', '-O3', '-DNDEBUG', '-fPIC', '-shared', '-pthread', '-I', str(include),
                    str(ROOT / 'bench/host_library.cpp'), '-o', str(to)], check=True, stderr=subprocess.DEVNULL)
    return ctypes.CDLL(str(to))


def address(tensor):
    return ctypes.c_void_p(0 if tensor is None else tensor.data_ptr())


def ask(code):
    if code:
        sys.exit('FADE refused it, as was printed')


def keep_memory():
    """Begins anew with an allocator that keeps large pieces: PyTorch allocates its results, and new pages would be its time."""
    kept = {'MALLOC_MMAP_THRESHOLD_': str(1 << 32), 'MALLOC_TRIM_THRESHOLD_': str(1 << 34)}
    if any(os.environ.get(name) != value for name, value in kept.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | kept)


def medians(ways, sets, repeats, rounds):
    """{way: milliseconds of the processor} of calls that take turns, a round each, over sets of tensors."""
    times = {way: [] for way in ways}
    at = 0
    for _ in range(rounds + 1):
        for way, call in ways.items():
            start = time.thread_time_ns()
            for _ in range(repeats):
                at += 1
                call(*sets[at % len(sets)])
            times[way].append((time.thread_time_ns() - start) / repeats / 1e6)
    return {way: statistics.median(t[1:]) for way, t in times.items()}


def geomean(ratios):
    return round(math.prod(ratios) ** (1 / len(ratios)), 3)


def bound_to_one_core():
    """The load before; one thread, on the last core that may be used."""
    import torch
    torch.set_num_threads(1)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
    return round(os.getloadavg()[0], 2)


def add_options(options):
    options.add_argument('--rounds', type=int, default=15)
    options.add_argument('--include', type=Path, default=ROOT / 'include')
    options.add_argument('--library', type=Path)
    options.add_argument('--out', type=Path)


def write(out, busy, said, rows):
    import torch
    from host import machine
    lines = ',\n  '.join(json.dumps(r) for r in rows)
    head = json.dumps({'machine': machine(), 'load before': busy, 'date': datetime.date.today().isoformat(), 'torch': torch.__version__, **said})
    out.write_text(f'{head[:-1]}, "rows": [\n  {lines}]}}\n')
