"""An sdist of the package has the sources of libfade, and CMake finds all it asks for in them. Nothing is compiled."""
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import scikit_build_core

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = ['CMakeLists.txt', 'cmake', 'include', 'tools/libfade']
if int(scikit_build_core.__version__.split('.')[0]) < 1:
    print(f'skipped: python-sdist: scikit-build-core is {scikit_build_core.__version__}, and 1.0 takes files from outside of the package')
    sys.exit(77)


def files(folder, names):
    return {str(path.relative_to(folder)): path.read_bytes() for name in names for path in ((folder / name).rglob('*') if (folder / name).is_dir()
            else [folder / name]) if path.is_file() and '__pycache__' not in path.parts}


with tempfile.TemporaryDirectory() as folder:
    make = f'from scikit_build_core.build import build_sdist; build_sdist({folder!r})'
    subprocess.run([sys.executable, '-c', make], cwd=ROOT / 'python', check=True, stdout=subprocess.DEVNULL)
    with tarfile.open(next(Path(folder).glob('*.tar.gz'))) as archive:
        archive.extractall(folder, filter='data') if hasattr(tarfile, 'data_filter') else archive.extractall(folder)
    made = next(Path(folder).glob('fade-*/'))
    wanted, found = files(ROOT, OUTSIDE), files(made / 'checkout', OUTSIDE)
    assert wanted == found, f'the sdist has other files: {sorted(n for n in wanted.keys() | found.keys() if wanted.get(n) != found.get(n))[:10]}'
    said = subprocess.run(['cmake', '-S', made, '-B', f'{folder}/build', f'-DPython3_EXECUTABLE={sys.executable}', '-DFADE_C_EMULATED='],
                          capture_output=True, text=True)
    assert said.returncode == 0, said.stdout[-1000:] + said.stderr[-3000:]
    print(f'{len(found)} files of libfade in the sdist, which CMake configures')
