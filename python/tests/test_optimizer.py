"""Steps of optimizers beside their formulas in float64."""
import unittest

import numpy as np

import fade
from common import numbers, off, poisoned, some


def drawn(low, high):
    return int(numbers.integers(low, high + 1))


class Steps(unittest.TestCase):
    def setUp(self):
        self.shape = drawn(1, 9), drawn(1, 40)
        self.master, self.first = some(*self.shape), some(*self.shape)
        self.second = np.abs(some(*self.shape))
        self.before = [t.astype('float64') for t in (self.master, self.first, self.second)]

    def test_sgd(self):
        for dtype in 'float32', 'float16':
            for nesterov in False, True:
                self.setUp()
                gradient, copy = some(*self.shape, dtype=dtype), poisoned(*self.shape, dtype='float16')
                w, v, _ = self.before
                g = gradient.astype('float64') / 4 + 0.125 * w
                v = 0.5 * v + g
                w = w - 0.25 * (g + 0.5 * v if nesterov else v)
                said, report = fade.sgd_step(gradient, self.master, self.first, rate=0.25, momentum=0.5, weight_decay=0.125,
                                             nesterov=nesterov, loss_scale=4, copy=copy, return_report=True)
                self.assertIs(said, self.master)
                self.assertIn('sgd', report.requested)
                self.assertLess(off(self.master, w), 1e-6)
                self.assertLess(off(self.first, v), 1e-6)
                self.assertTrue((copy == self.master.astype('float16')).all())

    def test_adamw(self):
        gradient, copy, step = some(*self.shape, dtype='float16'), poisoned(*self.shape), drawn(1, 9)
        w, m, v = self.before
        g = gradient.astype('float64') / 2
        m, v = 0.5 * m + 0.5 * g, 0.75 * v + 0.25 * g * g
        w = w - 0.1 * (m / (1 - 0.5 ** step) / (np.sqrt(v / (1 - 0.75 ** step)) + 0.01) + 0.2 * w)
        fade.adamw_step(gradient, self.master, self.first, self.second, step=step, rate=0.1, beta1=0.5, beta2=0.75, epsilon=0.01,
                        weight_decay=0.2, loss_scale=2, copy=copy)
        for got, wanted in ((self.master, w), (self.first, m), (self.second, v)):
            self.assertLess(off(got, wanted), 1e-6)
        self.assertTrue((copy == self.master).all())

    def test_steps_are_skipped(self):
        gradient = some(*self.shape)
        self.assertEqual(fade.find_nonfinite(gradient)[0], 0)
        gradient.flat[drawn(0, gradient.size - 1)] = np.inf
        found = fade.find_nonfinite(gradient)
        self.assertEqual((found.shape, found[0]), ((1,), 1))
        fade.sgd_step(gradient, self.master, rate=1, nonfinite=found)
        fade.adamw_step(gradient, self.master, self.first, self.second, step=1, nonfinite=found)
        for now, before in zip((self.master, self.first, self.second), self.before):
            self.assertTrue((now == before).all())

    def test_emulated(self):
        if 'gfx1100' not in str(fade.info()):
            self.skipTest('no library has gfx1100')
        gradient, other = some(*self.shape), self.master.copy()
        fade.sgd_step(gradient, self.master, rate=0.5)
        fade.sgd_step(gradient, other, rate=0.5, device='emulated:gfx1100')
        self.assertLess(off(other, self.master), 1e-6)

    def test_refusals(self):
        gradient = some(*self.shape)
        wider = some(self.shape[0], self.shape[1] + 1)
        for argument, call in (('master', lambda: fade.sgd_step(gradient, self.master.astype('float64'), rate=1)),
                               ('gradient', lambda: fade.sgd_step(wider, self.master, rate=1)),
                               ('velocity', lambda: fade.sgd_step(gradient, self.master, wider, rate=1, momentum=0.5)),
                               ('velocity', lambda: fade.sgd_step(gradient, self.master, rate=1, momentum=0.5)),
                               ('rate', lambda: fade.sgd_step(gradient, self.master, rate=float('nan'))),
                               ('step', lambda: fade.adamw_step(gradient, self.master, self.first, self.second, step=0)),
                               ('second_moment', lambda: fade.adamw_step(gradient, self.master, self.first, None, step=1)),
                               ('out', lambda: fade.find_nonfinite(gradient, out=poisoned(2)))):
            with self.assertRaises(fade.Error) as raised:
                call()
            self.assertEqual(raised.exception.argument, argument)
        self.assertTrue((self.master == self.before[0]).all())


if __name__ == '__main__':
    unittest.main()
