#!/usr/bin/env python3
"""The rules of the house, for include/fade, and the layout of every C++ file: check.py [ROOT], or check.py --self-test.

Prints every place that breaks a rule, then the figures; exit 1 where a rule is broken. The reader of C++ is a brace
matcher: approximate, and good enough for counting.
"""
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

# The floors from the roof down; '' is the roof, the headers that users include. A file includes its own floor and lower
# ones. An architecture lists the atoms that it has, so arch lies on atom; a backend runs what an architecture describes.
FLOORS = ['', 'device', 'tune', 'kernel', 'block', 'epilogue', 'wave', 'backend', 'arch', 'atom', 'core']
VENDOR_FLOORS = ('backend', 'atom', 'arch')
VENDOR = re.compile(r'\b(hip[A-Z_]\w*|cuda[A-Z_]\w*|__gfx\w*|__GFX\w*|__builtin_amdgcn\w*|__HIP\w*|__CUDA\w*|(?:__)?asm(?:__)?)\b|<hip/|<cuda')
GPU_IF = re.compile(r'^[ \t]*#[ \t]*(?:el)?if\w*.*(?:GFX|gfx|CUDA|HIP|AMDGCN)', re.M)
INCLUDE = re.compile(r'#\s*include\s*[<"]([\w./-]+)[>"]')
PLAIN_NAMESPACE = re.compile(r'^\s*namespace fade\b', re.M)
NAMESPACE = 'core/namespace.hpp'
LIMITS = {'median lines of a header': 100, 'longest header': 400, 'headers of a folder': 25, 'median lines of a function': 5,
          'p99 lines of a function': 60, 'parameters of a template': 6}
COLUMNS = 110
FORMATTER = 'clang-format-19'                    # one version, since each lays some things out differently
SOURCES = ('.hpp', '.h', '.cpp', '.cu', '.hip')
NO_SOURCES = ('build', '_deps')                  # folders that hold what others made
TABLE = '.inc'                                   # rows of data: as many as there are

# Kernels are written in verbs over tiles: no lane, no wave, no loop over registers.
LANE = re.compile(r'\b(each_lane\w*|each_wave|wave_coord|lane_coord|per_lane|lane_values|d_at|FADE_UNROLL)\b')

# The field's terms, for words that FADE once had instead: docs/glossary.md.
TERMS = {'by_group': 'by_warpgroup', 'mapped': 'tma', 'tile_map': 'tensor_map', 'group_rows': 'swizzle_rows or gqa_rows', 'shrink': 'rescale',
         'weigh': 'mma_pv', 'own_rule': 'score_mod', 'bend': 'modify', 'feed': 'producer', 'steady': 'lazy_rescaling',
         'scores_ahead': 'software_pipelined', 'partner': 'shuffle_xor', 'again': 'reload_arguments', 'turn': 'transpose, rotate, phase or update_max',
         'turned': 'transposed', 'wave_place': 'wave_coord', 'side_by_side': 'pack2 or contiguous', 'from_partner': 'shuffled', 'weight_random': 'dropout_random', 'gemm_reading': 'operand_access', 'least': 'min', 'most': 'max'}
OLD_TERM = re.compile(r'(?<!\w)(' + '|'.join(TERMS) + r')\b')


def strip(text):
    """Code without comments and without what is in string literals, on the same lines."""
    text = re.sub(r'//[^\n]*', '', text)
    text = re.sub(r'/\*.*?\*/', lambda m: '\n' * m.group().count('\n'), text, flags=re.S)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


FUNCTION = re.compile(r'([\w~]+|operator\s*[^\s\w(]+|operator\(\))\s*\([^;{}]*\)\s*'
                      r'(const|noexcept|override|final|requires[^{}]*|->[^{}]*|mutable|:[^{}]*|\s)*$')
NO_FUNCTION = ('if', 'for', 'while', 'switch', 'catch', 'sizeof', 'alignas')


def functions(code):
    """(name, line, lines) of each brace block that follows a parameter list."""
    found, open_blocks = [], []
    for brace in re.finditer(r'[{}]', code):
        at = brace.start()
        if brace.group() == '{':
            head = FUNCTION.search(re.split(r'[;{}]', code[max(0, at - 400):at])[-1])
            open_blocks.append((at, head.group(1) if head and head.group(1) not in NO_FUNCTION else ''))
        elif open_blocks:
            start, name = open_blocks.pop()
            if name:
                found.append((name, line_of(code, start), code.count('\n', start, at) + 1))
    return found


def templates(code):
    """(parameters, line) of each template head."""
    for head in re.finditer(r'\btemplate\s*<', code):
        depth, count, at = 1, 1, head.end()
        while at < len(code) and depth:
            c = code[at]
            depth += (c in '<(') - (c == ')' or (c == '>' and code[at - 1] not in '-='))
            count += c == ',' and depth == 1
            at += 1
        yield (count if code[head.end():at - 1].strip() else 0), line_of(code, head.start())


def line_of(code, at):
    return code.count('\n', 0, at) + 1


def floor(name):
    return name.split('/')[0] if '/' in name else ''


def included(name, text):
    """(file below fade/, line) of each of FADE's files that a file includes."""
    for m in INCLUDE.finditer(text):
        to = m.group(1)
        if to.startswith('fade/'):
            yield to[len('fade/'):], line_of(text, m.start())
        elif to.startswith('.'):
            yield 'relative/' + to, line_of(text, m.start())


def broken_floors(texts):
    edges = {}
    for name, text in texts.items():
        here = floor(name)
        if here not in FLOORS:
            yield f'{name}: folder {here} is no floor; there are {" ".join(FLOORS[1:])}'
            continue
        for to, line in included(name, text):
            there = floor(to)
            if there not in FLOORS:
                yield f'{name}:{line}: include by <fade/...>, from a floor of the house'
            elif FLOORS.index(there) < FLOORS.index(here):
                yield f'{name}:{line}: {here} includes {there or "the roof"}, which lies above it'
            edges.setdefault((here, there), f'{name}:{line}')
    for (a, b), where in edges.items():
        if a < b and (b, a) in edges:
            yield f'{a or "the roof"} and {b} include each other: {where} and {edges[b, a]}'


def folder(name):
    return name.rpartition('/')[0]


def ring(edges, start):
    """The shortest way through the folders from start back to it; empty where there is none."""
    ways = [[start]]
    seen = set()
    for way in ways:
        for to in edges.get(way[-1], ()):
            if to == start:
                return way + [start]
            if to not in seen:
                seen.add(to)
                ways.append(way + [to])
    return []


def broken_folders(texts):
    """Folders whose own files include one another's in a ring, at any depth and of any length."""
    edges = {}
    for name, text in texts.items():
        for to, line in included(name, text):
            if folder(to) != folder(name):
                edges.setdefault(folder(name), {}).setdefault(folder(to), f'{name}:{line}')
    told = set()
    for start in sorted(edges):
        way = ring(edges, start)
        if way and told.isdisjoint(way):
            told.update(way)
            yield (f'folders in a ring: {" > ".join(f or "the roof" for f in way)}: '
                   + ', '.join(edges[a][b] for a, b in zip(way, way[1:])))


def broken_words(code):
    for name, text in code.items():
        if floor(name) not in VENDOR_FLOORS:
            for m in VENDOR.finditer(text):
                yield f'{name}:{line_of(text, m.start())}: {m.group()} belongs into {", ".join(VENDOR_FLOORS)}'
            for m in GPU_IF.finditer(text):
                yield f'{name}:{line_of(text, m.start())}: an #if about a GPU: {m.group().strip()}'


def broken_terms(code):
    for name, text in code.items():
        for m in OLD_TERM.finditer(text):
            yield f'{name}:{line_of(text, m.start())}: {m.group()} is {TERMS[m.group()]} in the field'


def broken_lanes(code):
    for name, text in code.items():
        lane = LANE.search(text)
        if lane and floor(name) == 'kernel':
            yield f'{name}:{line_of(text, lane.start())}: a kernel names a lane ({lane.group()}): call a verb of block/ or wave/'


def reached(name, texts, seen):
    """The files below fade/ that a file includes, directly or not."""
    for to, _ in included(name, texts.get(name, '')):
        if to not in seen:
            seen.add(to)
            reached(to, texts, seen)
    return seen


def broken_namespaces(texts, code):
    """Objects for different CPUs must not share functions, so headers open the namespace by a macro."""
    for name, text in code.items():
        for m in PLAIN_NAMESPACE.finditer(text):
            yield f'{name}:{line_of(text, m.start())}: open FADE_NAMESPACE, as {NAMESPACE} says, not fade'
        if 'namespace FADE_NAMESPACE' in text and NAMESPACE not in reached(name, texts, set()):
            yield f'{name}: opens FADE_NAMESPACE without {NAMESPACE} among its includes'
        for m in re.finditer(r'(?<!namespace )\bFADE_NAMESPACE::', text):
            yield f'{name}:{line_of(text, m.start())}: FADE_NAMESPACE opens a namespace; names in it are those of fade::'


def quantile(values, p):
    values = sorted(values)
    return values[min(len(values) - 1, int(p * len(values)))]


def broken_sizes(texts, code):
    """(what is broken, figures)"""
    lines = {n: t.count('\n') for n, t in texts.items() if not n.endswith(TABLE)}
    found = [(size, f'{n}:{at}: {name}') for n, c in code.items() for name, at, size in functions(c)]
    heads = [(size, f'{n}:{at}: template') for n, c in code.items() for size, at in templates(c)]
    sizes = [s for s, _ in found] or [0]
    longest, widest = LIMITS['longest header'], LIMITS['parameters of a template']
    rooms = Counter(folder(n) for n in texts)
    most = LIMITS['headers of a folder']
    broken = [f'{n}: {s} lines, at most {longest}' for n, s in lines.items() if s > longest]
    broken += [f'{room or "the roof"} has {s} headers, at most {most}' for room, s in sorted(rooms.items()) if s > most]
    broken += [f'{where} has {s} parameters, at most {widest}' for s, where in heads if s > widest]
    figures = {'median lines of a header': statistics.median(lines.values()), 'longest header': max(lines.values()),
               'headers of a folder': max(rooms.values()),
               'median lines of a function': statistics.median(sizes), 'p99 lines of a function': quantile(sizes, 0.99),
               'parameters of a template': max([s for s, _ in heads] or [0])}
    for name in ('median lines of a header', 'median lines of a function', 'p99 lines of a function'):
        if figures[name] > LIMITS[name]:
            broken.append(f'{name}: {figures[name]:g}, at most {LIMITS[name]}')
    if figures['p99 lines of a function'] > LIMITS['p99 lines of a function']:
        broken += [f'  {where}: {s} lines' for s, where in sorted(found, reverse=True)[:5]]
    return broken, figures


def sources(root):
    """Every C++ file of a tree, by its path in it."""
    for path in sorted(Path(root).rglob('*')):
        inner = path.relative_to(root)
        if path.suffix in SOURCES and not any(p in NO_SOURCES or p.startswith('.') for p in inner.parts):
            yield inner.as_posix()


def broken_layout(root, names, tables):
    """Lines that are too long, and files that the formatter would change."""
    for name in [*names, *tables]:
        for at, line in enumerate((Path(root) / name).read_text().splitlines(), 1):
            if len(line) > COLUMNS:
                yield f'{name}:{at}: {len(line)} columns, at most {COLUMNS}'
    if names and shutil.which(FORMATTER):
        r = subprocess.run([FORMATTER, '--dry-run', *names], cwd=root, capture_output=True, text=True)
        if r.returncode:
            yield f'{FORMATTER} fails: {r.stderr.strip()}'
        for name in sorted(set(re.findall(r'^([^\s:]+):\d+:\d+: warning', r.stderr, re.M))):
            yield f'{name}: is not as {FORMATTER} leaves it: {FORMATTER} -i {name}'


def broken_includes(root, names):
    """Includes of FADE's headers that are not there: in a branch for a GPU no compiler here may look."""
    for name in names:
        text = (Path(root) / name).read_text()
        for m in INCLUDE.finditer(text):
            if m.group(1).startswith('fade/') and not (Path(root) / 'include' / m.group(1)).exists():
                yield f'{name}:{line_of(text, m.start())}: {m.group(1)} is not there'


def check(root):
    """(what is broken, figures) of the headers below root."""
    base = Path(root) / 'include' / 'fade'
    files = [p for p in sorted(base.rglob('*')) if p.suffix in ('.hpp', '.h', '.inc', '.cuh', '.inl', '.ipp')]
    texts = {p.relative_to(base).as_posix(): p.read_text() for p in files}
    if not texts:
        return [f'no headers in {base}'], {}
    code = {n: strip(t) for n, t in texts.items()}
    sizes, figures = broken_sizes(texts, code)
    names = list(sources(root))
    tables = [p.relative_to(root).as_posix() for p in files if p.suffix == TABLE]
    layout = [*broken_includes(root, names), *broken_layout(root, names, tables)]
    broken = [*broken_floors(texts), *broken_folders(texts), *broken_words(code), *broken_lanes(code), *broken_terms(code),
              *broken_namespaces(texts, code)]
    return [*broken, *sizes, *layout], figures


def main(root):
    broken, figures = check(root)
    print('\n'.join(broken))
    for name, value in figures.items():
        print(f'{name:<32}{value:>6g}   at most {LIMITS[name]}')
    if not shutil.which(FORMATTER):
        print(f'skipped: house: {FORMATTER} was not found, so {len(list(sources(root)))} files may be laid out anyhow')
    print(f'{len(broken)} rules broken' if broken else 'the house is in order')
    return 1 if broken else 0


# --- the self-test: a good tree is passed, and each bad file is found --------------------------------------------------

SMALL = 'inline int f() {\n    return 1;\n}\n'
INSIDE = 'namespace FADE_NAMESPACE {}\n'
GOOD = {'core/namespace.hpp': SMALL, 'core/in.hpp': '#include <fade/core/namespace.hpp>\n' + INSIDE, 'block/in.hpp': '#include <fade/core/in.hpp>\n' + INSIDE,
        'core/a.hpp': SMALL, 'wave/b.hpp': '#include <fade/core/a.hpp>\n// hipMalloc, __gfx942__ in words\n' + SMALL,
        'atom/c.hpp': '#if defined(__gfx942__)\nint x = __builtin_amdgcn_wave();\n#endif\n' + SMALL,
        'gemm.hpp': '#include <fade/wave/b.hpp>\n' + SMALL, 'tune/rows.inc': '{1},\n' * 900}
LONG = 'inline void g{}() {{\n' + 'f();\n' * 61 + '}}\n'
BAD = {'lies above': {'core/bad.hpp': '#include <fade/wave/b.hpp>\n'},
       'include each other': {'core/bad.hpp': '#include <fade/wave/b.hpp>\n'},
       'ring: core > core/deep > core': {'core/bad.hpp': '#include <fade/core/deep/e.hpp>\n',
                                         'core/deep/e.hpp': '#include <fade/core/a.hpp>\n'},
       'ring: core/d > core/e > core/f > core/d': {'core/d/1.hpp': '#include <fade/core/e/1.hpp>\n', 'core/e/1.hpp': '#include <fade/core/f/1.hpp>\n',
                                                   'core/f/1.hpp': '#include <fade/core/d/2.hpp>\n', 'core/d/2.hpp': SMALL},
       'the roof, which lies above': {'block/bad.hpp': '#include "fade/gemm.hpp"\n'},
       'include by <fade/...>': {'wave/bad.hpp': '#include "../core/a.hpp"\n'},
       'is no floor': {'utils/bad.hpp': SMALL},
       'hipMalloc belongs': {'wave/bad.hpp': 'int x = hipMalloc(1);\n'},
       '<cuda belongs': {'kernel/gemm/bad.hpp': '#include <cuda_runtime.h>\n'},
       'asm belongs': {'kernel/bad.hpp': 'void f() {\n    asm("nop");\n}\n'},
       'kernel/bad.hpp:2: a kernel names a lane (lane_coord)': {'kernel/bad.hpp': '// each_lane in words\nint f(lane_coord p);\n'},
       'core/bad.hpp:2: least is min in the field': {'core/bad.hpp': '// at least\nint least = 0;\n'},
       'a kernel names a lane (FADE_UNROLL)': {'kernel/gemm/bad.hpp': 'void f() {\n    FADE_UNROLL\n    for (;;) {\n    }\n}\n'},
       '#if about a GPU': {'block/bad.hpp': '#  ifdef __HIP_DEVICE_COMPILE__\n#endif\n'},
       'core/bad.hpp:1: open FADE_NAMESPACE': {'core/bad.hpp': 'namespace fade::kernel {}\n'},
       'names in it are those of fade::': {'core/bad.hpp': 'int x = FADE_NAMESPACE::f();\n'},
       'without core/namespace.hpp': {'core/bad.hpp': '#include <fade/core/a.hpp>\n' + INSIDE},
       '401 lines, at most': {'core/bad.hpp': '\n' * 401},
       'wave/deep has 26 headers, at most 25': {f'wave/deep/{i}.hpp': SMALL for i in range(26)},
       'has 7 parameters': {'core/bad.hpp': 'template <int A, class B = c<1, 2>, int C, int D, int E, int F, int G>\nstruct s;\n'},
       'median lines of a header: ': {f'core/bad{i}.hpp': '\n' * 120 for i in range(9)},
       'median lines of a function: ': {f'core/bad{i}.hpp': 'int f() {\n' + '\n' * 6 + '}\n' for i in range(9)},
       'p99 lines of a function: ': {'core/bad.hpp': LONG.format(1)},
       'core/bad.hpp:1: 111 columns': {'core/bad.hpp': '//' + 109 * '-' + '\n'},
       'core/bad.hpp:2: fade/core/gone.hpp is not there': {'core/bad.hpp': '#if defined(SOME_GPU)\n#include <fade/core/gone.hpp>\n#endif\n'},
       'core/bad.inc:2: 111 columns': {'core/bad.inc': '{1},\n{' + 108 * '1' + '},\n'},
       'no headers': None}
LAID_OUT = {'is not as clang-format-19 leaves it': {'core/bad.hpp': 'inline int f() { return 1 ; }\n'}}


def broken_by(tree):
    with tempfile.TemporaryDirectory() as root:
        for name, text in tree.items():
            path = Path(root) / 'include' / 'fade' / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (Path(root) / '.clang-format').write_text('BasedOnStyle: LLVM\nIndentWidth: 4\nColumnLimit: 0\nAllowShortFunctionsOnASingleLine: None\n')
        return '\n'.join(check(root)[0])


def self_test():
    wrong = [f'a good tree is said to break: {broken_by(GOOD)}'] if broken_by(GOOD) else []
    bad = BAD | (LAID_OUT if shutil.which(FORMATTER) else {})
    for sentence, files in bad.items():
        said = broken_by({} if files is None else GOOD | files)
        if sentence not in said:
            wrong.append(f'not found: {sentence} (said: {said})')
    print('\n'.join(wrong) or f'a good tree passes, {len(bad)} bad ones are found')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(self_test() if sys.argv[1:] == ['--self-test'] else main(sys.argv[1] if len(sys.argv) > 1 else '.'))
