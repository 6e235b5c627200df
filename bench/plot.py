#!/usr/bin/env python3
"""Draws what fade-bench measures: fade-bench gemm ... --m 256,512,1024 --json | bench/plot.py [--x NAME] [--y tflops|ms|ratio] [--out FILE] [FILE...]

Reads the JSON lines of fade-bench from files or standard input, and draws a line for each choice of what differs beside the
option at the bottom: types, devices, chains; and each peer, dashed. Bars reach from the shortest to the longest time. Wants
matplotlib; FILE ends in .png, .svg or .pdf.
"""
import argparse
import json
import sys
from pathlib import Path

BESIDE = ('op', 'device', 'dtype', 'out_dtype')          # what may differ beside the options of the problem
UNITS = {'tflops': 'TFLOP/s', 'gflops': 'GFLOP/s', 'ms': 'milliseconds', 'ratio': 'time of the peer / time of FADE'}


class Unfit(Exception):
    """Lines that are no measurements; what() is one sentence."""


def read(texts):
    """The measurements in these texts, a JSON object a line."""
    rows = []
    for text in texts:
        for number, line in enumerate(text.splitlines(), 1):
            try:
                said = json.loads(line) if line.strip() else None
            except json.JSONDecodeError as why:
                raise Unfit(f'line {number} is no JSON object of fade-bench: {why}.') from why
            if said is not None and not (isinstance(said, dict) and 'ms' in said and 'problem' in said):
                raise Unfit(f'line {number} is no measurement of fade-bench: it has no ms.')
            rows += [said] if said is not None else []
    if not rows:
        raise Unfit('there is nothing to draw: fade-bench writes it with --json.')
    return rows


def flat(row):
    """All that a measurement was asked for, by name."""
    return {k: row.get(k) for k in BESIDE} | row['problem']


def differing(rows):
    """The names whose values are not the same in all measurements."""
    seen = [flat(r) for r in rows]
    return [k for k in dict.fromkeys(k for s in seen for k in s) if len({json.dumps(s.get(k)) for s in seen}) > 1]


def number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def bottom(rows, asked=None):
    """The name of what stands at the bottom: the number with the most values."""
    seen = [flat(r) for r in rows]
    values = {k: {s.get(k) for s in seen} for k in seen[0] if all(number(s.get(k)) for s in seen)}
    if asked and asked not in values:
        raise Unfit(f'--x is {asked!r}, but the numbers of these problems are {", ".join(values)}.')
    return asked or max(values, key=lambda k: len(values[k]))


def tied(rows, x, name):
    """Does a name follow from x, as n and k of cubes follow from m, and ldb from n?"""
    seen = {}
    return all(seen.setdefault(flat(r)[x], flat(r).get(name)) == flat(r).get(name) for r in rows)


def of_peer(row):
    vs = row['vs']
    scale = row['ms'] / vs['ms']
    return row | {k: vs[k] for k in ('ms', 'ms_min', 'ms_max')} | {'tflops': row['tflops'] * scale}


def y_of(row, y):
    """(value, lowest, highest)"""
    if y == 'ratio':
        return (row['vs']['ratio'],) * 3
    if y == 'ms':
        return row['ms'], row['ms_min'], row['ms_max']
    work = row['ms'] * row['tflops'] * (1000 if y == 'gflops' else 1)
    return work / row['ms'], work / row['ms_max'], work / row['ms_min']


def series(rows, x, y):
    """{label: [(x, y, lowest y, highest y), ...]}, points from left to right; those of peers are marked by their names."""
    names = []
    for name in differing(rows):
        if name != x and not any(tied(rows, other, name) for other in (x, *names)):
            names.append(name)
    out = {}
    for row in rows:
        label = ', '.join(f'{k} {flat(row).get(k)}' for k in names) or 'FADE'
        if y != 'ratio' or 'vs' in row:
            out.setdefault(label, []).append((flat(row)[x], *y_of(row, y)))
        if 'vs' in row and y != 'ratio':
            peer = row['vs']['name'] + ('' if label == 'FADE' else f', {label}')
            out.setdefault(peer, []).append((flat(row)[x], *y_of(of_peer(row), y)))
    if not out:
        raise Unfit('--y is ratio, but these measurements have no peer: fade-bench takes one with --vs.')
    return {label: sorted(points) for label, points in out.items()}


def unit(rows, y):
    """What is drawn: GFLOP/s where all rates are below 1 TFLOP/s."""
    return 'gflops' if y == 'tflops' and max(r['tflops'] for r in rows) < 1 else y


def draw(rows, asked, plot):
    x, y = bottom(rows, asked.x), unit(rows, asked.y)
    peers = {r['vs']['name'] for r in rows if 'vs' in r}
    figure, axes = plot.subplots(figsize=(8, 5))
    colors = {}
    for label, points in series(rows, x, y).items():
        at, value, low, high = zip(*points)
        spread = [[v - l for v, l in zip(value, low)], [h - v for v, h in zip(value, high)]]
        peer = next((p for p in peers if label == p or label.startswith(p + ', ')), None)
        ours = label if peer is None else label.removeprefix(peer).removeprefix(', ') or 'FADE'
        color = colors.setdefault(ours, f'C{len(colors)}')
        axes.errorbar(at, value, yerr=spread, label=label, marker='o', capsize=3, color=color, linestyle='--' if peer else '-')
    if min(flat(r)[x] for r in rows) > 0:
        axes.set_xscale('log', base=2)
    axes.set_xticks(sorted({flat(r)[x] for r in rows}), labels=[str(v) for v in sorted({flat(r)[x] for r in rows})])
    axes.minorticks_off()
    same = {k: v for k, v in flat(rows[0]).items() if k in ('op', 'device', 'dtype') and k not in differing(rows)}
    axes.set(xlabel=x, ylabel=UNITS[y], title=', '.join(map(str, same.values())))
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(asked.out, bbox_inches='tight', dpi=150)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('files', nargs='*', type=Path)
    options.add_argument('--x', help='the option at the bottom; if nothing is said, the one with the most values')
    options.add_argument('--y', default='tflops', choices=('tflops', 'ms', 'ratio'))
    options.add_argument('--out', default=Path('plot.png'), type=Path)
    asked = options.parse_args()
    try:
        rows = read([f.read_text() for f in asked.files] or [sys.stdin.read()])
        try:
            import matplotlib
        except ImportError:
            sys.exit('bench/plot.py: matplotlib is not installed; `pip install matplotlib` installs it.')
        matplotlib.use('Agg')
        from matplotlib import pyplot
        draw(rows, asked, pyplot)
    except (Unfit, OSError, ValueError) as why:
        sys.exit(f'bench/plot.py: {why}')
    print(f'written to {asked.out}', file=sys.stderr)


if __name__ == '__main__':
    main()
