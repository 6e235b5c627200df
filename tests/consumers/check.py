#!/usr/bin/env python3
"""FADE as other people's projects take it: the README's first program, built and run one way, by README's own line
where it has one.

check.py WAY [--root ROOT] [--cmake CMAKE] [--cxx CXX], WAY being find_package, add_subdirectory, FetchContent,
pkg_config, plain, hip or conan. Exit 0: it runs; 1: it does not; 77: this machine lacks what the way needs (said why).
"""
import argparse
import json
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
HIP_EXECUTABLE = '''fade_add_hip_executable(consumer runtime.hip.cpp ARCHS gfx90a gfx942 gfx1100)
target_compile_options(consumer PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-DFROM_AN_OPTION>)
target_compile_definitions(consumer PRIVATE FROM_A_DEFINITION)'''
EXECUTABLE = 'add_executable(consumer main.cpp)\ntarget_link_libraries(consumer PRIVATE fade::fade)'
TAKE = {'find_package': 'find_package(fade REQUIRED)', 'add_subdirectory': 'add_subdirectory("{root}" fade)'}
CONAN = 'conan==2.34.0'
PACKAGE = ('include', 'cmake', 'test_package', 'CMakeLists.txt', 'conanfile.py', 'LICENSE')    # what packages are made of


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


def line_of_readme(root, pattern):
    found = re.search(pattern, (root / 'README.md').read_text())
    if not found:
        sys.exit(f'README.md has nothing like {pattern}')
    return found.group(found.lastindex or 0)


def copy_of(root, to):
    """What packages are made of: Conan writes beside its test package, and a clone wants a repository with a main branch."""
    to.mkdir(parents=True)
    for name in PACKAGE:
        if (root / name).is_dir():
            shutil.copytree(root / name, to / name, ignore=shutil.ignore_patterns('build', 'CMakeUserPresets.json'))
        else:
            shutil.copy(root / name, to)
    return to


def install(o, folder):
    """FADE installed below folder, as a packager does; then moved, since a package may be."""
    run(o.cmake, '-S', o.root, '-B', folder / 'fade', '-DFADE_BUILD_TESTS=OFF', '-DFADE_BUILD_TOOLS=OFF', f'-DCMAKE_CXX_COMPILER={o.cxx}')
    run(o.cmake, '--install', folder / 'fade', '--prefix', folder / 'installed')
    for licence in ('LICENSE', 'NOTICE'):
        if not (folder / 'installed/share/licenses/fade' / licence).is_file():
            sys.exit(f'{licence} is not installed')
    (folder / 'installed').rename(folder / 'prefix')
    return folder / 'prefix'


def configure(o, folder, name, *options):
    """What CMake says, on stdout and stderr."""
    command = [o.cmake, '-S', folder, '-B', folder / name, f'-DCMAKE_CXX_COMPILER={o.cxx}', *options]
    r = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if r.returncode:
        sys.exit(f'{" ".join(map(str, command))}: exit {r.returncode}\n{(r.stdout + r.stderr)[-6000:]}')
    return r.stdout + r.stderr


def build(o, folder, take, make, *options):
    (folder / 'CMakeLists.txt').write_text(CONSUMER.format(take=take.replace('{root}', str(o.root)), make=make))
    said = configure(o, folder, 'build', '-DCMAKE_BUILD_TYPE=Release', *options)
    if 'CMAKE_BUILD_TYPE' in said or 'CMAKE_BUILD_TYPE' not in configure(o, folder, 'untyped', *options):
        sys.exit('without a build type, and only then, CMake must say that nothing is optimised')
    run(o.cmake, '--build', folder / 'build')
    return run(folder / 'build' / 'consumer')


def by_cmake(o, folder):
    (folder / 'main.cpp').write_text(program(o.root))
    options = [f'-DCMAKE_PREFIX_PATH={install(o, folder)}'] if o.way == 'find_package' else []
    return build(o, folder, TAKE[o.way], EXECUTABLE, *options)


def by_fetch(o, folder):
    """README's line, with a repository in the place that it leaves open."""
    if not shutil.which('git'):
        raise Skip('git is not installed')
    line = line_of_readme(o.root, r'FetchContent_Declare\(fade[^)]*\)')
    repository = copy_of(o.root, folder / 'repository')
    for words in (['init', '-q', '-b', 'main'], ['add', '.'], ['-c', 'user.name=a user', '-c', 'user.email=user@localhost', 'commit', '-q', '-m', 'all']):
        run('git', '-C', repository, *words)
    take = re.sub(r'<[^>]*repository[^>]*>', f'"{repository}"', line)
    (folder / 'main.cpp').write_text(program(o.root))
    return build(o, folder, f'include(FetchContent)\n{take}\nFetchContent_MakeAvailable(fade)', EXECUTABLE)


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
    options = [f'-DCMAKE_PREFIX_PATH={install(o, folder)}', '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON']
    said = build(o, folder, TAKE['find_package'], HIP_EXECUTABLE, *options)
    configure(o, folder, 'debug', '-DCMAKE_BUILD_TYPE=Debug', *options)
    release, debug = hip_words(folder / 'build'), hip_words(folder / 'debug')
    if '-O3' not in release or '-g' not in debug or '-O3' in debug:
        sys.exit(f'HIP sources must be compiled as the build type says: Release by {release}, Debug by {debug}')
    return said


def hip_words(folder):
    """What compile_commands.json says of the HIP source, without what is said of code for GPUs alone."""
    commands = {Path(c['file']).name: c['command'] for c in json.loads((folder / 'compile_commands.json').read_text())}
    if 'runtime.hip.cpp' not in commands:
        sys.exit(f'{folder}/compile_commands.json has no line for runtime.hip.cpp, but for {sorted(commands)}')
    return commands['runtime.hip.cpp'].replace('-Xarch_device -O3', '').split()


def by_conan(o, folder):
    """README's command, with the profile that Conan detects."""
    conan = shutil.which('conan')
    if not conan:
        try:
            venv.create(folder / 'venv', with_pip=True)
            subprocess.run([folder / 'venv/bin/pip', 'install', '--quiet', CONAN], check=True, capture_output=True, timeout=300)
        except (subprocess.SubprocessError, OSError) as error:
            said = (getattr(error, 'stderr', None) or str(error).encode()).decode().strip().splitlines()
            raise Skip(f'Conan is not installed, and pip says: {said[-1]}') from error
        conan = folder / 'venv/bin/conan'
    copy_of(o.root, folder / 'fade')
    env = os.environ | {'CONAN_HOME': str(folder / 'home'), 'PATH': f'{Path(o.cmake).parent}:{os.environ["PATH"]}'}
    run(conan, 'profile', 'detect', env=env)
    words = line_of_readme(o.root, r'`conan (create [^`]*)`').split()
    r = subprocess.run([conan, *words, '--no-remote'], cwd=folder, env=env, capture_output=True, text=True)
    said = r.stdout + r.stderr
    if r.returncode or 'Testing the package: Executing test' not in said:
        sys.exit(f'conan create: exit {r.returncode}\n{said[-6000:]}')
    return said.strip().splitlines()[-1]


WAYS = {way: by_cmake for way in TAKE} | {'FetchContent': by_fetch, 'pkg_config': by_compiler, 'plain': by_compiler, 'hip': by_hip, 'conan': by_conan}


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
            print(f'skipped: {o.way}: {why}')
            return 77
    if not said.strip():
        sys.exit(f'{o.way}: the program says nothing')
    print(f'{o.way}: {said.strip()}')
    return 0


sys.exit(main())
