#!/usr/bin/env python3
"""ptxas spills no register of the kernels in kernels.cu: check.py [ROOT]

For sm_90a and sm_80. Exit 77 where nvcc was not found. What AMD's kernels spill tests/replay/run reads.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else '.').resolve()
NVCC = os.environ.get('NVCC') or shutil.which('nvcc') or shutil.which('/usr/local/cuda/bin/nvcc')
KERNEL = re.compile(r"Function properties for (\S+)\s+(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")


def kernels(arch, folder):
    """[(name, bytes of stack, of stores and of loads)]"""
    command = [NVCC, '-std=c++20', '-O3', '-Xptxas', '-v', f'-gencode=arch=compute_{arch},code=sm_{arch}', '-I', ROOT / 'include',
               '--expt-relaxed-constexpr', '-cubin', '-o', folder / f'{arch}.cubin', ROOT / 'tests' / 'spills' / 'kernels.cu']
    r = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if r.returncode:
        sys.exit(f'sm_{arch}: kernels.cu does not compile\n{(r.stdout + r.stderr)[-2000:]}')
    return [(name, *map(int, counts)) for name, *counts in KERNEL.findall(r.stdout + r.stderr)]


def main():
    if not NVCC:
        print('skipped: spills: nvcc was not found')
        return 77
    wanted = (ROOT / 'tests' / 'spills' / 'kernels.cu').read_text().count('\nFADE_READ(')
    with tempfile.TemporaryDirectory() as folder:
        found = {arch: kernels(arch, Path(folder)) for arch in ('90a', '80')}
    broken = [f'sm_{arch}: {len(of)} kernels are reported, {wanted} are in kernels.cu' for arch, of in found.items() if len(of) != wanted]
    broken += [f'sm_{arch}: {name}: {stack} bytes of stack, {stores} of spill stores, {loads} of spill loads'
               for arch, of in found.items() for name, stack, stores, loads in of if stack or stores or loads]
    print('\n'.join(broken) or f'{wanted} kernels for {" and ".join(f"sm_{arch}" for arch in found)}: nothing is spilled')
    return 1 if broken else 0


sys.exit(main())
