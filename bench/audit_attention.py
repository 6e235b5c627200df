#!/usr/bin/env python3
"""What the choice of attention's policies rests on, as rows of data: bench/audit_attention.py [ARCH...] [--tools DIR]

Compiles the plain, general and decoding kernel of each type and padded head dimension for these architectures (default:
those of the hip preset) and reads their machine code with isa_audit.py, which is found in DIR. Writes
include/fade/tune/attention/audited.inc; rows of other architectures and types stay. --types: some types only.
--measured writes measured.inc from the files in bench/results instead. --check compares measured.inc with what it is made
from, but for the policies in it, and compiles nothing: exit 1 where it is stale.

A kernel that spills or uses scratch gets no row: it is named, and the exit status is 1.
Each row names the whole policy that was read: where a policy changes, its figure goes. A kernel that changes under the
same policy must be read again by hand. 20 to 40 seconds of one core an architecture and type, a quarter of an hour for all.
"""
import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

from audit_gemm import ARCHS, FIELDS, compiler, in_lines, in_quotes, run, times, without_policies

ROOT = Path(__file__).resolve().parents[1]
TUNE = ROOT / 'include' / 'fade' / 'tune' / 'attention'
TYPES = 'f16 bf16 f32 f8e4m3'.split()
VARIANTS = 'plain tma general decode'.split()
CLASSES = 64, 128, 256, 512
HEAD = '// Made by bench/audit_attention.py: '
POLICIES = FIELDS + """#include <fade/tune/attention/rows.hpp>
template <class Arch, class In>
void say() {
    using namespace fade;
    using atom_type = kernel::attention_atom<Arch, In>;
    for (int variant = 0; variant < 4; ++variant)
        for (int size : {64, 128, 256, 512}) {
            const attention_policy p = tune::attention_row<Arch, In>(size, tune::attention_variant(variant));
            // Longer outer products walk over their steps in a loop, of which isa_audit.py counts one turn.
            const bool counts = atom_type::order == atom::operand_order::k_contiguous ||
                                size * sizeof(typename atom_type::element) <= 256;
            if (p.waves > 0)
                std::printf("%s %s %s %d %d %s\\n", Arch::traits.name.data(), fade::name(dtype_v<In>),
                            tune::name(tune::attention_variant(variant)), size, counts, in_cpp(p).c_str());
        }
}
int main() {
"""
KERNELS = """#include <fade/device/devices.hpp>
#include <fade/tune/attention/entry.hpp>
using namespace fade;
#define KERNEL(CLASS, VARIANT) \\
    template __attribute__((global)) void backend::hip::kernel< \\
        tune::attention_entry<IN, OUT, CLASS, tune::attention_variant::VARIANT>>( \\
        const tune::attention_entry<IN, OUT, CLASS, tune::attention_variant::VARIANT>::arguments);
#define KERNELS(CLASS) KERNEL(CLASS, plain) KERNEL(CLASS, general) KERNEL(CLASS, decode)
KERNELS(64) KERNELS(128) KERNELS(256) KERNELS(512)
"""
KERNEL = re.compile(r'Li(\d+)E\w*?attention_variantE(\d)')
ROW = re.compile(r'^\{"(\w+)", .*?dtype::(\w+), attention_variant::(\w+), (\d+),.*\n(?: .*\n)*', re.M)


def policies(pairs, folder):
    """{(arch, type, variant, class): (whether its steps can be counted, the policy as C++ writes it)}"""
    calls = ''.join(f'    say<fade::arch::{arch}, fade::{t}>();\n' for arch, t in pairs)
    source = folder / 'policies.cpp'
    source.write_text(POLICIES + calls + '}\n')
    run('c++', '-std=c++20', f'-I{ROOT}/include', source, '-o', folder / 'policies')
    said = {}
    for line in run(folder / 'policies').splitlines():
        arch, t, variant, size, counts, policy = line.split(' ', 5)
        said[arch, t, variant, int(size)] = counts == '1', policy
    return said


def audited(arch, t, how, tools, folder):
    """{(variant, class): (bound, sim)} in percent, of the kernels that neither spill nor use scratch."""
    source, code = folder / 'kernels.hip.cpp', folder / f'{arch}-{t}.o'
    source.write_text(KERNELS)
    run(*how, f'--offload-arch={arch}', '--cuda-device-only', f'-I{ROOT}/include', f'-DIN={t}',
        f'-DOUT={"bf16" if t == "f8e4m3" else t}', '-c', source, '-o', code)
    said = json.loads(run(sys.executable, tools / 'isa_audit.py', '--json', '--no-mca', '--arch', arch, code))
    figures = {}
    for k in said:
        size, variant = KERNEL.search(k['kernel']).groups()
        if any(k[what] for what in ('scratch', 'scratch_insts', 'vgpr_spills', 'sgpr_spills')):
            continue
        hot = k.get('hot') or {}
        pair = hot.get('util_bound') or 0, (hot.get('sim') or {}).get('util') or 0
        figures[VARIANTS[int(variant)], int(size)] = tuple(round(100 * x) for x in pair)
    return figures


def row_of(arch, clang, t, variant, size, policy, figure):
    bound, sim = figure
    return (f'{{"{arch}", {clang}, dtype::{t}, attention_variant::{variant}, {size},\n'
            f' {in_lines(policy)},\n {{{bound}, {sim}}}}},\n')


def rows_in(file):
    """{(arch, type): its rows}"""
    rows = {}
    for m in ROW.finditer(file.read_text() if file.exists() else ''):
        rows.setdefault((m.group(1), m.group(2)), []).append(m.group())
    return rows


def written(file, rows):
    ordered = sorted(rows.items(), key=lambda r: (ARCHS.index(r[0][0]), TYPES.index(r[0][1])))
    file.write_text(HEAD + 'static audit. Architecture, clang, type, kernel, padded head dimension,\n'
                    '// the policy that was read, and its main loop in percent: bound, and played in order; 0: read for spills and\n'
                    '// scratch alone.\n' + ''.join(line for _, lines in ordered for line in lines))


def audit(archs, types, tools):
    file = TUNE / 'audited.inc'
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        how = compiler(folder / 'hip')
        clang = re.search(r'clang version (\d+)', run(how[0], '--version')).group(1)
        pairs = [(arch, t) for arch in archs for t in types]
        said = policies(pairs, folder)
        spilled = 0
        for arch, t in pairs:
            figures = audited(arch, t, how, tools, folder)
            # What decodes waits for memory: the share of the multiplier says nothing of it.
            rows = [row_of(arch, clang, t, variant, size, policy,
                           figures[variant, size] if counts and variant != 'decode' else (0, 0))
                    for (a, b, variant, size), (counts, policy) in said.items()
                    if (a, b) == (arch, t) and (variant, size) in figures]
            written(file, rows_in(file) | {(arch, t): rows})
            lost = [f'{v}_d{size}' for a, b, v, size in said if (a, b) == (arch, t) and (v, size) not in figures]
            spilled += len(lost)
            print(f'{arch} {t}: {len(rows)} kernels' + (f'; SPILLS: {" ".join(lost)}' if lost else ''), file=sys.stderr, flush=True)
    return int(spilled > 0)


def best(rows, key, size):
    """The largest problem of each kernel."""
    found = {}
    for r in rows:
        if key(r) not in found or size(r) > size(found[key(r)]):
            found[key(r)] = r
    return found


def measured():
    """(arch, type, variant, class, words) of the largest problem of each kernel that bench/results holds."""
    def said(name):
        return json.loads((ROOT / 'bench' / 'results' / name).read_text())
    flash = said('attention-h200-flash.json')
    rows = [r for r in flash['rows'] if not r['causal']]
    for kernel, r in best(rows, lambda r: r['kernel'], lambda r: r['seq'] ** 2 * r['batch'] * r['heads']).items():
        variant, size = re.match(r'attention_(\w+)_d(\d+)', kernel).groups()
        yield ('sm_90a', r['dtype'], variant, size,
               f'measured on an NVIDIA H200, {flash["date"]}: {times(r["ratio"], "FlashAttention-2")} at batch {r["batch"]}, '
               f'{r["heads"]} heads, {r["seq"]} x {r["seq"]}, head_dim {r["head_dim"]}')
    decode = said('attention-h200-decode.json')
    rows = [r for r in decode['rows'] if r['kernel'].startswith('attention_decode')]
    for kernel, r in best(rows, lambda r: r['kernel'], lambda r: (r['batch'] * r['keys'], -r['page'])).items():
        yield ('sm_90a', re.search(r'--dtype (\w+)', decode['command']).group(1), 'decode', kernel.rpartition('_d')[2],
               f'measured on an NVIDIA H200, {decode["date"]}: {r["of_peak"]:.2f} of the memory\'s peak at batch {r["batch"]}, '
               f'{r["keys"]} keys, head_dim {r["head_dim"]}')
    host = said('attention-host-torch-2-threads.json')
    rows = [r for r in host['rows'] if not r['causal']]
    for t, r in best(rows, lambda r: r['dtype'], lambda r: r['seq'] ** 2 * r['head_dim']).items():
        yield ('host', t, 'general', '512',
               f'measured on an AMD EPYC, two threads, {host["date"]}: {times(r["ratio_torch_flash"], "PyTorch")} at '
               f'{r["heads"]} heads, {r["seq"]} x {r["seq"]}, head_dim {r["head_dim"]}')


def measured_text(policy_of):
    rows = ''.join(f'{{"{arch}", dtype::{t}, attention_variant::{variant}, {size},\n {in_lines(policy_of(arch, t, variant, int(size)))},\n'
                   f' {in_quotes(words)}}},\n' for arch, t, variant, size, words in measured())
    return (HEAD + 'the largest problem of each kernel in bench/results. Architecture, type,\n'
            '// kernel, padded head dimension, the policy of that day (none: cut as the problem wants), what was measured.\n' + rows)


def write_measured():
    with tempfile.TemporaryDirectory() as name:
        said = policies({('sm_90a', t) for arch, t, *_ in measured() if arch == 'sm_90a'}, Path(name))
    (TUNE / 'measured.inc').write_text(
        measured_text(lambda arch, *key: '{.waves = 0}' if arch == 'host' else said[(arch, *key)][1]))


def check():
    stale = without_policies((TUNE / 'measured.inc').read_text()) != without_policies(measured_text(lambda *_: '{}'))
    print('measured.inc is not what --measured makes of bench/results' if stale else 'the evidence of attention is what its sources say')
    return int(stale)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('archs', nargs='*', metavar='ARCH')
    options.add_argument('--types', nargs='+', choices=TYPES, default=TYPES)
    options.add_argument('--tools', type=Path, default=ROOT.parent / 'shared' / 'tools')
    for way in ('--measured', '--check'):
        options.add_argument(way, action='store_true')
    asked = options.parse_args()
    if not set(asked.archs) <= set(ARCHS):
        options.error(f'an ARCH is one of {" ".join(ARCHS)}')
    if asked.check:
        return check()
    if asked.measured:
        write_measured()
    else:
        return audit(asked.archs or ARCHS, asked.types, asked.tools)
    return 0


if __name__ == '__main__':
    sys.exit(main())
