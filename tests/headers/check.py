#!/usr/bin/env python3
"""Every header compiles alone, and twice in a row, with each compiler: check.py [ROOT]

The headers of backend/hip and backend/cuda want a vendor's compiler and are left out; so are tables (.inc).
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else '.').resolve() / 'include'
VENDOR = ('backend/hip/', 'backend/cuda/')
CLANGS = ['clang++'] + [f'clang++-{n}' for n in range(15, 30)]


def compilers():
    newest = [c for c in CLANGS if shutil.which(c)][-1:]
    return [c for c in ['g++'] if shutil.which(c)] + newest


def error(job):
    """'' where it compiles, else what the compiler says first."""
    compiler, header = job
    source = f'#include <{header}>\n#include <{header}>\nint main() {{}}\n'
    command = [compiler, '-std=c++20', '-Wall', '-Wextra', '-Werror', '-fsyntax-only', '-I', str(ROOT), '-x', 'c++', '-']
    r = subprocess.run(command, input=source, capture_output=True, text=True)
    said = [line for line in r.stderr.splitlines() if 'error' in line] + [f'exit {r.returncode}']
    return '' if r.returncode == 0 else f'{compiler}: <{header}>: {said[0]}'


def main():
    found = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / 'fade').rglob('*.hpp'))
    headers = [h for h in found if not h.startswith(tuple(f'fade/{v}' for v in VENDOR))]
    jobs = [(c, h) for c in compilers() for h in headers]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = [e for e in pool.map(error, jobs) if e]
    print('\n'.join(errors + [f'{len(headers)} headers alone with {" and ".join(compilers())}: {len(errors)} do not compile']))
    return 1 if errors or not jobs else 0


sys.exit(main())
