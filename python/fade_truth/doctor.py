"""fade-doctor --json, asked once per call."""
import json
import os
import shutil
import subprocess


class DoctorError(RuntimeError):
    """fade-doctor could not be asked; the text is one sentence."""


def program(given=None):
    """The program: the one given, FADE_DOCTOR, or the first on the path."""
    found = given or os.environ.get('FADE_DOCTOR') or shutil.which('fade-doctor')
    if not found:
        raise DoctorError('fade-doctor was not found: put it on the path, or name it in FADE_DOCTOR.')
    return str(found)


def describe(record=None, doctor=None):
    """The devices as fade-doctor describes them; `record` describes a recorded machine instead of this one."""
    command = [program(doctor), '--json'] + (['--from', str(record)] if record else [])
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise DoctorError(f'fade-doctor did not answer: {e}.') from e
    if ran.returncode not in (0, 1):
        raise DoctorError(ran.stderr.strip() or f'fade-doctor ended with {ran.returncode}.')
    return json.loads(ran.stdout)['devices']
