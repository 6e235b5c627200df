"""What the scripts here share: one run of fade-bench, and the file of a result."""
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def required(program, preset):
    """Ends the script where the program was not built."""
    if not program.is_file():
        sys.exit(f'{sys.argv[0]}: there is no {program}; scripts/build {preset} makes it')


def answers(words):
    """What fade-bench answers with --json among the words, for each of the sizes that are listed."""
    ran = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f'{sys.argv[0]}: {ran.stderr.strip() or f"fade-bench exits {ran.returncode}"}')
    return [json.loads(line) for line in ran.stdout.splitlines()]


def answer(words):
    """The same of one problem."""
    return answers(words)[0]


def write(out, about, rows):
    """A line each for what is said of the machine, the date and the command, and for each row."""
    head = ''.join(f' {json.dumps(key)}: {json.dumps(value)},\n' for key, value in about.items())
    out.write_text('{\n' + head + ' "rows": [\n' + ',\n'.join('  ' + json.dumps(r) for r in rows) + '\n ]\n}\n')
    print(f'written to {out}', file=sys.stderr)
