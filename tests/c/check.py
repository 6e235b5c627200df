#!/usr/bin/env python3
"""The C interface as its users meet it: check.py WAY LIBRARY [--write], WAY being abi, c, cxx, rust, docs or emulated.

abi: what the library exports, and how the structs of fade.h lie, against tests/c/abi.txt (--write makes it anew).
c, cxx, rust: the header and the examples, by compilers of those languages. docs: docs/c.md.
emulated: the example in C on emulated architectures, with libfade_emulated. Exit 77: there is none here.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / 'tools' / 'libfade' / 'include'
HEADERS = [INCLUDE / 'fade.h', INCLUDE / 'fade_images.h', INCLUDE / 'fade_optimizer.h', INCLUDE / 'fade_tuning.h']
LIST = ROOT / 'tests' / 'c' / 'abi.txt'


def run(*command, **more):
    r = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if r.returncode:
        sys.exit(f'{" ".join(map(str, command))}: exit {r.returncode}\n{(r.stdout + r.stderr)[-6000:]}')
    return r.stdout


def compiler(*names):
    for name in (os.environ.get('CC') if 'cc' in names else None, *names):
        if name and shutil.which(name):
            return name
    print(f'skipped: libfade: none of {", ".join(names)} was found')
    sys.exit(77)


def exported(library):
    """Names of symbols that a program can link to."""
    lines = run('nm', '-D', '--defined-only', library).splitlines()
    return sorted({line.split()[-1].split('@')[0] for line in lines if ' A ' not in line})


def headers():
    return ''.join(h.read_text() for h in HEADERS)


def declared():
    """Functions of fade.h and the headers that it includes."""
    return sorted(set(re.findall(r'FADE_API [^;(]*?\b(fade_[a-z0-9_]+)\(', headers())))


def structs():
    """{struct: its fields} of fade.h and the headers that it includes, comments taken out."""
    text = re.sub(r'/\*.*?\*/', '', headers(), flags=re.S)
    out = {}
    for body, name in re.findall(r'typedef struct \w+ \{(.*?)\} (\w+);', text, re.S):
        names = [re.sub(r'\[.*?\]', '', word).strip(' *\n').split()[-1].lstrip('*')
                 for line in body.split(';') if line.strip() for word in line.split(',')]
        out[name] = names
    return out


def layouts(folder):
    """How a C compiler lays them out."""
    lines = ['#include <fade.h>', '#include <stdio.h>', 'int main(void) {']
    for name, fields in structs().items():
        lines.append(f'    printf("{name} %zu\\n", sizeof({name}));')
        lines += [f'    printf("{name}.{f} %zu\\n", offsetof({name}, {f}));' for f in fields]
    source = folder / 'layout.c'
    source.write_text('\n'.join([*lines, '    return 0;', '}', '']))
    run(compiler('cc', 'gcc', 'clang'), '-std=c99', '-pedantic', f'-I{INCLUDE}', source, '-o', folder / 'layout')
    return run(folder / 'layout').splitlines()


def abi(library, folder, write):
    names = exported(library)
    if names != declared():
        sys.exit(f'{library} exports what fade.h does not declare, or the other way: {sorted(set(names) ^ set(declared()))}')
    now = [*names, *layouts(folder)]
    if write:
        LIST.write_text('\n'.join(now) + '\n')
    known = LIST.read_text().splitlines()
    gone, new = [x for x in known if x not in now], [x for x in now if x not in known]
    if gone or new:
        sys.exit(f'the ABI changed; gone: {gone}; new: {new}. New fields stand at the end of a struct, and nothing goes.\n'
                 'tests/c/check.py abi LIBRARY --write records what was added on purpose.')
    print(f'{len(names)} symbols and {len(structs())} structs as listed')


def linked(library):
    return [f'-I{INCLUDE}', library, f'-Wl,-rpath,{library.parent}']


def by_c(library, folder):
    flags = ['-std=c99', '-pedantic', '-Wall', '-Wextra', '-Werror']
    for source in sorted((ROOT / 'examples' / 'c').glob('*.c')):
        run(compiler('cc', 'gcc', 'clang'), *flags, source, *linked(library), '-o', folder / 'example')
        print(run(folder / 'example'), end='')
        closes(library, source, folder)


def closes(library, source, folder):
    """A program that loads the example as a plug-in, calls it and closes it is rid of the library, as often as it likes."""
    run(compiler('cc', 'gcc', 'clang'), '-shared', '-fPIC', source, *linked(library), '-o', folder / 'plug_in.so')
    run(sys.executable, '-c', 'import _ctypes, ctypes, sys\n'
        'for _ in range(3):\n'
        '    plug_in = ctypes.CDLL(sys.argv[1])\n'
        '    assert plug_in.main(0, None) == 0 and sys.argv[2] in open("/proc/self/maps").read()\n'
        '    _ctypes.dlclose(plug_in._handle)\n'
        '    assert sys.argv[2] not in open("/proc/self/maps").read(), "it stays loaded"\n', folder / 'plug_in.so', library)


def emulated(library, folder):
    """The example in C on each architecture that the library emulates."""
    run(compiler('cc', 'gcc', 'clang'), '-std=c99', ROOT / 'examples' / 'c' / 'gemm_and_attention.c', *linked(library), '-o', folder / 'example')
    source = folder / 'kinds.c'
    source.write_text('#include <fade.h>\n#include <stdio.h>\nint main(void) {\n    int i;\n'
                      '    for (i = 0; i < fade_kind_count(); ++i) printf("%s %d\\n", fade_kind(i), fade_device_count(fade_kind(i)));\n'
                      '    return 0;\n}\n')
    run(compiler('cc', 'gcc', 'clang'), '-std=c99', source, *linked(library), '-o', folder / 'kinds')
    kinds = dict(line.split() for line in run(folder / 'kinds').splitlines())
    emulations = [k for k in kinds if k.startswith('emulated:')]
    if kinds.get('host') != '1' or not emulations or any(kinds[k] != '1' for k in emulations):
        sys.exit(f'{library} has {kinds}')
    outputs = {k: run(folder / 'example', k).splitlines() for k in ('host', *emulations)}
    for kind in emulations:
        mine, host = outputs[kind], outputs['host']
        if mine[1] == host[1] or mine[2:] != host[2:]:
            sys.exit(f'on {kind}: {mine}, on the host {host}')
    print(f'{", ".join(emulations)}: kernels of their own, the same numbers')


def by_docs(library, folder):
    """docs/c.md: its lines of a shell as they are written, and its C."""
    page = (ROOT / 'docs' / 'c.md').read_text()
    line = re.search(r'^    (cc .* -o example)$', page, re.M).group(1)
    words = line.replace('build/host/lib', str(library.parent)).replace('-o example', f'-o {folder}/example').split()
    run(compiler('cc', 'gcc', 'clang'), *words[1:], cwd=ROOT)
    run(folder / 'example')
    lines = re.search(r'^```c\n(.*?)^```$', page, re.M | re.S).group(1)
    source = folder / 'page.c'
    source.write_text('#include <fade.h>\n#include <stdio.h>\nstatic float a[64 * 128], b[128 * 64], d[64 * 64];\n'
                      f'int main(void) {{\n{lines}return 0;\n}}\n')
    run(compiler('cc', 'gcc', 'clang'), '-std=c99', '-Wall', '-Werror', source, *linked(library), '-o', folder / 'page')
    run(folder / 'page')


def by_cxx(library, folder):
    source = folder / 'main.cpp'
    source.write_text('#include <fade.h>\nint main() { return fade_version()[0] == 0; }\n')
    run(compiler('c++', 'g++', 'clang++'), '-std=c++11', '-pedantic', '-Wall', '-Wextra', '-Werror', source, *linked(library),
        '-o', folder / 'main')
    run(folder / 'main')


def by_rust(library, folder):
    for source in sorted((ROOT / 'examples' / 'rust').glob('*.rs')):
        run(compiler('rustc'), '-D', 'warnings', '-L', library.parent, '-l', 'fade', source, '-o', folder / 'example', cwd=folder)
        print(run(folder / 'example', env={**os.environ, 'LD_LIBRARY_PATH': str(library.parent)}), end='')


def main(way, library, *more):
    library = Path(library).resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        if way == 'abi':
            abi(library, folder, '--write' in more)
        else:
            {'c': by_c, 'cxx': by_cxx, 'rust': by_rust, 'docs': by_docs, 'emulated': emulated}[way](library, folder)


if __name__ == '__main__':
    main(*sys.argv[1:])
