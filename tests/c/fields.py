#!/usr/bin/env python3
"""Nothing that C++ can be told is hidden: each of its operations is a function of fade.h and of the Python package, each field of its
problems, operands and options is read or set by libfade's instances, and each field of fade.h's arguments by the Python package's
extension. HIDDEN and WITHIN are those that stay in C++, and docs/c.md says why."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HIDDEN = {
    'emulation_options': {'count_bank_conflicts', 'faults_throw'},     # of who writes kernels
    'find_options': {'mode', 'enforce', 'budget', 'tolerance'},        # tools/libfade/tuning.cpp hands them on by another name
    'row_major_problem': {'problem', 'swapped'},                                  # of <fade/blas.hpp>, which swaps two operands of a gemm
}
WITHIN = {'sgemm', 'dgemm', 'hgemm', 'bgemm',                        # of <fade/blas.hpp>, which swaps two operands of a gemm
          'run_conv', 'scan'}                                             # what public calls share
IN_PYTHON = {'inclusive_scan': 'scan', 'exclusive_scan': 'scan', 'segmented_reduce': 'reduce', 'sort_pairs': 'sort'}    # by arguments
INSTANCES = {'gemm': 'gemm(_problem)?', 'grouped': '(grouped|weights)', 'batch_norm': 'images', 'pool': 'images', 'sample': 'images', 'kv_cache': 'cache', 'quantize': 'cache',
             'rows': '(rows|norms|cache)'}                             # of a folder of include/fade/kernel, where the name is another
BY_OTHERS = {'size', 'stages', 'stage_count'}                          # _init, and read_stages() of all products


def sources(*patterns):
    return {p: re.sub(r'//.*', '', p.read_text()) for pattern in patterns for p in sorted(ROOT.glob(pattern))}


def body(text, at):
    """What stands between the brace at `at` and its fellow, without what stands between braces in there."""
    out, depth = [], 0
    for c in text[at:]:
        depth += {'{': 1, '}': -1}.get(c, 0)
        if depth == 0:
            return ''.join(out)
        if depth == 1 and c not in '{}':
            out.append(c)
    return ''


def structs_of_cpp():
    """{(struct, pattern of the instances that call it): its fields} of problems, operands and options."""
    out = {}
    for path, text in sources('include/fade/kernel/*/*.hpp', 'include/fade/device/*.hpp', 'include/fade/device/*/*.hpp').items():
        folder = path.parent.name if 'kernel' in path.parts else ''
        for m in re.finditer(r'\bstruct (\w+_(?:problem|operands|options))\s*(?::[^{;]*)?\{', text):
            members = [part.split('=')[0].strip() for part in body(text, m.end() - 1).split(';')]
            fields = {part.split()[-1].lstrip('*&') for part in members
                      if len(part.split()) > 1 and '(' not in part and not part.startswith(('static', 'constexpr', 'using', 'template'))}
            out[m[1], INSTANCES.get(folder, folder or '.*')] = fields
    return out


def structs_of_c():
    text = ''.join(p.read_text() for p in sorted(ROOT.glob('tools/libfade/include/*.h')))
    text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
    return {name: {re.sub(r'\[.*?\]', '', word).split()[-1].lstrip('*') for line in fields.split(';') if line.strip() for word in line.split(',')}
            for fields, name in re.findall(r'typedef struct \w+ \{([^}]*)\} (fade_\w+_args);', text)}


def missing_operations():
    """Operations of C++ that fade.h or the Python package lacks, as sentences."""
    cpp = {name for text in sources('include/fade/*.hpp').values() for name in re.findall(r'^report (\w+)\(', text, re.M)} - WITHIN
    c = {name for p in ROOT.glob('tools/libfade/include/*.h') for name in re.findall(r'fade_status fade_(\w+)\(', p.read_text())}
    python = set(re.findall(r'\w+', (ROOT / 'python/fade/__init__.py').read_text()))
    if len(cpp) < 50:
        return [f'only {len(cpp)} operations of C++ were found']
    return [f'{name} of C++ is no function of {where}' for where, known in (('fade.h', c), ('the Python package', python))
            for name in sorted(cpp)
            if (IN_PYTHON.get(name, name) if known is python else name) not in known]


def named(fields, text):
    return {f for f in fields if re.search(rf'(?:\.|->)\s*{f}\b', text)}


def main():
    wrong, instances = missing_operations(), sources('tools/libfade/instances/*.[ch]pp')
    cpp, c = structs_of_cpp(), structs_of_c()
    for (struct, pattern), fields in cpp.items():
        text = ''.join(t for p, t in instances.items() if re.fullmatch(pattern, p.stem))
        hidden = fields - named(fields, text) - HIDDEN.get(struct, set())
        wrong += [f'{struct}.{f} of C++ is not reached from fade.h' for f in sorted(hidden)]
    functions = [f for text in sources('python/src/*.cpp').values() for f in re.split(r'\n}\n', text)]
    helpers = ''.join(f for f in functions if not re.search(r'\bfade_\w+_args\b', f))
    for struct, fields in c.items():
        own = ''.join(f for f in functions if re.search(rf'\b{struct}\b', f))
        hidden = fields - BY_OTHERS - named(fields, own + helpers)
        wrong += [f'{struct}.{f} of fade.h is not set from Python' for f in sorted(hidden)]
    if len(cpp) < 50 or len(c) < 35:
        wrong.append(f'only {len(cpp)} structs of C++ and {len(c)} of fade.h were found')
    for line in wrong:
        print(line)
    print(f'{sum(map(len, cpp.values()))} fields of {len(cpp)} structs of C++, {sum(map(len, c.values()))} of {len(c)} of fade.h')
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())
