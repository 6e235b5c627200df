"""fade-doctor --json, asked once per call."""
import json
import os
import shutil
import subprocess


class Error(RuntimeError):
    """What fade_truth cannot do; the text is one sentence."""


class DoctorError(Error):
    """fade-doctor could not be asked, or answered what is no description of devices."""


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
        ran = subprocess.run(command, capture_output=True, text=True, errors='replace', timeout=30)
    except (OSError, ValueError, subprocess.TimeoutExpired) as e:
        raise DoctorError(f'fade-doctor did not answer: {e}.') from e
    if ran.returncode not in (0, 1):
        raise DoctorError(ran.stderr.strip() or f'fade-doctor ended with {ran.returncode}.')
    return devices_of(ran.stdout)


def devices_of(text):
    """The devices in what fade-doctor printed; DoctorError where it is anything else."""
    try:
        devices = json.loads(text)['devices']
        good = isinstance(devices, list) and all(isinstance(d['backend'], str) and all(isinstance(t, dict) for t in d['traits'].values()) for d in devices)
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise DoctorError(f'fade-doctor printed no description of devices ({type(e).__name__}): {text[:60]!r}.') from e
    if not good:
        raise DoctorError(f'fade-doctor printed no description of devices: {text[:60]!r}.')
    return devices
