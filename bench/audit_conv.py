#!/usr/bin/env python3
"""What is known of convolutions' main loops on AMD GPUs, as rows of data: bench/audit_conv.py [ARCH...] [--types T,T] [--tools DIR]

Compiles the kernels of the three passes, whose channels are whole steps, for these architectures (default: those of
audit_gemm.py) in f16 and bf16, and the forward pass in i8 with zero points, without an epilogue, and reads their machine code with isa_audit.py, which is found in DIR.
Writes include/fade/tune/conv/audited.inc, whose rows of other architectures and types stay; ends where a kernel spills vector registers
or uses scratch. --table writes the table in docs/conv.md; --check compares it with audited.inc and compiles nothing.
"""
import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

import audit_gemm
from audit_gemm import ARCHS, ROOT, run

FILE = ROOT / 'include' / 'fade' / 'tune' / 'conv' / 'audited.inc'
DOCS = ROOT / 'docs' / 'conv.md'
MARKS = '<!-- made by bench/audit_conv.py --table -->\n', '<!-- end -->\n'
HEAD = ('// Made by bench/audit_conv.py: static audit, no epilogue. Architecture, clang, type, pass, how channels are\n'
        '// read, the policy that was read; bound and what was played in order, in percent; scalars kept in lanes.\n')
PASSES = 'forward backward_data backward_weights'.split()
SIZES = 'large small narrow'.split()            # as size_class numbers them
BY_LANES = ('gfx908',)                          # whose lanes find the pixels of backward weights (weights_by_lanes)
NO_BF16 = ('gfx906', 'gfx1030')                 # widened there
TYPES = 'f16 bf16 i8'.split()
STAGES = {'i8': 'epilogue::chain<kernel::zero_points_stage, epilogue::none>'}
KERNELS = """#include <fade/conv.hpp>
using namespace fade;
using stages = STAGES;
#define KERNEL(PASS, ACCESS, SIZE) \\
    template __attribute__((global)) void backend::hip::kernel< \\
        tune::conv_entry<IN, IN, tune::conv_kernel{conv_pass::PASS, false, kernel::channel_access::ACCESS}, \\
                         tune::size_class::SIZE, stages>>( \\
        const tune::conv_entry<IN, IN, tune::conv_kernel{conv_pass::PASS, false, kernel::channel_access::ACCESS}, \\
                               tune::size_class::SIZE, stages>::arguments);
"""
POLICIES = """#include <cstdio>
#include <fade/tune/conv/policies.hpp>
template <class Arch, class In>
void say() {
    using namespace fade;
    for (auto pass : {conv_pass::forward, conv_pass::backward_data, conv_pass::backward_weights})
        for (auto size : {tune::size_class::large, tune::size_class::small, tune::size_class::narrow}) {
            const auto access = pass == conv_pass::backward_weights && !tune::weights_by_lanes<Arch, In>
                                    ? kernel::channel_access::runs : kernel::channel_access::chunks;
            const gemm_policy p = tune::conv_policy<Arch, In>(size, {pass, false, access});
            std::printf("%s %s %d %s {%d, %d, %d}, {%d, %d}, block::pipeline_kind::%s, %d\\n", Arch::traits.name.data(),
                        name(dtype_v<In>), int(pass), tune::name(size), p.block_tile.m, p.block_tile.n, p.block_tile.k,
                        p.wave_tile.m, p.wave_tile.n, block::name(p.pipeline), p.waves_per_simd);
        }
}
int main() {
"""


def passes_of(t):
    return PASSES[:1] if t == 'i8' else PASSES


def access_of(arch, which):
    return 'runs' if which == 'backward_weights' and arch not in BY_LANES else 'chunks'


def audited(arch, t, how, tools, folder):
    """{(pass, size): (bound, sim, scalars in lanes)} in percent."""
    source, code = folder / 'kernels.hip.cpp', folder / f'{arch}-{t}.o'
    asked = [(p, size) for p in passes_of(t) for size in SIZES if p != 'backward_weights' or size == 'large']
    source.write_text(KERNELS.replace('STAGES', STAGES.get(t, 'epilogue::none')) + ''.join(f'KERNEL({p}, {access_of(arch, p)}, {size})\n' for p, size in asked))
    run(*how, f'--offload-arch={arch}', '--cuda-device-only', f'-I{ROOT}/include', f'-DIN={t}', '-c', source, '-o', code)
    figures = {}
    for k in json.loads(run(sys.executable, tools / 'isa_audit.py', '--json', '--no-mca', '--fail-on', 'scratch', '--arch', arch, code)):
        number = lambda word: int((re.search(word + r'E(\d)', k['kernel']) or '00')[1])    # names leave out what is 0
        if not k['hot'].get('sim'):
            continue
        if k['vgpr_spills']:
            sys.exit(f'{k["kernel"]}: {k["vgpr_spills"]} vector registers spilled')
        figures[PASSES[number('conv_pass')], SIZES[number('size_class')]] = \
            (*(round(100 * x) for x in (k['hot']['util_bound'], k['hot']['sim']['util'])), k['sgpr_spills'])
    return figures


def audit(archs, types, tools):
    rows = {}
    for line in rows_in_file():
        rows.setdefault(line.split('"')[1], []).append(line)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        how = audit_gemm.compiler(folder / 'hip')
        clang = re.search(r'clang version (\d+)', run(how[0], '--version')).group(1)
        pairs = [(arch, t) for arch in archs for t in types if t != 'bf16' or arch not in NO_BF16]
        said = audit_gemm.policies(pairs, folder, POLICIES, 4)
        for arch in archs:
            rows[arch] = [line for line in rows.get(arch, []) if not any(f'dtype::{t},' in line for t in types)]
            for t in (t for a, t in pairs if a == arch):
                for (which, size), figures in audited(arch, t, how, tools, folder).items():
                    policy = said[arch, t, str(PASSES.index(which)), size]
                    rows[arch].append(f'{{"{arch}", {clang}, dtype::{t}, conv_pass::{which}, kernel::channel_access::{access_of(arch, which)},\n'
                                      f' {policy}, {", ".join(map(str, figures))}}},\n')
            print(*rows[arch], sep='', end='', file=sys.stderr)
            FILE.write_text(HEAD + ''.join(line for of in ARCHS for line in rows.get(of, [])))


def rows_in_file():
    return re.findall(r'^\{.*\n .*\n', FILE.read_text(), re.M) if FILE.exists() else []


def table():
    """A row an architecture, a column a pass: the large kernels' bound/sim, f16 and where it differs bf16; behind them i8."""
    cells = {}
    for line in rows_in_file():
        arch, t, which, m, n, bound, sim = re.match(r'\{"(\w+)", \d+, dtype::(\w+), conv_pass::(\w+),.*\n \{(\d+), (\d+),.* (\d+), (\d+), \d+\},', line).groups()
        cells.setdefault((arch, which, t), []).append((int(m) * int(n), f'{bound}/{sim}'))
    large = {key: max(both)[1] for key, both in cells.items()}
    lines = ['| architecture | forward | backward data | backward weights | forward, i8 |\n', '|---|---|---|---|---|\n']
    for arch in (a for a in ARCHS if any(a == key[0] for key in large)):
        said = []
        for which in PASSES:
            f16, bf16 = (large.get((arch, which, t), '-') for t in ('f16', 'bf16'))
            said.append(f16 if bf16 in (f16, '-') else f'{f16}, bf16 {bf16}')
        said.append(large.get((arch, 'forward', 'i8'), '-'))
        lines.append(f'| {arch} | {" | ".join(said)} |\n')
    return ''.join(lines)


def docs_with_table():
    before, rest = DOCS.read_text().split(MARKS[0])
    return before + MARKS[0] + '\n' + table() + '\n' + MARKS[1] + rest.split(MARKS[1], 1)[1]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('archs', nargs='*', metavar='ARCH')
    options.add_argument('--types', type=lambda text: text.split(','), default=TYPES)
    options.add_argument('--tools', type=Path, default=ROOT.parent / 'shared' / 'tools')
    for way in ('--table', '--check'):
        options.add_argument(way, action='store_true')
    asked = options.parse_args()
    if not set(asked.archs) <= set(ARCHS):
        options.error(f'an ARCH is one of {" ".join(ARCHS)}')
    if not set(asked.types) <= set(TYPES):
        options.error(f'--types are some of {",".join(TYPES)}')
    if asked.check:
        fresh = docs_with_table() == DOCS.read_text()
        print('the table in docs/conv.md is ' + ('what audited.inc says' if fresh else 'not what --table makes of audited.inc'))
        return not fresh
    if asked.table:
        DOCS.write_text(docs_with_table())
    else:
        audit(asked.archs or ARCHS, asked.types, asked.tools)
    return 0


if __name__ == '__main__':
    sys.exit(main())
