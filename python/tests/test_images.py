"""Operators over images on NumPy: beside loops in float64, on the host and on emulated architectures that have them; refusals."""
import unittest

import numpy as np
from common import numbers, off, poisoned, some

import fade

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
TYPES = ['float32', 'float16'] + (['bfloat16'] if ml_dtypes else [])
BOUND = {'float32': 2e-6, 'float16': 1.5e-3, 'bfloat16': 1.2e-2}
EVERYWHERE = ['host', *(d for d in fade.info()['devices'] if d == 'emulated:gfx1100')]


def drawn(low, high, count=None):
    found = numbers.integers(low, high + 1, count)
    return int(found) if count is None else tuple(int(i) for i in found)


def typed(x, name):
    return x.astype(ml_dtypes.bfloat16 if name == 'bfloat16' else name)


def first(x):
    """Channels before the sizes of an image."""
    return np.ascontiguousarray(np.moveaxis(x, -1, 1))


def last(x):
    return np.moveaxis(x, 1, -1)


class Pooling:
    """A random pooling with channels last, and its passes in float64, window by window."""

    def __init__(self, n):
        self.window, self.stride, self.dilation = drawn(1, 3, n), drawn(1, 3, n), drawn(1, 2, n)
        reach = tuple((t - 1) * d + 1 for t, d in zip(self.window, self.dilation))
        self.before, self.behind = (tuple(drawn(0, min(r - 1, 2)) for r in reach) for _ in range(2))
        self.ceil = bool(drawn(0, 1))            # a window may then reach beyond all that there is
        self.sizes = tuple(drawn(max(r - b - (s - 1 if self.ceil else 0), 1), 7 + r) for r, b, s in zip(reach, self.before, self.stride))
        self.x = some(drawn(1, 3), *self.sizes, drawn(5, 9))
        self.with_pad = bool(drawn(0, 1))
        self.how = dict(window=self.window, stride=self.stride, dilation=self.dilation, padding=list(zip(self.before, self.behind)),
                        ceil_mode=self.ceil)

    def windows(self):
        """(o, pixels that the window sees, pixels that its mean counts)"""
        begins = []
        for s, t, d, step, b, e in zip(self.sizes, self.window, self.dilation, self.stride, self.before, self.behind):
            reach, at, line = (t - 1) * d + 1, -b, []
            while at + reach <= s + e or self.ceil and at < s and at + reach < s + e + step:
                line.append(at)
                at += step
            begins.append(line)
        for o in np.ndindex(*map(len, begins)):
            taps = [tuple(begins[i][o[i]] + t * self.dilation[i] for i, t in enumerate(tap)) for tap in np.ndindex(*self.window)]
            seen = [p for p in taps if all(0 <= i < s for i, s in zip(p, self.sizes))]
            room = [p for p in taps if all(-b <= i < s + e for i, s, b, e in zip(p, self.sizes, self.before, self.behind))]
            yield o, seen, len(room) if self.with_pad else len(seen)

    def outputs(self):
        return tuple(1 + max((o[i] for o, _, _ in self.windows()), default=-1) for i in range(len(self.sizes)))

    def passes(self, x, dy):
        """(largest, where, gradient), (mean, gradient)"""
        x, dy = x.astype('float64'), dy.astype('float64')
        largest, where, means = np.full(dy.shape, -np.inf), np.full(dy.shape, -1), np.zeros(dy.shape)
        of_largest, of_means = np.zeros(x.shape), np.zeros(x.shape)
        for o, seen, counted in self.windows():
            for b, c in np.ndindex(x.shape[0], x.shape[-1]):
                at = (b, *o, c)
                for p in seen:
                    if x[(b, *p, c)] > largest[at]:
                        largest[at], where[at] = x[(b, *p, c)], np.ravel_multi_index(p, self.sizes)
                    means[at] += x[(b, *p, c)] / counted
                    of_means[(b, *p, c)] += dy[at] / counted
                if where[at] >= 0:
                    of_largest[(b, *np.unravel_index(where[at], self.sizes), c)] += dy[at]
        return (largest, where, of_largest), (means, of_means)


class Pools(unittest.TestCase):
    def check(self, p, name, device, turn=lambda t: t, back=lambda t: t, **more):
        x, dy = typed(p.x, name), typed(some(p.x.shape[0], *p.outputs(), p.x.shape[-1]), name)
        (largest, where, of_largest), (means, of_means) = p.passes(x, dy)
        how, bound = {**p.how, 'device': device, **more}, BOUND[name]
        y, indices = fade.max_pool(turn(x), return_indices=True, **how)
        self.assertEqual(y.dtype, x.dtype)
        np.testing.assert_array_equal(back(y).astype('float64'), largest)
        np.testing.assert_array_equal(back(indices), where)
        self.assertLess(off(back(fade.max_pool_gradient(turn(dy), indices, p.sizes, **how)), of_largest), bound)
        how['count_include_pad'] = p.with_pad
        self.assertLess(off(back(fade.avg_pool(turn(x), **how)), means), bound)
        self.assertLess(off(back(fade.avg_pool_gradient(turn(dy), p.sizes, **how)), of_means), bound)

    def test_every_type_and_dimension(self):
        for name in TYPES:
            for n in (1, 2, 3):
                p = Pooling(n)
                with self.subTest(name=name, **p.how):
                    self.check(p, name, 'host')

    def test_channels_first_and_emulation(self):
        for device in EVERYWHERE:
            p = Pooling(2)
            with self.subTest(device=device, **p.how):
                self.check(p, 'float32', device, first, last, layout='channels_first')
                self.check(p, 'float32', device)

    def test_stride_is_the_window_and_out(self):
        x, out = some(2, 6, 4, 8), poisoned(2, 3, 2, 8)
        y, report = fade.max_pool(x, 2, out=out, return_report=True)
        self.assertIs(y, out)
        self.assertIn('max_pool', report.requested)
        np.testing.assert_array_equal(y, x.reshape(2, 3, 2, 2, 2, 8).max((2, 4)))


class BatchNorms(unittest.TestCase):
    def check(self, name, device, turn=lambda t: t, back=lambda t: t, **more):
        channels, n = drawn(4, 17), drawn(1, 3)
        shape = (drawn(2, 3), *drawn(2, 5, n), channels)
        x, dy, bound = typed(1 + some(*shape), name), typed(some(*shape), name), BOUND[name]
        weight, bias = some(channels), some(channels)
        old_mean, old_variance = numbers.random((2, channels)).astype('float32')
        wide, over = x.astype('float64'), tuple(range(n + 1))
        mean, variance, pixels = wide.mean(over), wide.var(over), wide.size // channels
        normed = (wide - mean) / np.sqrt(variance + 0.01)
        more = {'device': device, **more}
        running = old_mean.copy(), old_variance.copy()
        y, m, r = fade.batch_norm(turn(x), weight, bias, running_mean=running[0], running_variance=running[1], momentum=0.3, epsilon=0.01,
                                  for_gradient=True, **more)
        self.assertLess(off(back(y), normed * weight + bias), bound)
        self.assertLess(off(m, mean), BOUND['float32'])
        self.assertLess(off(r, 1 / np.sqrt(variance + 0.01)), 1e-5)
        self.assertLess(off(running[0], 0.7 * old_mean + 0.3 * mean), BOUND['float32'])
        self.assertLess(off(running[1], 0.7 * old_variance + 0.3 * variance * pixels / (pixels - 1)), 1e-5)
        y = fade.batch_norm_inference(turn(x), *running, weight, bias, epsilon=0.01, **more)
        self.assertLess(off(back(y), (wide - running[0]) / np.sqrt(running[1].astype('float64') + 0.01) * weight + bias), bound)
        g = fade.batch_norm_gradient(turn(dy), turn(x), m, r, weight, **more)
        wide_dy = dy.astype('float64')
        dweight, dbias = (wide_dy * normed).sum(over), wide_dy.sum(over)
        wanted = weight / np.sqrt(variance + 0.01) * (wide_dy - dbias / pixels - normed * dweight / pixels)
        self.assertLess(off(back(g.dx), wanted), max(bound, 1e-5))
        self.assertLess(np.abs(g.dweight - dweight).max() / np.abs(wide_dy * normed).sum(over).max(), 1e-5)
        self.assertLess(np.abs(g.dbias - dbias).max() / np.abs(wide_dy).sum(over).max(), 1e-5)

    def test_every_type(self):
        for name in TYPES:
            with self.subTest(name=name):
                self.check(name, 'host')

    def test_channels_first_and_emulation(self):
        for device in EVERYWHERE:
            with self.subTest(device=device):
                self.check('float32', device, first, last, layout='channels_first')
                self.check('float32', device)

    def test_a_folded_filter(self):
        x, w = some(2, 6, 6, 8), some(5, 3, 3, 8)
        bias, weight, shift, mean = (some(5) for _ in range(4))
        variance = numbers.random(5).astype('float32')
        apart = fade.batch_norm_inference(fade.conv_forward(x, w, epilogue=[('bias', bias)]), mean, variance, weight, shift)
        folded, folded_bias = fade.fold_into_filter(w, mean, variance, weight, shift, bias=bias)
        self.assertEqual(folded.shape, w.shape)
        self.assertLess(off(fade.conv_forward(x, folded, epilogue=[('bias', folded_bias)]), apart), 1e-5)


def shares(mode, aligned, size, out):
    """[out, size]: how much of each pixel an output is, along one dimension."""
    share = np.zeros((out, size))
    for o in range(out):
        if mode != 'linear':
            share[o, (o * size) // out if mode == 'nearest' else ((2 * o + 1) * size) // (2 * out)] = 1
            continue
        at = (o * (size - 1) / (out - 1) if out > 1 else 0.0) if aligned else max((o + 0.5) * size / out - 0.5, 0.0)
        low = min(int(at), size - 1)
        share[o, low] += 1 - (at - low)
        share[o, min(low + 1, size - 1)] += at - low
    return share


def resampled(x, by):
    """x [batch, sizes..., channels] times a matrix of shares for each dimension."""
    for i, share in enumerate(by):
        x = np.moveaxis(np.tensordot(share, x, (1, i + 1)), 0, i + 1)
    return x


class Upsamples(unittest.TestCase):
    def check(self, name, device, mode, aligned, turn=lambda t: t, back=lambda t: t, **more):
        n = drawn(1, 3)
        sizes, outs, batch, channels = drawn(1, 6, n), drawn(1, 9, n), drawn(1, 3), drawn(5, 9)
        x, dy = typed(some(batch, *sizes, channels), name), typed(some(batch, *outs, channels), name)
        by = [shares(mode, aligned, s, o) for s, o in zip(sizes, outs)]
        more = dict(mode=mode, align_corners=aligned, device=device, **more)
        self.assertLess(off(back(fade.upsample(turn(x), outs, **more)), resampled(x.astype('float64'), by)), BOUND[name])
        wanted = resampled(dy.astype('float64'), [share.T for share in by])
        self.assertLess(off(back(fade.upsample_gradient(turn(dy), sizes, **more)), wanted), 2 * BOUND[name])

    def test_modes_and_types(self):
        for name in TYPES:
            for mode, aligned in (('nearest', False), ('nearest_exact', False), ('linear', False), ('linear', True)):
                with self.subTest(name=name, mode=mode, aligned=aligned):
                    self.check(name, 'host', mode, aligned)
                    self.check(name, 'host', mode, aligned, first, last, layout='channels_first')

    def test_emulation(self):
        for device in EVERYWHERE[1:]:
            self.check('float32', device, 'linear', False)
            self.check('float32', device, 'nearest_exact', False, first, last, layout='channels_first')


class Samples:
    """Samples at random points with channels last, in float64; coordinates keep away from where values or slopes jump."""

    def __init__(self, n, mode, padding, aligned):
        self.n, self.mode, self.padding, self.aligned = n, mode, padding, aligned
        self.sizes, self.outs = drawn(2, 6, n), drawn(1, 4, n)
        self.x = some(drawn(1, 3), *self.sizes, drawn(5, 9))
        shape = (self.x.shape[0], *self.outs, n)
        pixels = numbers.integers(-3, 9, shape) + numbers.uniform(0.1, 0.4, shape) + 0.5 * numbers.integers(0, 2, shape)
        size = np.array(self.sizes[::-1])
        self.grid = (2 * pixels / (size - 1) - 1 if aligned else (2 * pixels + 1) / size - 1).astype('float32')
        self.dy = some(self.x.shape[0], *self.outs, self.x.shape[-1])

    def place(self, c, size):
        """The coordinate in pixels, brought inside as the padding says."""
        at = (c + 1) / 2 * (size - 1) if self.aligned else ((c + 1) * size - 1) / 2
        if self.padding == 'reflection':
            low, span = (0.0, size - 1.0) if self.aligned else (-0.5, float(size))
            turns, rest = divmod(abs(at - low), span)
            at = low + (rest if turns % 2 == 0 else span - rest)
        return at if self.padding == 'zeros' else min(max(at, 0.0), size - 1.0)

    def terms(self, point):
        """[(pixel, weight)] of a point (w, h, ...)."""
        found = [((), 1.0)]
        for c, size in zip(point[::-1], self.sizes):
            at = self.place(float(c), size)
            if self.mode == 'nearest':
                line = [(int(np.rint(at)), 1.0)]
            else:
                low = int(np.floor(at))
                line = [(low, 1 - (at - low)), (low + 1, at - low)]
            found = [((*p, i), w * v) for p, w in found for i, v in line if 0 <= i < size]
        return found

    def forward(self, x, grid):
        y = np.zeros(self.dy.shape)
        for at in np.ndindex(*self.dy.shape[:-1]):
            for pixel, weight in self.terms(grid[at]):
                y[at] += weight * x[(at[0], *pixel)]
        return y

    def backward(self, x, grid, dy):
        dx, dgrid, step = np.zeros(x.shape), np.zeros(grid.shape), 1e-6
        for at in np.ndindex(*self.dy.shape[:-1]):
            for pixel, weight in self.terms(grid[at]):
                dx[(at[0], *pixel)] += weight * dy[at]
        for i in range(self.n):
            moved = step * np.eye(self.n)[i]
            slope = (self.forward(x, grid + moved) - self.forward(x, grid - moved)) / (2 * step)
            dgrid[..., i] = (slope * dy).sum(-1)
        return dx, dgrid


class GridSamples(unittest.TestCase):
    def check(self, p, name, device, turn=lambda t: t, back=lambda t: t, **more):
        x, dy = typed(p.x, name), typed(p.dy, name)
        wide, grid = x.astype('float64'), p.grid.astype('float64')
        more = dict(mode=p.mode, padding=p.padding, align_corners=p.aligned, device=device, **more)
        bound = max(BOUND[name], 1e-5)           # a coordinate of float32 is 1e-6 of a pixel off
        self.assertLess(off(back(fade.grid_sample(turn(x), p.grid, **more)), p.forward(wide, grid)), bound)
        dx, dgrid = fade.grid_sample_gradient(turn(dy), turn(x), p.grid, **more)
        of_x, of_grid = p.backward(wide, grid, dy.astype('float64'))
        self.assertLess(off(back(dx), of_x), bound)
        self.assertLess(np.linalg.norm(dgrid - of_grid), 1e-4 * max(np.linalg.norm(of_grid), 1))
        alone = fade.grid_sample_gradient(turn(dy), turn(x), p.grid, of_grid=False, **more)
        self.assertIsNone(alone[1])
        np.testing.assert_array_equal(np.asarray(alone[0]), np.asarray(dx))

    def test_modes_and_types(self):
        for name in TYPES:
            for mode in ('linear', 'nearest'):
                for padding in ('zeros', 'border', 'reflection'):
                    p = Samples(drawn(2, 3), mode, padding, bool(drawn(0, 1)))
                    with self.subTest(name=name, mode=mode, padding=padding, aligned=p.aligned):
                        self.check(p, name, 'host')
                        self.check(p, name, 'host', first, last, layout='channels_first')

    def test_emulation(self):
        for device in EVERYWHERE[1:]:
            self.check(Samples(2, 'linear', 'border', False), 'float32', device)


class Refusals(unittest.TestCase):
    def test_sentences(self):
        x, grid, v = some(2, 6, 6, 4), some(2, 3, 3, 2), some(4)
        y, where = fade.max_pool(x, 2, return_indices=True)
        for argument, call in {
            'window': lambda: fade.max_pool(x, 0), 'stride': lambda: fade.avg_pool(x, 2, stride=0),
            'padding': lambda: fade.max_pool(x, 2, padding=[1, 1, 1]), 'pad.h': lambda: fade.max_pool(x, 2, padding=2),
            'layout': lambda: fade.avg_pool(x, 2, layout='nhwc'), 'out': lambda: fade.avg_pool(x, 2, out=poisoned(2, 2, 3, 4)),
            'x': lambda: fade.max_pool(x[0, 0], 2), 'dy': lambda: fade.max_pool_gradient(y, where, (9, 9), 2),
            'indices': lambda: fade.max_pool_gradient(y, where[:1], (6, 6), 2), 'types': lambda: fade.max_pool(x.astype('int32'), 2),
            'weight': lambda: fade.batch_norm(x, v[:3]), 'bias': lambda: fade.batch_norm(x, v, v.astype('float16')),
            'epsilon': lambda: fade.batch_norm(x, epsilon=-1), 'variance': lambda: fade.batch_norm_inference(x, v, None),
            'momentum': lambda: fade.batch_norm(x, momentum=2), 'mean': lambda: fade.batch_norm_gradient(x, x, None, v),
            'w': lambda: fade.fold_into_filter(v, v, v), 'sizes': lambda: fade.upsample(x, (3, 0)),
            'mode': lambda: fade.upsample(x, 3, mode='cubic'), 'align_corners': lambda: fade.upsample(x, 3, align_corners=True),
            'grid': lambda: fade.grid_sample(x, grid[:1]),
        }.items():
            with self.subTest(argument=argument), self.assertRaises(fade.Error) as caught:
                call()
            self.assertEqual(caught.exception.argument, argument)
        with self.assertRaises(fade.Error) as caught:
            fade.grid_sample(x, grid, padding='wrap')
        self.assertEqual(caught.exception.argument, 'padding')
        with self.assertRaises(fade.Error) as caught:
            fade.grid_sample_gradient(some(2, 3, 3, 4), x, grid, of_x=False, of_grid=False)
        self.assertEqual(caught.exception.argument, 'dx')


if __name__ == '__main__':
    unittest.main()
