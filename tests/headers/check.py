#!/usr/bin/env python3
"""Headers as users compile them: check.py [--flags] [ROOT]

Without --flags: every header compiles alone, and twice in a row, with g++; all of them compile in one program with clang,
which has g++'s standard library and so misses the same headers. A header that includes another sees the same behind
it as alone: such a row of headers is one program. Those of backend/hip and backend/cuda want a vendor's compiler
and are left out; so are tables (.inc).
With --flags: a program that uses every operation compiles without a warning under each row of FLAGS, with g++, the
oldest and the newest clang, and nvcc; a compiler that this machine lacks is named and left out.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLACES = [a for a in sys.argv[1:] if a != '--flags']
ROOT = Path(PLACES[0] if PLACES else '.').resolve() / 'include'
VENDOR = ('backend/hip/', 'backend/cuda/')
OLDEST = 15                                      # clang that FADE supports
CLANGS = ['clang++'] + [f'clang++-{n}' for n in range(OLDEST, 30)]

NVCC = next((c for c in ('nvcc', '/usr/local/cuda/bin/nvcc') if shutil.which(c)), None)
# Flags of users: a program that has them is to hear nothing.
FLAGS = {'strict': '-pedantic-errors -D_GLIBCXX_ASSERTIONS -Wshadow -Wconversion'}
# The host's compiler is handed pragmas that are nvcc's, and calls them unknown.
# Warnings are the front ends': no more device code is made than must be, as tests/spills makes all of it.
CUDA_FLAGS = '--expt-relaxed-constexpr --extended-lambda -Werror all-warnings -gencode arch=compute_90a,code=compute_90a -Xcicc -O0'


def compilers():
    newest = [c for c in CLANGS if shutil.which(c)][-1:]
    return [c for c in ['g++'] if shutil.which(c)] + newest


def version(clang):
    said = subprocess.run([clang, '-dumpversion'], capture_output=True, text=True).stdout
    return int(said.split('.')[0] or 0)


def compilers_of_flags():
    """g++, the oldest clang that FADE supports, and the newest."""
    clangs = sorted((version(c), c) for c in CLANGS if shutil.which(c))
    supported = [c for v, c in clangs if v >= OLDEST]
    if all(v != OLDEST for v, _ in clangs):
        print(f'skipped: headers-flags: clang {OLDEST}, the oldest that FADE supports, was not found')
    return [c for c in ['g++'] if shutil.which(c)] + list(dict.fromkeys(supported[:1] + supported[-1:]))


def included(header):
    """Headers of FADE that one names itself."""
    return re.findall(r'^#\s*include\s+[<"](fade/[^>"]+\.hpp)[>"]', (ROOT / header).read_text(), re.MULTILINE)


def rows_of(headers):
    """Rows that hold each header once, in which each includes the one before it, at whatever depth: what stands before a
    header's own lines is then what it includes, as where it is compiled alone."""
    seen = {}

    def reached(header):
        if header not in seen:
            seen[header] = set()                 # a cycle, which tests/house finds, ends here
            seen[header] = set().union(*({i} | reached(i) for i in included(header)))
        return seen[header]

    rows = []
    for header in sorted(headers, key=lambda h: (len(reached(h)), h)):
        # Of the rows that this header can go on with, the one that costs most alone.
        row = max((r for r in rows if r[-1] in reached(header)), key=lambda r: len(reached(r[-1])), default=None)
        if row is None:
            rows.append([header])
        else:
            row.append(header)
    return rows


def error(job):
    """'' where a program of these headers, each twice, compiles, else what the compiler says first."""
    compiler, headers = job
    source = ''.join(f'#include <{h}>\n' for h in headers) * 2 + 'int main() {}\n'
    command = [compiler, '-std=c++20', '-Wall', '-Wextra', '-Werror', '-fsyntax-only', '-I', str(ROOT), '-x', 'c++', '-']
    r = subprocess.run(command, input=source, capture_output=True, text=True)
    said = [line for line in r.stderr.splitlines() if 'error' in line] + [f'exit {r.returncode}']
    return '' if r.returncode == 0 else f'{compiler}: <{headers[0]}> to <{headers[-1]}>: {said[0]}'


def warning(job):
    """'' where a program compiles without a warning under these flags, else what the compiler says first."""
    compiler, name, command = job
    r = subprocess.run([compiler, '-std=c++20', '-I', str(ROOT), *command.split()], capture_output=True, text=True)
    said = [line for line in (r.stdout + r.stderr).splitlines() if 'error' in line or 'warning' in line]
    return '' if r.returncode == 0 and not said else f'{compiler} {name}: {[*said, f"exit {r.returncode}"][0]}'


def older_standard(header):
    """'' where a public header says first of all that it needs C++20."""
    r = subprocess.run(['g++', '-std=c++17', '-fsyntax-only', '-fmax-errors=1', '-I', str(ROOT), '-x', 'c++', '-'], input=f'#include <{header}>\n',
                       capture_output=True, text=True)
    said = [line for line in r.stderr.splitlines() if 'error' in line] + ['nothing']
    return '' if 'FADE needs C++20' in said[0] else f'<{header}> with -std=c++17: {said[0]}'


def rows_of_flags():
    """(compiler, name of the row, words) of the program of all operations. Emulated ones cost most: the oldest clang has none."""
    compilers = compilers_of_flags()
    for compiler in compilers:
        emulated = [] if compiler in compilers[1:-1] else ['-DEMULATED']
        for name, words in FLAGS.items():
            more = emulated if name == 'strict' else []
            yield compiler, name, ' '.join([words, *more, '-Wall -Wextra -Werror -fsyntax-only', str(HERE / 'every_operation.cpp')])


def flags():
    """The program under each row of flags with each compiler."""
    jobs = list(rows_of_flags())
    if NVCC:
        # GCC 12 warns of a memcpy of a negative count behind what nvcc gives it, which is never reached.
        jobs.append((NVCC, 'cuda', f'{CUDA_FLAGS} -x cu -Xcompiler -Wall,-Wextra,-Wno-unknown-pragmas,-Wno-stringop-overflow -c {HERE / "every_device.cu"} -o /dev/null'))
    else:
        print('skipped: headers-flags: nvcc was not found')
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = [e for e in pool.map(warning, jobs) if e]
        errors += [e for e in pool.map(older_standard, sorted(f'fade/{p.name}' for p in (ROOT / 'fade').glob('*.hpp'))) if e]
    print('\n'.join(errors + [f'{len(jobs)} compilations with {" ".join(sorted({c for c, _, _ in jobs}))}: {len(errors)} with a warning']))
    return 1 if errors or not jobs else 0


def main():
    found = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / 'fade').rglob('*.hpp'))
    headers = [h for h in found if not h.startswith(tuple(f'fade/{v}' for v in VENDOR))]
    for missing in {'g++', 'clang++'} - {c.partition('-')[0] for c in compilers()}:
        print(f'skipped: headers with {missing}: it is not installed')
    jobs = [(c, some) for c in compilers() for some in (rows_of(headers) if c == 'g++' else [headers])]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = [e for e in pool.map(error, jobs) if e]
    print('\n'.join(errors + [f'{len(headers)} headers with {" and ".join(compilers())}: {len(errors)} programs of {len(jobs)} do not compile']))
    return 1 if errors or not jobs else 0


sys.exit(flags() if '--flags' in sys.argv[1:] else main())
