#!/usr/bin/env python3
"""Tables of docs/performance.md that are made of files in bench/results: bench/tables.py [--check]

Each table stands between `<!-- made by bench/tables.py NAME -->` and `<!-- end -->`. --check writes nothing and exits 1
where a table is not what its file says.
"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / 'docs' / 'performance.md'
MARKED = re.compile(r'(<!-- made by bench/tables\.py (\S+) -->\n).*?(<!-- end -->)', re.S)


def rows_of(name):
    return json.loads((ROOT / 'bench' / 'results' / name).read_text())['rows']


def table(head, lines):
    return ''.join('| ' + ' | '.join(cells) + ' |\n' for cells in (head, ['---'] * len(head), *lines))


def in_one(values):
    """1.13 where all are that, else 1.12 to 1.14."""
    low, high = f'{min(values):.2f}', f'{max(values):.2f}'
    return low if low == high else f'{low} to {high}'


def scores():
    """Ratio to cuDNN for each kind of scores."""
    found, kinds = {}, []
    for r in rows_of('attention-h200-values.json'):
        deviation = r['deviation']
        kind = (r['distribution'] if r['distribution'] != 'normal'
                else 'deviation to 4' if deviation <= 4 else f'deviation {deviation:g}')
        column = f'{r["dtype"]} d{r["head_dim"]}' + (' causal' if r['causal'] else '')
        found.setdefault((kind, column), []).append(r['ratio'])
        kinds.append(kind)
    columns = sorted({c for _, c in found}, key=lambda c: (c.split()[0] != 'f16', -int(re.search(r'd(\d+)', c).group(1)), c))
    return table(['scores', *columns], [[k, *(in_one(found[k, c]) for c in columns)] for k in dict.fromkeys(kinds)])


def rows():
    """Share of the rate of a copy, and ratio to PyTorch's eager mode, of each operator and shape."""
    found = {(r['op'], f'{r["dtype"]}, {r["rows"]} x {r["columns"]}'): (r['of_copy'], r['over_eager'])
             for r in rows_of('rows-h200.json')}
    shapes = ['f32, 8192 x 4096', 'bf16, 16384 x 4096', 'bf16, 131072 x 512', 'bf16, 4096 x 32768']
    ops = dict.fromkeys(op for op, _ in found)
    cell = lambda v: '-' if v is None else f'{v[0]:.2f}, {v[1]:.2f}' if v[1] else f'{v[0]:.2f}, -'
    return table(['operator', *shapes], [[f'`{op}`', *(cell(found.get((op, s))) for s in shapes)] for op in ops])


def rows_host():
    """Ratio to PyTorch, and share of the rate of a copy, of each operator and shape."""
    found, shapes = {}, []
    for r in rows_of('rows-host-torch.json'):
        shape = f'{r["dtype"]}, {r["rows"]} x {r["columns"]}'
        found[r['op'], shape] = f'{r["ratio"]:.2f}, {r["of_copy"]:.2f}'
        shapes.append(shape)
    shapes = list(dict.fromkeys(shapes))
    ops = dict.fromkeys(op for op, _ in found)
    return table(['operator', *shapes], [[f'`{op}`', *(found[op, s] for s in shapes)] for op in ops])


def gemm_host():
    """GFLOP/s, and ratio to oneDNN, of each plain product."""
    found, kinds = {}, ['f32', 'bf16', 'i8']
    for r in rows_of('gemm-host-torch.json'):
        if not r['stage']:
            found[f'{r["layout"]} {r["m"]} x {r["n"]} x {r["k"]}', r['dtype']] = f'{r["gflops"]}, {r["ratio_onednn"]:.2f}'
    shapes = dict.fromkeys(shape for shape, _ in found)
    return table(['product', *kinds], [[s, *(found.get((s, t), '-') for t in kinds)] for s in shapes])


def conv_host():
    """Ratio to oneDNN of each convolution and pass."""
    found, columns = {}, []
    for r in rows_of('conv-host-torch.json'):
        shape = f'{r["channels"]} to {r["filters"]}, {r["size"]} x {r["size"]}, {r["filter"]} x {r["filter"]}, stride {r["stride"]}'
        column = f'{r["dtype"]} {r["pass"].replace("backward_", "")}'
        found[shape, column] = f'{r["ratio"]:.2f}'
        columns.append(column)
    columns = list(dict.fromkeys(columns))
    return table(['convolution', *columns], [[s, *(found[s, c] for c in columns)] for s in dict.fromkeys(shape for shape, _ in found)])


TABLES = {'scores': scores, 'rows': rows, 'rows-host': rows_host, 'gemm-host': gemm_host, 'conv-host': conv_host}


def main():
    text = PAGE.read_text()
    made = MARKED.sub(lambda m: f'{m.group(1)}\n{TABLES[m.group(2)]()}\n{m.group(3)}', text)
    absent = set(TABLES) - {m.group(2) for m in MARKED.finditer(text)}
    if '--check' not in sys.argv:
        PAGE.write_text(made)
    elif made != text or absent:
        print(f'docs/performance.md: {"no table " + ", ".join(sorted(absent)) if absent else "a table is not what bench/tables.py makes of bench/results"}')
        return 1
    print('the tables of docs/performance.md are those of bench/results')
    return 0


if __name__ == '__main__':
    sys.exit(main())
