#!/usr/bin/env python3
"""Objects of one program, compiled with and without AVX-512, share no function of FADE: check.py [ROOT]

A linker keeps one of several weak functions of a name, and whichever it takes the object for every CPU must call code for
every CPU. CXX names the compiler. Exit 77 where this machine is no x86-64 or lacks nm, objdump or c++filt.
"""
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else '.').resolve()
HERE = ROOT / 'tests' / 'isa'
CXX = os.environ.get('CXX', 'g++')
WIDE = ['-mavx512f', '-mavx512vl']
EVEX = re.compile(r'%zmm|%[xy]mm(?:1[6-9]|2\d|3[01])\b|%k[0-7]\b')
OWN_NAME = 'avx512_vl::'                         # what core/namespace.hpp adds


def run(*command):
    r = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if r.returncode:
        sys.exit(f'{" ".join(map(str, command))}: exit {r.returncode}\n{r.stderr[:2000]}')
    return r.stdout


def weak(obj):
    rows = (line.split() for line in run('nm', obj).splitlines())
    return {row[-1] for row in rows if len(row) == 3 and row[1] in 'WVu'}


def in_words(names):
    """Names as people write them, without what tells instructions apart."""
    r = subprocess.run(['c++filt'], input='\n'.join(sorted(names)), capture_output=True, text=True)
    return {line.replace(OWN_NAME, '') for line in r.stdout.splitlines()}


def wide_functions(binary):
    """Functions that hold AVX-512 code."""
    found, name = set(), ''
    for line in run('objdump', '-d', '--no-show-raw-insn', binary).splitlines():
        head = re.match(r'[0-9a-f]+ <(.+)>:', line)
        if head:
            name = head.group(1)
        elif EVEX.search(line):
            found.add(name)
    return found


def main():
    if platform.machine() != 'x86_64' or not (all(map(shutil.which, ('nm', 'objdump', 'c++filt')))):
        print('skipped: isa: needs an x86-64, nm, objdump and c++filt')
        return 77
    broken = []
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        base = [CXX, '-std=c++20', '-O3', '-pthread', '-I', ROOT / 'include']
        run(*base, '-c', HERE / 'main.cpp', '-o', at / 'main.o')
        run(*base, '-DFADE_UNIT=plain', '-c', HERE / 'unit.cpp', '-o', at / 'plain.o')
        run(*base, *WIDE, '-DFADE_UNIT=wide', '-c', HERE / 'unit.cpp', '-o', at / 'wide.o')
        plain, by_itself, wide = weak(at / 'plain.o'), wide_functions(at / 'plain.o'), wide_functions(at / 'wide.o')
        broken += [f'both objects have the weak {name}' for name in sorted(plain & weak(at / 'wide.o')) if '4fade' in name]
        # Without names of their own these would be shared, so there is something to tell.
        kept_apart = len(in_words(wide) & in_words(plain - by_itself))
        if kept_apart < 5:
            broken.append(f'only {kept_apart} functions of the wide object hold AVX-512 code and have a plain counterpart: this shows nothing')
        for order in (['plain.o', 'wide.o'], ['wide.o', 'plain.o']):
            program = at / 'program'
            run(*base, at / 'main.o', *[at / o for o in order], '-o', program)
            broken += [f'linked as {" ".join(order)}, the plain object calls AVX-512 code in {name}'
                       for name in sorted((wide_functions(program) & plain) - by_itself) if '4fade' in name]  # std's are its own matter
            everything = 'avx512vl' in Path('/proc/cpuinfo').read_text()
            run(program, *([] if everything else ['plain']))
    print('\n'.join(broken) or f'{len(plain)} weak functions for every CPU, {kept_apart} kept apart from AVX-512 code')
    return 1 if broken else 0


sys.exit(main())
