#!/usr/bin/env python3
"""FADE as other people's projects take it: the README's first program, built and run one way.

check.py WAY [--root ROOT] [--cmake CMAKE] [--cxx CXX], WAY being find_package, add_subdirectory, FetchContent,
pkg_config, plain, hip or conan. Exit 0: it runs; 1: it does not; 77: this machine lacks what the way needs (said why).
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

CONSUMER = '''cmake_minimum_required(VERSION 3.20)
project(consumer CXX)
{take}
{make}
'''
EXECUTABLE = 'add_executable(consumer main.cpp)\ntarget_link_libraries(consumer PRIVATE fade::fade)'
TAKE = {'find_package': 'find_package(fade REQUIRED)', 'add_subdirectory': 'add_subdirectory("{root}" fade)',
        'FetchContent': 'include(FetchContent)\nFetchContent_Declare(fade SOURCE_DIR "{root}")\nFetchContent_MakeAvailable(fade)'}


class Skip(Exception):
    """The machine lacks what a way needs."""


def run(*command, **more):
    """stdout of a command that must succeed."""
    r = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if r.returncode:
        sys.exit(f'{" ".join(map(str, command))}: exit {r.returncode}\n{(r.stdout + r.stderr)[-6000:]}')
    return r.stdout


def program(root):
    """The README's first whole C++ program; before there is a README, that of the Conan test package."""
    readme = root / 'README.md'
    blocks = re.findall(r'```cpp\n(.*?)```', readme.read_text(), re.S) if readme.exists() else []
    whole = [b for b in blocks if re.search(r'\bmain\s*\(', b)]
    return whole[0] if whole else (root / 'test_package' / 'main.cpp').read_text()


def install(o, folder):
    """FADE installed below folder, as a packager does; then moved, since a package may be."""
    run(o.cmake, '-S', o.root, '-B', folder / 'fade', '-DFADE_BUILD_TESTS=OFF', '-DFADE_BUILD_TOOLS=OFF', f'-DCMAKE_CXX_COMPILER={o.cxx}')
    run(o.cmake, '--install', folder / 'fade', '--prefix', folder / 'installed')
    (folder / 'installed').rename(folder / 'prefix')
    return folder / 'prefix'


def build(o, folder, take, make, *options):
    (folder / 'CMakeLists.txt').write_text(CONSUMER.format(take=take.replace('{root}', str(o.root)), make=make))
    run(o.cmake, '-S', folder, '-B', folder / 'build', '-DCMAKE_BUILD_TYPE=Release', f'-DCMAKE_CXX_COMPILER={o.cxx}', *options)
    run(o.cmake, '--build', folder / 'build')
    return run(folder / 'build' / 'consumer')


def by_cmake(o, folder):
    (folder / 'main.cpp').write_text(program(o.root))
    options = [f'-DCMAKE_PREFIX_PATH={install(o, folder)}'] if o.way == 'find_package' else []
    return build(o, folder, TAKE[o.way], EXECUTABLE, *options)


def by_compiler(o, folder):
    """pkg_config, and plain -I: one command of the compiler."""
    flags = ['-I', o.root / 'include', '-pthread']
    if o.way == 'pkg_config':
        if not shutil.which('pkg-config'):
            raise Skip('pkg-config is not installed')
        places = ':'.join(str(p.parent) for p in install(o, folder).rglob('fade.pc'))
        flags = run('pkg-config', '--cflags', '--libs', 'fade', env=os.environ | {'PKG_CONFIG_PATH': places}).split()
    (folder / 'main.cpp').write_text(program(o.root))
    run(o.cxx, '-std=c++20', '-O2', folder / 'main.cpp', '-o', folder / 'consumer', *flags)
    return run(folder / 'consumer')


def by_hip(o, folder):
    """fade_add_hip_executable of an installed FADE, on a program that uses HIP's own big header."""
    clang = any(shutil.which(c) for c in ['/opt/rocm/llvm/bin/clang++'] + [f'clang++-{n}' for n in range(16, 30)])
    if not clang or not any(Path(p, 'hip/hip_runtime.h').exists() for p in ('/usr/include', '/opt/rocm/include')):
        raise Skip('clang and HIP are not installed')
    shutil.copy(Path(__file__).parent / 'runtime.hip.cpp', folder)
    return build(o, folder, TAKE['find_package'], 'fade_add_hip_executable(consumer runtime.hip.cpp ARCHS gfx90a gfx942 gfx1100)',
                 f'-DCMAKE_PREFIX_PATH={install(o, folder)}')


def by_conan(o, folder):
    conan = shutil.which('conan')
    if not conan:
        try:
            venv.create(folder / 'venv', with_pip=True)
            subprocess.run([folder / 'venv/bin/pip', 'install', '--quiet', 'conan'], check=True, capture_output=True, timeout=300)
        except (subprocess.SubprocessError, OSError) as error:
            said = (getattr(error, 'stderr', None) or str(error).encode()).decode().strip().splitlines()
            raise Skip(f'Conan is not installed, and pip says: {said[-1]}') from error
        conan = folder / 'venv/bin/conan'
    # A copy, since Conan writes beside the test package that it builds.
    for name in ('include', 'cmake', 'test_package'):
        shutil.copytree(o.root / name, folder / 'fade' / name, ignore=shutil.ignore_patterns('build', 'CMakeUserPresets.json'))
    for name in ('CMakeLists.txt', 'conanfile.py', 'LICENSE'):
        shutil.copy(o.root / name, folder / 'fade')
    env = os.environ | {'CONAN_HOME': str(folder / 'home'), 'PATH': f'{Path(o.cmake).parent}:{os.environ["PATH"]}'}
    run(conan, 'profile', 'detect', env=env)
    r = subprocess.run([conan, 'create', '.', '--build=missing', '--no-remote', '-s', 'compiler.cppstd=20'], cwd=folder / 'fade',
                       env=env, capture_output=True, text=True)
    said = r.stdout + r.stderr
    if r.returncode or 'Testing the package: Executing test' not in said:
        sys.exit(f'conan create: exit {r.returncode}\n{said[-6000:]}')
    return said.strip().splitlines()[-1]


WAYS = {way: by_cmake for way in TAKE} | {'pkg_config': by_compiler, 'plain': by_compiler, 'hip': by_hip, 'conan': by_conan}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('way', choices=WAYS)
    options.add_argument('--root', type=Path, default=Path(__file__).resolve().parents[2])
    options.add_argument('--cmake', default='cmake')
    options.add_argument('--cxx', default='g++')
    o = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            said = WAYS[o.way](o, Path(folder))
        except Skip as why:
            print(f'{o.way}: skipped: {why}')
            return 77
    if not said.strip():
        sys.exit(f'{o.way}: the program says nothing')
    print(f'{o.way}: {said.strip()}')
    return 0


sys.exit(main())
