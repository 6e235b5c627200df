"""fade.tune: rows that finds keep, calls that ask a database, and what is refused."""
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np
from common import attention, off, poisoned, some

import fade
import fade.tune

SEARCH = dict(mode='normal', budget=5.0)


class WithDatabase(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        try:
            self.database = fade.tune.Database(self.folder / 'tuning.db')
        except fade.Error as e:
            if 'SQLite' not in str(e):
                raise
            self.skipTest(str(e))

    def check(self, find, call, wanted, bound):
        """A search, and a call that asks: right, with a row where one was kept."""
        found = find(**SEARCH, database=self.database)
        self.assertEqual(found.source, 'tuned' if found.kept else 'model')
        self.assertGreater(found.model_nanoseconds, 0)
        self.assertTrue(found.policy.startswith('{'))
        result, report = call(tuned=self.database, return_report=True)
        self.assertIn('has a row of this problem, which decides' if found.kept else 'row of this problem', report.why)
        self.assertLess(off(result, wanted), bound)
        self.assertEqual(find(mode='fast', database=self.database).source, 'hit' if found.kept else 'model')
        return found


class Tuned(WithDatabase):
    def test_gemm(self):
        a, b, bias = some(150, 90), some(90, 170), some(170)
        more = dict(epilogue=[('bias', bias), 'relu'])
        found = self.check(lambda **how: fade.tune.gemm(a, b, **how, **more), lambda **how: fade.gemm(a, b, **how, **more),
                           np.maximum(a.astype('f8') @ b + bias, 0), 1e-5)
        self.assertIn('gemm', found.kind)
        self.assertIn('bias', found.kind)

    def test_attention(self):
        q, k, v = some(2, 60, 4, 32), some(2, 130, 2, 32), some(2, 130, 2, 32)
        self.check(lambda **how: fade.tune.attention(q, k, v, causal='bottom-right', **how),
                   lambda **how: fade.attention(q, k, v, causal='bottom-right', **how), attention(q, k, v, causal='bottom-right'), 1e-5)

    def test_convolution(self):
        x, w = some(2, 12, 10, 8), some(16, 1, 1, 8)
        self.check(lambda **how: fade.tune.conv_forward(x, w, **how), lambda **how: fade.conv_forward(x, w, **how),
                   x.astype('f8') @ w[:, 0, 0].T, 1e-5)
        for found in (fade.tune.conv_backward_data(some(2, 12, 10, 16), w, (12, 10), database=self.database, **SEARCH),
                      fade.tune.conv_backward_weights(some(2, 12, 10, 16), x, (1, 1), database=self.database, **SEARCH)):
            self.assertGreater(found.model_nanoseconds, 0)

    def test_row_operators_ask(self):
        x, weight = some(5, 70), some(70)
        f8 = x.astype('f8')
        centred = f8 - f8.mean(-1, keepdims=True)
        powers = np.exp(f8 - f8.max(-1, keepdims=True))
        shares = powers / powers.sum(-1, keepdims=True)
        for call, wanted in ((lambda **how: fade.rms_norm(x, weight, **how), f8 / np.sqrt((f8**2).mean(-1, keepdims=True) + 1e-5) * weight),
                             (lambda **how: fade.layer_norm(x, weight, **how), centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * weight),
                             (lambda **how: fade.softmax(x, **how), shares), (lambda **how: fade.log_softmax(x, **how), np.log(shares))):
            result, report = call(tuned=self.database, return_report=True)
            self.assertIn('has no row of this problem', report.why)
            self.assertLess(off(result, wanted), 1e-5)
            with self.assertRaisesRegex(fade.Error, 'fade.tune.Database'):
                call(tuned='tuning.db')
        for find in (lambda **how: fade.tune.rms_norm(x, **how), lambda **how: fade.tune.verify_log_softmax(x, **how)):
            with self.assertRaisesRegex(fade.Error, 'one kernel of each row operator'):
                find(database=self.database)

    def test_verifications_and_rows(self):
        a, b = some(150, 90), some(90, 170)
        self.assertIn('no row', fade.tune.verify_gemm(a, b, database=self.database).why)
        found = fade.tune.gemm(a, b, database=self.database, **SEARCH)
        if not found.kept:
            self.skipTest('the machine was too busy for a row')
        out = poisoned(150, 170)
        again = fade.tune.verify_gemm(a, b, database=self.database, out=out)
        self.assertEqual((again.source, again.policy), ('hit', found.policy), again.why)
        self.assertGreater(again.nanoseconds, 0)
        self.assertAlmostEqual(again.drift, abs(again.nanoseconds / found.nanoseconds - 1), 6)
        self.assertLess(off(out, a.astype('f8') @ b), 1e-5)
        (row,) = self.database.rows()
        self.assertEqual((row.kind, row.policy, row.nanoseconds), (found.kind, found.policy, found.nanoseconds))
        self.assertFalse(self.database.remove(row._replace(nanoseconds=row.nanoseconds + 1)))
        self.assertTrue(self.database.remove(row))
        self.assertEqual(self.database.rows(), [])
        self.assertEqual(fade.tune.gemm(a, b, database=self.database, mode='fast').source, 'model')
        self.database.put(row._replace(fingerprint=None, compiler=None, version=None))
        self.assertEqual(self.database.rows(), [row])
        self.assertEqual(fade.tune.gemm(a, b, database=self.database, mode='fast').source, 'hit')
        with self.assertRaises(fade.Error) as caught:
            self.database.put(row._replace(nanoseconds=-1.0))
        self.assertEqual(caught.exception.argument, 'nanoseconds')

    def test_a_background(self):
        a, b, x, w = some(64, 48), some(48, 80), some(1, 8, 8, 4), some(8, 3, 3, 4)
        background = fade.tune.Background(self.folder / 'tuning.db', budget=20)
        self.assertEqual(tuple(background.progress), (0, 0, 0, False, 0.0, ''))
        out = poisoned(64, 80)
        self.assertTrue(background.gemm(a, b, out=out, threads=1))
        self.assertTrue(background.conv_forward(x, w, threads=1))
        self.assertTrue(background.attention(some(1, 9, 2, 16), some(1, 9, 2, 16), some(1, 9, 2, 16), threads=1))
        self.assertTrue(np.isnan(out).all())                       # the thread draws tensors of its own
        deadline = time.monotonic() + 600
        while background.progress.left and time.monotonic() < deadline:
            time.sleep(0.05)
        done = background.progress
        self.assertEqual((done.done, done.left, done.failure), (3, 0, ''))
        self.assertEqual(done.kept, len(self.database.rows()))
        self.assertLess(off(fade.gemm(a, b, tuned=background, device=fade.Device('host', threads=1)), a.astype('f8') @ b), 1e-5)
        for argument, call in {
            'stage_count': lambda: background.gemm(a, b, epilogue=['relu']), 'beta': lambda: background.gemm(a, b, c=out),
            'types': lambda: background.gemm(a.astype('f8'), b.astype('f8')), 'threads': lambda: background.gemm(a, b, threads=0),
            'row_sums': lambda: background.gemm(a, b, row_sums=some(64)), 'algorithm': lambda: background.conv_forward(x, w, algorithm='direct'),
            'alibi': lambda: background.attention(some(1, 9, 2, 16), some(1, 9, 2, 16), some(1, 9, 2, 16), alibi=some(2)),
            'tuning': background.rows, 'database': lambda: fade.tune.gemm(a, b, database=background),
            'budget': lambda: fade.tune.Background(self.folder / 'tuning.db', budget=0),
        }.items():
            with self.subTest(argument=argument), self.assertRaises(fade.Error) as caught:
                call()
            self.assertEqual(caught.exception.argument, argument)

    def test_a_database_of_the_system(self):
        a, b = some(150, 90), some(90, 170)
        fade.tune.gemm(a, b, database=self.database, **SEARCH)
        known = fade.tune.gemm(a, b, database=self.database, mode='fast').source
        self.database = None                     # a system's file is read while nobody writes it
        other = fade.tune.Database(self.folder / 'other.db', system=[self.folder / 'tuning.db'])
        self.assertEqual(other.refused_writes, '')
        self.assertEqual(fade.tune.gemm(a, b, database=other, mode='fast').source, known)

    def test_refusals(self):
        a, b, out = some(8, 8), some(8, 8), poisoned(8, 8)
        (self.folder / 'text').write_text('no database')
        for argument, call in {
            'tuned': lambda: fade.gemm(a, b, tuned='tuning.db', out=out),
            'database': lambda: fade.tune.gemm(a, b, database='tuning.db', out=out),
            'mode': lambda: fade.tune.gemm(a, b, database=self.database, mode='slow', out=out),
            'enforce': lambda: fade.tune.gemm(a, b, database=self.database, enforce=True, out=out),
            'budget': lambda: fade.tune.gemm(a, b, database=self.database, budget=0.0, mode='normal', out=out),
            'strict': lambda: fade.tune.gemm(a, b, database=self.database, strict=True, out=out),
            'device': lambda: fade.tune.gemm(a.astype('f8'), b.astype('f8'), database=self.database, mode='normal'),
            'row_sums': lambda: fade.tune.gemm(a, b, database=self.database, row_sums=some(8), out=out),
            'tuning database': lambda: fade.tune.Database(self.folder / 'text'),
        }.items():
            with self.subTest(argument=argument), self.assertRaises(fade.Error) as caught:
                call()
            self.assertEqual(caught.exception.argument, argument)
        self.assertTrue(np.isnan(out).all())
        self.assertEqual((self.folder / 'text').read_text(), 'no database')

    def test_emulated_devices_have_no_speed(self):
        if 'emulated:gfx1100' not in fade.info()['devices']:
            self.skipTest('this package has no emulated devices')
        a, b = some(20, 30), some(30, 40)
        with self.assertRaisesRegex(fade.Error, 'no speed'):
            fade.tune.gemm(a, b, database=self.database, device='emulated:gfx1100')
        d, report = fade.gemm(a, b, tuned=self.database, device='emulated:gfx1100', return_report=True)
        self.assertIn('row of this problem', report.why)
        self.assertLess(off(d, a.astype('f8') @ b), 1e-5)


class OnGpus(WithDatabase):
    def setUp(self):
        device = os.environ.get('FADE_TEST_DEVICE', 'host')
        if device == 'host':
            self.skipTest('FADE_TEST_DEVICE names no GPU')
        import torch
        self.some = lambda *shape: torch.from_numpy(some(*shape)).half().to(device)
        super().setUp()

    def check(self, find, call, wanted, bound):
        import torch
        with torch.cuda.stream(torch.cuda.Stream()):       # which waits for no other, so that a find has to
            return super().check(find, lambda **how: tuple(x.cpu().float().numpy() if hasattr(x, 'cpu') else x for x in call(**how)), wanted, bound)

    def test_gemm(self):
        a, b, bias = self.some(150, 96), self.some(96, 176), self.some(176)
        more = dict(epilogue=[('bias', bias), 'relu'])
        found = self.check(lambda **how: fade.tune.gemm(a, b, **how, **more), lambda **how: fade.gemm(a, b, **how, **more),
                   np.maximum((a.cpu().double() @ b.cpu().double() + bias.cpu().double()).numpy(), 0), 2e-3)
        again = fade.tune.verify_gemm(a, b, database=self.database, **more)
        self.assertEqual(again.source, 'hit' if found.kept else 'model')

    def test_row_operators(self):
        x, weight = self.some(900, 4096), self.some(4096)
        f8 = x.cpu().double().numpy()
        centred = f8 - f8.mean(-1, keepdims=True)
        powers = np.exp(f8 - f8.max(-1, keepdims=True))
        shares = powers / powers.sum(-1, keepdims=True)
        scale = weight.cpu().double().numpy()
        for name, tensors, wanted in (('rms_norm', (x, weight), f8 / np.sqrt((f8**2).mean(-1, keepdims=True) + 1e-5) * scale),
                                      ('layer_norm', (x, weight), centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale),
                                      ('softmax', (x,), shares), ('log_softmax', (x,), np.log(shares))):
            with self.subTest(name=name):
                found = self.check(lambda **how: getattr(fade.tune, name)(*tensors, **how), lambda **how: getattr(fade, name)(*tensors, **how), wanted, 2e-3)
                self.assertGreater(found.candidates, 0)
                again = getattr(fade.tune, f'verify_{name}')(*tensors, database=self.database)
                self.assertEqual(again.source, 'hit' if found.kept else 'model')

    def test_attention(self):
        q, k = self.some(2, 60, 4, 64), self.some(2, 130, 2, 64)
        self.check(lambda **how: fade.tune.attention(q, k, k, causal='bottom-right', **how),
                   lambda **how: fade.attention(q, k, k, causal='bottom-right', **how),
                   attention(*(x.cpu().float().numpy() for x in (q, k, k)), causal='bottom-right'), 2e-3)


class WithoutSqlite(unittest.TestCase):
    def test_all_else_works(self):
        """A process whose loader finds another library by SQLite's name."""
        compiler = shutil.which('cc') or shutil.which('gcc')
        if not compiler:
            self.skipTest('no C compiler is here to make a library that is not SQLite')
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([compiler, '-shared', '-o', f'{folder}/libsqlite3.so.0', '-x', 'c', '/dev/null'], check=True)
            program = ('import fade, fade.tune, numpy\n'
                       'assert fade.gemm(numpy.ones((2, 3), "f4"), numpy.ones((3, 2), "f4"))[0, 0] == 3\n'
                       'try:\n    fade.tune.Database("tuning.db")\nexcept fade.Error as e:\n    print(e.argument, "|", e)\n')
            paths = f'{folder}:{os.environ.get("LD_LIBRARY_PATH", "")}'
            ran = subprocess.run([sys.executable, '-c', program], cwd=folder, capture_output=True, text=True,
                                 env={**os.environ, 'LD_LIBRARY_PATH': paths, 'PYTHONPATH': str(Path(fade.__file__).parents[1])})
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertTrue(ran.stdout.startswith('tuning |'), ran.stdout)
            self.assertIn('SQLite', ran.stdout)
            self.assertFalse(Path(folder, 'tuning.db').exists())


if __name__ == '__main__':
    unittest.main()
