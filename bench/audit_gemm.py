#!/usr/bin/env python3
"""What the choice of GEMM's policies rests on, as rows of data: bench/audit_gemm.py [ARCH...] [--tools DIR]

Compiles the large, the medium (where there is one) and the small kernel of each type and layout for these architectures (default: those of the hip preset),
without an epilogue, and reads their machine code with isa_audit.py, which is found in DIR. Writes
include/fade/tune/gemm/audited.inc, whose rows of other architectures stay; --types does the same with some types only.
--measured writes measured.inc from the files in bench/results instead; --table the static table in docs/performance.md.
--check compares measured.inc and the table with what they are made from, and compiles nothing: exit 1 where one is stale.

Each row names the policy that was read: where a policy changes, its figure goes. Some ten seconds an architecture and type.
"""
import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TUNE = ROOT / 'include' / 'fade' / 'tune' / 'gemm'
DOCS = ROOT / 'docs' / 'performance.md'
MARKS = '<!-- made by bench/audit_gemm.py --table -->\n', '<!-- end -->\n'
ARCHS = 'gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1151 gfx1200 gfx1201'.split()
LAYOUTS = 'nn nt tn tt'.split()
TYPES = 'f16 bf16 f32 f64 i8 f8e4m3'.split()
FLOAT8 = {'gfx942': 'f8e4m3fnuz', 'gfx950': 'f8e4m3', 'gfx1200': 'f8e4m3', 'gfx1201': 'f8e4m3'}
DOUBLE = ('gfx90a', 'gfx942', 'gfx950')
OUTPUTS = {'i8': 'i32', 'f8e4m3': 'bf16', 'f8e4m3fnuz': 'bf16'}        # as fade-bench has them
COLUMNS = 110                                   # of a line of a table
HEAD = '// Made by bench/audit_gemm.py: '
FIELDS = """#include <cstdio>
#include <fade/block/pipeline.hpp>
#include <fade/core/shape.hpp>
#include <fade/kernel/attention/policy.hpp>
#include <fade/kernel/gemm/policy.hpp>
#include <string>
inline std::string value_in_cpp(int x) { return std::to_string(x); }
inline std::string value_in_cpp(fade::block::pipeline_kind x) { return std::string("block::pipeline_kind::") + fade::block::name(x); }
inline std::string value_in_cpp(fade::gemm_schedule x) { return std::string("gemm_schedule::") + name(x); }
inline std::string value_in_cpp(fade::attention_schedule x) { return std::string("attention_schedule::") + name(x); }
inline std::string value_in_cpp(fade::attention_copy x) { return std::string("attention_copy::") + name(x); }
inline std::string value_in_cpp(fade::attention_q_storage x) { return std::string("attention_q_storage::") + name(x); }
inline std::string value_in_cpp(const fade::tile_shape& t) {
    return "{" + std::to_string(t.m) + ", " + std::to_string(t.n) + ", " + std::to_string(t.k) + "}";
}
template <class Policy>
std::string in_cpp(const Policy& policy) {
    std::string out;
    each_field(policy, [&](const char* name, const auto& value) {
        out += (out.empty() ? "{." : ", .") + std::string(name) + " = " + value_in_cpp(value);
    });
    return out + "}";
}
"""                                              # any policy as C++ writes it
WHOLE_POLICIES = FIELDS + """#include <fade/tune/gemm/entry.hpp>
template <class Arch, class In>
void say() {
    using namespace fade;
    for (auto size : {tune::size_class::large, tune::size_class::medium, tune::size_class::small, tune::size_class::skinny, tune::size_class::flat,
                      tune::size_class::clustered, tune::size_class::flat_clustered, tune::size_class::deep, tune::size_class::quad})
        for (int reading = 0; reading < 5; ++reading)
            std::printf("%s %s %s %s %s\\n", Arch::traits.name.data(), name(dtype_v<In>), name(operand_access(reading)), tune::name(size),
                        in_cpp(size == tune::size_class::skinny && reading == 4 ? gemm_policy{} : tune::policy_for(tune::row_of<Arch, In>(), size, operand_access(reading))).c_str());
}
int main() {
"""
POLICIES = """#include <cstdio>
#include <fade/tune/gemm/entry.hpp>
template <class Arch, class In>
void say() {
    for (auto size : {fade::tune::size_class::large, fade::tune::size_class::medium, fade::tune::size_class::small}) {
        const fade::gemm_policy p = fade::tune::gemm_rows<Arch, In>::row.of(size);
        if (p.block_tile.m == 0) continue;
        std::printf("%s %s %s {%d, %d, %d}, {%d, %d}, block::pipeline_kind::%s, %d\\n", Arch::traits.name.data(),
                    fade::name(fade::dtype_v<In>), fade::tune::name(size), p.block_tile.m, p.block_tile.n, p.block_tile.k,
                    p.wave_tile.m, p.wave_tile.n, fade::block::name(p.pipeline), p.waves_per_simd);
    }
}
int main() {
"""
KERNELS = """#include <fade/gemm.hpp>
using namespace fade;
#define KERNEL(LAYOUT, SIZE) \\
    template __attribute__((global)) void backend::hip::kernel< \\
        tune::gemm_entry<IN, OUT, operand_access::LAYOUT, tune::size_class::SIZE, epilogue::none>>( \\
        const tune::gemm_entry<IN, OUT, operand_access::LAYOUT, tune::size_class::SIZE, epilogue::none>::arguments);
#define KERNELS(SIZE) KERNEL(nn, SIZE) KERNEL(nt, SIZE) KERNEL(tn, SIZE) KERNEL(tt, SIZE)
KERNELS(large) KERNELS(small)
#ifdef MEDIUM
KERNELS(medium)
#endif
"""
KERNEL_NAME = re.compile(r'gemm_(\w+?)_(large|medium|small|skinny|flat_clustered|flat_quad|flat|clustered|deep|quad|tiny|tall)(?: (\d+x\d+x\d+), \w+)?(, stream_k)?')
KERNEL = re.compile(r'operand_accessE(\d).*size_classE(\d)')
SIZES = {'large': 0, 'medium': 3, 'small': 1}   # as size_class numbers them


def run(*command):
    r = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if r.returncode:
        sys.exit(f'{" ".join(map(str, command))[:300]}: exit {r.returncode}\n{r.stderr[-2000:]}')
    return r.stdout


def types_of(arch, wanted):
    """The types that an architecture multiplies, of those that were asked for."""
    own = ['f16', 'bf16', 'f32', 'i8'] + ['f64'] * (arch in DOUBLE) + ['f8e4m3'] * (arch in FLOAT8)
    return [FLOAT8[arch] if t == 'f8e4m3' else t for t in wanted if t in own]


def policies(pairs, folder, program=None, words=3):
    """{(arch, type, size): the policy as C++ writes it}, said by the library itself."""
    calls = ''.join(f'    say<fade::arch::{arch}, fade::{t}>();\n' for arch, t in pairs)
    source = folder / 'policies.cpp'
    source.write_text((program or POLICIES) + calls + '}\n')
    run('c++', '-std=c++20', f'-I{ROOT}/include', source, '-o', folder / 'policies')
    return {tuple(line.split()[:words]): line.split(' ', words)[words] for line in run(folder / 'policies').splitlines()}


def compiler(folder):
    """How the hip preset compiles a HIP source, without architecture, source and output."""
    run('cmake', '-S', ROOT, '-B', folder, '-G', 'Ninja', '-DFADE_BUILD_HIP=ON', '-DCMAKE_BUILD_TYPE=Release',
        '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON', f'-DCMAKE_TOOLCHAIN_FILE={ROOT}/cmake/hip-toolchain.cmake')
    commands = json.loads((folder / 'compile_commands.json').read_text())
    words = shlex.split(next(c['command'] for c in commands if c['file'].endswith('.hip.cpp')))
    words = words[:words.index('-o')]
    return [w for w in words if not w.startswith(('--offload-arch', '-D', '-I')) or 'HIP_PLATFORM' in w]


def audited(arch, t, sizes, how, tools, folder):
    """{(layout, size): (bound, sim)} in percent; ends where a kernel spills or uses scratch."""
    source, code = folder / 'kernels.hip.cpp', folder / f'{arch}-{t}.o'
    source.write_text(KERNELS)
    run(*how, f'--offload-arch={arch}', '--cuda-device-only', f'-I{ROOT}/include', f'-DIN={t}', f'-DOUT={OUTPUTS.get(t, t)}',
        *(['-DMEDIUM'] if 'medium' in sizes else []), '-c', source, '-o', code)
    said = json.loads(run(sys.executable, tools / 'isa_audit.py', '--json', '--no-mca', '--fail-on', 'spills,scratch', '--arch', arch, code))
    figures = {}
    for k in said:
        layout, size = KERNEL.search(k['kernel']).groups()
        figures[LAYOUTS[int(layout)], {str(n): s for s, n in SIZES.items()}[size]] = \
            tuple(round(100 * x) for x in (k['hot']['util_bound'], k['hot']['sim']['util']))
    return figures


def row_of(arch, clang, t, policy, figures):
    pairs = ', '.join(f'{{{bound}, {sim}}}' for bound, sim in figures)
    return f'{{"{arch}", {clang}, dtype::{t}, {policy},\n {{{{{pairs}}}}}}},\n'


def split_row(line):
    """arch, type and size's tile of a row, and its figures."""
    arch, t, tile = re.match(r'\{"(\w+)", \d+, dtype::(\w+), \{([\d, ]+)\}', line).groups()
    figures = re.findall(r'\{(\d+), (\d+)\}', line[line.rindex('{{'):])
    return arch, t, tuple(map(int, tile.split(', '))), figures


def rows_in(file):
    return re.findall(r'^\{.*\n .*\n', file.read_text(), re.M) if file.exists() else []


def audit(archs, wanted, tools):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        how = compiler(folder / 'hip')
        clang = re.search(r'clang version (\d+)', run(how[0], '--version')).group(1)
        pairs = [(arch, t) for arch in archs for t in types_of(arch, wanted)]
        said = policies(pairs, folder)
        fresh = {}
        for arch, t in pairs:
            sizes = [s for s in SIZES if (arch, t, s) in said]
            figures = audited(arch, t, sizes, how, tools, folder)
            fresh[arch, t] = [row_of(arch, clang, t, said[arch, t, size], [figures[layout, size] for layout in LAYOUTS])
                              for size in sizes]
            print(*fresh[arch, t], sep='', end='', file=sys.stderr)
    file = TUNE / 'audited.inc'
    old = {}
    for line in rows_in(file):
        old.setdefault(split_row(line)[:2], []).append(line)
    all_types = TYPES + ['f8e4m3fnuz']
    rows = sorted((old | fresh).items(), key=lambda r: (ARCHS.index(r[0][0]), all_types.index(r[0][1])))
    file.write_text(HEAD + 'static audit, no epilogue. Architecture, clang, type, the policy that was\n'
                    '// read, and for nn, nt, tn, tt: bound and what was played in order, in percent.\n'
                    + ''.join(line for _, lines in rows for line in lines))


def times(ratio, peer):
    return f'{ratio:.2f} of {peer}\'s speed' if ratio < 1 else f'{ratio:.2f} times {peer}\'s speed'


def in_lines(policy):
    """A policy as C++ writes it, in lines of a table."""
    first, *fields = re.split(r', (?=\.)', policy)
    lines = [first]
    for field in fields:
        if len(lines[-1]) + len(field) > COLUMNS - 5:
            lines.append(' ' + field)
        else:
            lines[-1] += ', ' + field
    return ',\n '.join(lines)


def in_quotes(words):
    """A sentence as C++ writes it, in lines of a table."""
    lines = textwrap.wrap(words, COLUMNS - 8)
    return '\n '.join(f'"{line}{" " if line is not lines[-1] else ""}"' for line in lines)


def measured_rows(policy_of):
    """Of each kernel that the files of results hold, its largest problem."""
    best = {}
    for file, arch, peer, machine in (('gemm-h200-cublas.json', 'sm_90a', 'cuBLAS', 'an NVIDIA H200'),
                                      ('gemm-h200-few-rows.json', 'sm_90a', 'cuBLAS', 'an NVIDIA H200'),
                                      ('gemm-h200-tiles.json', 'sm_90a', 'cublasLt', 'an NVIDIA H200'),
                                      ('gemm-h200-tails.json', 'sm_90a', 'cublasLt', 'an NVIDIA H200'),
                                      ('gemm-host-openblas.json', 'host', 'OpenBLAS', 'an AMD EPYC, two threads')):
        said = json.loads((ROOT / 'bench' / 'results' / file).read_text())
        for r in said['rows']:
            reading, size, tile, tail = KERNEL_NAME.match(r['kernel']).groups()
            key = arch, r['dtype'], r['layout'], reading, size if tile else '', bool(tail)
            work = r['m'] * r['n'] * r['k']
            if key not in best or work > best[key][0]:
                best[key] = work, r, peer, f'measured on {machine}, {said["date"]}'
    for (arch, t, layout, reading, size, tail), (_, r, peer, measured) in best.items():
        shared = re.search(r'k shared by (\d+)', r['kernel'])
        words = (f'{measured}: {times(r["ratio"], peer)} at {r["m"]} x {r["n"]} x {r["k"]}'
                 + (f', k shared by {shared.group(1)}' if shared else ''))
        policy = policy_of(arch, t, reading, size)
        if tail:
            policy = policy.replace('gemm_schedule::tiles', 'gemm_schedule::stream_k')
        yield (f'{{"{arch}", dtype::{t}, gemm_layout::{layout}, operand_access::{reading},\n '
               f'{in_lines(policy)},\n {in_quotes(words)}}},\n')


def measured_text(policy_of):
    return (HEAD + 'the largest problem of each kernel in bench/results. Architecture, type,\n'
            '// layout, reading, the policy of that day (none: cut as the problem wants), and what was measured.\n'
            + ''.join(measured_rows(policy_of)))


def write_measured():
    pairs = [('sm_90a', t) for t in ('f16', 'bf16', 'f32')]
    with tempfile.TemporaryDirectory() as name:
        said = policies(pairs, Path(name), WHOLE_POLICIES, 4)
    (TUNE / 'measured.inc').write_text(measured_text(lambda *key: said[key] if key[3] else '{}'))


def without_policies(text):
    """Policies are the library's, which only --measured asks."""
    return re.sub(r'^ \{\..*\n(?:  .*\n)*', ' {},\n', text, flags=re.M)


def table_text():
    """Figures of the large kernels, a row an architecture and a column a type."""
    cells = {}
    for line in rows_in(TUNE / 'audited.inc'):
        arch, t, tile, figures = split_row(line)
        cells.setdefault((arch, t.removesuffix('fnuz')), []).append((tile, ' '.join('/'.join(f) for f in figures)))
    large = {key: max(both)[1] for key, both in cells.items()}
    lines = [f'| | {" | ".join(TYPES)} |\n', '|---' * (len(TYPES) + 1) + '|\n']
    for arch in ARCHS:
        lines.append(f'| {arch} | ' + ' | '.join(large.get((arch, t), '-') for t in TYPES) + ' |\n')
    return ''.join(lines)


def docs_with_table():
    text = DOCS.read_text()
    before, rest = text.split(MARKS[0])
    return before + MARKS[0] + '\n' + table_text() + '\n' + MARKS[1] + rest.split(MARKS[1], 1)[1]


def check():
    stale = []
    if without_policies((TUNE / 'measured.inc').read_text()) != measured_text(lambda *_: '{}'):
        stale.append('measured.inc is not what --measured makes of bench/results')
    if docs_with_table() != DOCS.read_text():
        stale.append('the table in docs/performance.md is not what --table makes of audited.inc')
    print('\n'.join(stale) or 'the evidence of GEMM is what its sources say')
    return 1 if stale else 0


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('archs', nargs='*', metavar='ARCH')
    options.add_argument('--types', nargs='+', choices=TYPES, default=TYPES)
    options.add_argument('--tools', type=Path, default=ROOT.parent / 'shared' / 'tools')
    for way in ('--measured', '--table', '--check'):
        options.add_argument(way, action='store_true')
    asked = options.parse_args()
    if not set(asked.archs) <= set(ARCHS):
        options.error(f'an ARCH is one of {" ".join(ARCHS)}')
    if asked.check:
        return check()
    if asked.measured:
        write_measured()
    elif asked.table:
        DOCS.write_text(docs_with_table())
    else:
        audit(asked.archs or ARCHS, asked.types, asked.tools)
    return 0


if __name__ == '__main__':
    sys.exit(main())
