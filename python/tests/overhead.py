"""What a call from Python costs beyond the C call: overhead.py DEVICE [ROUNDS [memory]]

Attention of one query on tensors of PyTorch. Processor time of this thread; on a GPU, time until calls are queued. The ways take turns
in short runs, and the median of each is printed in microseconds, with what the C call takes in the same process (called from C where
a C compiler is there). The C call writes into memory that is there; `memory` adds calls in C++ that take the memory of each result from
PyTorch, as fade.attention does (a C++ compiler takes half a minute for them).
"""
import ctypes
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

import torch

import fade
import fade.torch

TIMED = '''
#include <time.h>
typedef int (*call)(void*, const void*, const void*);
double timed(call f, void* device, const void* arguments, const void* options, int count) {
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    for (int i = 0; i < count; ++i)
        if (f(device, arguments, options)) return -1;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    return ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / count;
}
'''
WITH_MEMORY = '''
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <time.h>
#include <torch/csrc/autograd/python_variable.h>
typedef int (*call)(void*, const void*, const void*);
extern "C" double timed_with_memory(call f, void* device, const void* arguments, void** result, const void* options, PyObject* like, int count) {
    const c10::NoGradGuard no_gradients;
    const at::Tensor q = THPVariable_Unpack(like);
    timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    for (int i = 0; i < count; ++i) {
        const at::Tensor o = at::empty_like(q);
        *result = o.data_ptr();
        if (f && f(device, arguments, options)) return -1;
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    return ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / count;
}
'''
kept = []
I32, I64, REAL, POINTER = ctypes.c_int32, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p


class Strides(ctypes.Structure):
    _fields_ = [(n, I64) for n in ('batch', 'position', 'head')]


class Attention(ctypes.Structure):
    """fade_attention_args of fade.h."""
    _fields_ = [('size', ctypes.c_size_t), *((n, I32) for n in ('dtype', 'out', 'causal', 'check_indices')),
                *((n, I64) for n in ('batch', 'heads', 'kv_heads', 'seq_q', 'seq_k', 'head_dim', 'head_dim_v', 'window_left', 'window_right')),
                *((n, REAL) for n in ('scale', 'softcap', 'dropout')), *((n, I64) for n in ('seed', 'offset', 'page_size', 'table_width', 'page_count')),
                *((n, Strides) for n in ('q_strides', 'k_strides', 'v_strides', 'o_strides')),
                *((n, I64) for n in ('bias_batch', 'bias_head', 'bias_query')),
                *((n, POINTER) for n in ('q', 'k', 'v', 'o', 'lse', 'alibi', 'bias', 'sink', 'lengths_q', 'lengths_k', 'counts_q', 'counts_k',
                                         'block_table', 'scale_q', 'scale_k', 'scale_v')),
                ('scales_per_head', I32), ('split_kv', I32), ('starts_k', POINTER), ('alibi_stride', I64)]


class Options(ctypes.Structure):
    _fields_ = [('size', ctypes.c_size_t), ('stream', POINTER), ('workspace', POINTER), ('workspace_bytes', ctypes.c_size_t), ('strict', I32),
                ('report', POINTER), ('plan', POINTER)]


def compiled(text, name, compiler, *words):
    folder = tempfile.mkdtemp()
    Path(folder, name).write_text(text)
    subprocess.run([compiler, '-O2', '-shared', '-fPIC', f'{folder}/{name}', *words, '-o', f'{folder}/timed.so'], check=True)
    return f'{folder}/timed.so'


def c_calls(device, q, o, with_memory):
    """{way: f(count), nanoseconds of a C call}, of none without a compiler."""
    compiler = shutil.which('cc') or shutil.which('gcc')
    if not compiler:
        return {}
    timed = ctypes.CDLL(compiled(TIMED, 'timed.c', compiler)).timed
    timed.restype, timed.argtypes = REAL, [POINTER, POINTER, POINTER, POINTER, ctypes.c_int]
    lse = torch.empty(1, 1, 1, device=q.device)
    f, on, a, options = c_call(device, q, o, None)
    _, _, b, _ = c_call(device, q, o, lse)
    kept.append(lse)
    ways = {'C': lambda count: timed(f, on, ctypes.addressof(a), ctypes.addressof(options), count),
            'C with lse': lambda count: timed(f, on, ctypes.addressof(b), ctypes.addressof(options), count)}
    if with_memory:
        from torch.utils import cpp_extension
        words = ['-std=c++20', f'-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}', f'-I{sysconfig.get_path("include")}',
                 *(f'-I{p}' for p in cpp_extension.include_paths()), *(f'-L{p}' for p in cpp_extension.library_paths()),
                 *(f'-l{name}' for name in ('torch_python', 'torch', 'torch_cpu', 'c10'))]
        timed_too = ctypes.PyDLL(compiled(WITH_MEMORY, 'timed.cpp', 'g++', *words)).timed_with_memory
        timed_too.restype, timed_too.argtypes = REAL, [POINTER, POINTER, POINTER, POINTER, POINTER, ctypes.py_object, ctypes.c_int]
        _, _, c, _ = c_call(device, q, o, None)
        for name, called in {'C, memory by C++': f, 'C++: the memory alone': None}.items():
            ways[name] = lambda count, called=called: timed_too(called, on, ctypes.addressof(c), ctypes.addressof(c) + Attention.o.offset,
                                                                ctypes.addressof(options), q, count)
    return ways


def c_call(device, q, o, lse):
    """The C function of attention, its device, arguments and options."""
    kind = device.partition(':')[0]
    path = next(p for p, said in fade.info()['libraries'].items() if not isinstance(said, fade.Error) and holds(p, kind))
    library = ctypes.CDLL(path)
    on, a, options = POINTER(), Attention(), Options()
    library.fade_device_open.argtypes = [ctypes.c_char_p, POINTER, POINTER]
    assert library.fade_device_open(device.encode(), None, ctypes.byref(on)) == 0
    library.fade_attention_init(ctypes.byref(a), ctypes.c_size_t(ctypes.sizeof(a)))
    library.fade_options_init(ctypes.byref(options), ctypes.c_size_t(ctypes.sizeof(options)))
    if q.is_cuda:
        options.stream = torch.cuda.current_stream().cuda_stream
    a.dtype = a.out = {torch.float32: 1, torch.float16: 2, torch.bfloat16: 3}[q.dtype]
    a.batch, a.seq_q, a.heads, a.head_dim = q.shape
    a.kv_heads, a.seq_k = a.heads, a.seq_q
    a.q = a.k = a.v = q.data_ptr()
    a.o = o.data_ptr()
    a.lse = lse.data_ptr() if lse is not None else None
    kept.append((library, a, options, on))
    return ctypes.cast(library.fade_attention, POINTER), on, a, options


def holds(path, kind):
    library = ctypes.CDLL(path)
    library.fade_kind.restype = ctypes.c_char_p
    return any((library.fade_kind(i) or b'').decode() == kind for i in range(library.fade_kind_count()))


def operator_that_does_nothing(result):
    """What PyTorch's dispatch of three tensors to Python costs."""
    library = torch.library.Library('fade_overhead', 'DEF')
    library.define('nothing(Tensor q, Tensor k, Tensor v) -> Tensor')
    library.impl('nothing', lambda q, k, v: result, 'AutogradCUDA' if result.is_cuda else 'AutogradCPU')
    kept.append(library)
    return torch.ops.fade_overhead.nothing


def by_thread_time(f, count):
    start = time.thread_time_ns()
    for _ in range(count):
        f()
    return (time.thread_time_ns() - start) / count


def measured(device, rounds, with_memory=False, run=100):
    """{way: microseconds a call}"""
    dtype = torch.float16 if device != 'host' else torch.float32
    q = torch.randn(1, 1, 1, 64).to(dtype).to('cpu' if device == 'host' else device)
    o = torch.empty_like(q)
    nothing = operator_that_does_nothing(o)
    operator, with_lse = torch.ops.fade.attention, torch.ops.fade.attention_with_lse
    ways = {'fade.attention': lambda n: by_thread_time(lambda: fade.attention(q, q, q), n),
            'fade.attention, causal, lse': lambda n: by_thread_time(lambda: fade.attention(q, q, q, causal='bottom-right', return_lse=True), n),
            'fade.attention, out=': lambda n: by_thread_time(lambda: fade.attention(q, q, q, out=o), n),
            'torch.ops.fade.attention': lambda n: by_thread_time(lambda: operator(q, q, q), n),
            'torch.ops.fade.attention, causal': lambda n: by_thread_time(lambda: operator(q, q, q, None, 'bottom-right'), n),
            'torch.ops.fade.attention_with_lse': lambda n: by_thread_time(lambda: with_lse(q, q, q), n),
            'fade.torch.attention': lambda n: by_thread_time(lambda: fade.torch.attention(q, q, q), n),
            "PyTorch's own attention": lambda n: by_thread_time(lambda: torch.nn.functional.scaled_dot_product_attention(q, q, q), n)}
    ways["PyTorch's empty_like"] = lambda n: by_thread_time(lambda: torch.empty_like(q), n)
    ways['an operator that does nothing'] = lambda n: by_thread_time(lambda: nothing(q, q, q), n)
    ways |= c_calls(device, q, o, with_memory)
    wait = torch.cuda.synchronize if q.is_cuda else lambda: None
    times = {name: [] for name in ways}
    with torch.no_grad():
        for _ in range(rounds):
            for name, way in ways.items():
                times[name].append(way(run))
                wait()                           # a queue that is full would be waited for
    return {name: statistics.median(t) / 1000 for name, t in times.items()}


if __name__ == '__main__':
    found = measured(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200, 'memory' in sys.argv[3:])
    for name, microseconds in found.items():
        beyond = '' if name.startswith(('C', 'PyTorch', 'an ')) or 'C' not in found else \
            f', {microseconds - found["C with lse" if "lse" in name else "C"]:6.2f} beyond the C call'
        print(f'{name:34} {microseconds:6.2f} us{beyond}')
