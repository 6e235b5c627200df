"""What the tests of fade-bench share: running it, and closing with what was found."""
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else ROOT / 'build' / 'host' / 'bin' / 'fade-bench'
SMALL = {'gemm': '--m 33 --n 21 --k 17'.split(),
         'attention': '--heads 4 --kv-heads 2 --seq-q 33 --seq-k 70 --head-dim 64'.split()}
# A check of results: no time is of interest, and so neither are inputs that caches do not hold.
CHECK = ['--check', '--warm-cache', '--samples', 1]
results = []


def ask(*words, **more):
    """The program with these words: returncode, stdout and stderr."""
    return subprocess.run([str(PROGRAM), *map(str, words)], **({'capture_output': True, 'text': True, 'timeout': 300} | more))


def small(op, device='host', dtype='f32', *more):
    """The words of a small problem."""
    return [op, '--device', device, '--dtype', dtype, *SMALL[op], *map(str, more)]


def answers(*words):
    """The JSON objects of an answer with exit code 0 or 1; what went wrong ends the test."""
    ran = ask(*words, '--json')
    if ran.returncode not in (0, 1):
        sys.exit(f'{" ".join(map(str, words))}: exit {ran.returncode}: {ran.stdout}{ran.stderr}')
    return [json.loads(line) for line in ran.stdout.splitlines()]


def held(device):
    """Does this program have the device? One that was built for fewer architectures says what it skips."""
    devices = ask('--list').stdout
    if device in devices.replace(',', ' ').split():
        return True
    print(f'skipped: fade-bench on {device}: this program was built without it', flush=True)
    return False


def held_types(types, words_of):
    """Of these types those whose problem, words_of(type), this program has kernels for. One at least must be there."""
    held = [t for t in types if ask(*words_of(t), '--plan').returncode == 0]
    check(f'{" ".join(map(str, words_of(types[0])))}: of {" ".join(types)} one is held', held)
    return held


def fresh_seed():
    seed = os.environ.get('FADE_SEED') or str(int.from_bytes(os.urandom(4), 'little'))
    print(f'FADE_SEED={seed}')
    return int(seed)


def check(name, passed, *words):
    results.append(bool(passed))
    if not passed:
        print('FAILED', name, *words, flush=True)


def refused(name, sentence, *words, **more):
    """Exit 2, nothing on stdout, one sentence on stderr that holds these words."""
    r = ask(*words, **more)
    said = r.stderr.strip()
    right = r.returncode == 2 and not r.stdout and sentence in said and said.endswith('.') and '\n' not in said
    check(name, right, f'exit {r.returncode}: {r.stdout[:200]}{r.stderr[:300]}')


def close():
    """The last line; what main returns."""
    print(f'{sum(results)} passed, {len(results) - sum(results)} failed')
    return 0 if results and all(results) else 1
