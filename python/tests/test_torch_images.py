"""Operators over images of fade.torch and their gradients, beside those of torch.nn.functional.

FADE_TEST_DEVICE=cuda:0 runs them on a GPU of PyTorch.
"""
import os
import sys
import unittest

try:
    import torch
    torch.library.custom_op
except (ImportError, AttributeError):
    print('skipped: python-torch_images: no PyTorch of 2.4 or newer is here')
    sys.exit(77)
from common import SEED

import fade
import fade.torch

torch.manual_seed(SEED)
functional = torch.nn.functional
DEVICE = os.environ.get('FADE_TEST_DEVICE', 'cpu')


def off(out, reference):
    out, reference = out.detach().double(), reference.detach().double()
    return float((out - reference).norm() / reference.norm())


def randn(*shape):
    return torch.randn(*shape, device=DEVICE)


def points(*shape):
    """A grid whose points are no pixel's middle and not halfway between two."""
    return ((randn(*shape) * 4).round() + 0.3) / 9


class Images(unittest.TestCase):
    def setUp(self):
        self.x, self.weight, self.bias = (randn(*shape).requires_grad_() for shape in ((2, 3, 9, 7), (3,), (3,)))
        self.volume, self.grid, self.cloud = randn(1, 2, 5, 6, 4).requires_grad_(), points(2, 4, 5, 2).requires_grad_(), points(1, 3, 2, 4, 3).requires_grad_()

    def same(self, mine, theirs, *inputs):
        """Results and gradients of all inputs."""
        dy = randn(*theirs.shape)
        self.assertLess(off(mine, theirs), 2e-6)
        for got, wanted in zip(torch.autograd.grad(mine, inputs, dy), torch.autograd.grad(theirs, inputs, dy)):
            self.assertLess(off(got, wanted), 1e-5)

    def test_pooling(self):
        for window, stride, padding, dilation, up in ((3, 2, 1, 1, False), ((2, 3), None, 0, (1, 2), False), (3, 2, 0, 1, True)):
            more = dict(stride=stride, padding=padding, dilation=dilation, ceil_mode=up)
            self.same(fade.torch.max_pool(self.x, window, **more), functional.max_pool2d(self.x, window, **more), self.x)
            _, indices = fade.torch.max_pool(self.x, window, return_indices=True, **more)
            self.assertTrue(torch.equal(indices, functional.max_pool2d(self.x, window, return_indices=True, **more)[1].int()))
        more = dict(stride=3, ceil_mode=True)    # one window, which reaches beyond the image
        self.same(fade.torch.max_pool(self.x, (11, 9), **more), functional.max_pool2d(self.x, (11, 9), **more), self.x)
        self.same(fade.torch.avg_pool(self.x, (11, 9), **more), functional.avg_pool2d(self.x, (11, 9), **more), self.x)
        for pads in (True, False):
            more = dict(stride=2, padding=1, ceil_mode=True, count_include_pad=pads)
            self.same(fade.torch.avg_pool(self.x, (3, 2), **more), functional.avg_pool2d(self.x, (3, 2), **more), self.x)
            self.same(fade.torch.avg_pool(self.volume, 2, **more), functional.avg_pool3d(self.volume, 2, **more), self.volume)
        line = self.x[..., 0]
        self.same(fade.torch.max_pool(line, 2), functional.max_pool1d(line, 2), self.x)

    def test_batch_norm(self):
        for x in (self.x, randn(1, 3, 5, 6, 4).requires_grad_(), randn(4, 3, 11).requires_grad_()):
            self.same(fade.torch.batch_norm(x, self.weight, self.bias, epsilon=1e-3), functional.batch_norm(x, None, None, self.weight, self.bias, True, 0.1, 1e-3),
                      x, self.weight, self.bias)
        self.same(fade.torch.batch_norm(self.x), functional.batch_norm(self.x, None, None, training=True), self.x)

    def test_running_values(self):
        for x in (self.x, randn(1, 3, 5, 6, 4).requires_grad_()):
            kept = [torch.rand(3, device=DEVICE) + 0.1 for _ in range(2)]
            expected = [k.clone() for k in kept]
            for _ in range(2):
                mine = fade.torch.batch_norm(x, self.weight, self.bias, running_mean=kept[0], running_var=kept[1], momentum=0.3, epsilon=1e-3)
                self.same(mine, functional.batch_norm(x, *expected, self.weight, self.bias, True, 0.3, 1e-3), x, self.weight, self.bias)
                for now, wanted in zip(kept, expected):
                    self.assertLess(off(now, wanted), 2e-6)
            before = [k.clone() for k in kept]
            for weight, bias in ((self.weight, self.bias), (None, None)):
                self.same(fade.torch.batch_norm(x, weight, bias, running_mean=kept[0], running_var=kept[1], training=False, epsilon=1e-3),
                          functional.batch_norm(x, *kept, weight, bias, eps=1e-3), *(t for t in (x, weight, bias) if t is not None))
            self.assertTrue(all(map(torch.equal, kept, before)))

        def step(x, mean, var):
            return fade.torch.batch_norm(x, self.weight, running_mean=mean, running_var=var)
        compiled, again = torch.compile(step, fullgraph=True, backend='aot_eager' if DEVICE == 'cpu' else 'inductor'), [k.clone() for k in kept]
        self.same(compiled(self.x, *kept), step(self.x, *again), self.x, self.weight)
        self.assertTrue(all(map(torch.equal, kept, again)))
        for argument, more in (('running_var', {'running_mean': kept[0]}), ('running_mean', {'running_var': kept[1]}), ('running_mean', {'training': False}),
                               ('running_mean', {'running_mean': kept[0].clone().requires_grad_(), 'running_var': kept[1], 'training': False}),
                               ('running_var', {'running_mean': kept[0], 'running_var': kept[1].clone().requires_grad_()}),
                               ('running_var', {'running_mean': kept[0], 'running_var': kept[1][:2].clone(), 'training': False}),
                               ('running_mean', {'running_mean': kept[0][:2].clone(), 'running_var': kept[1]}),
                               ('running_var', {'running_mean': kept[0], 'running_var': kept[1].double()})):
            with self.assertRaises(fade.Error, msg=argument) as caught:
                fade.torch.batch_norm(self.x, **more)
            self.assertEqual(caught.exception.argument, argument)
        self.assertTrue(all(map(torch.equal, kept, again)))

    def test_other_sizes(self):
        for sizes in ((18, 14), (4, 11)):
            for mine, theirs in (('nearest', 'nearest'), ('nearest_exact', 'nearest-exact')):
                self.same(fade.torch.upsample(self.x, sizes, mode=mine), functional.interpolate(self.x, sizes, mode=theirs), self.x)
            for aligned in (False, True):
                self.same(fade.torch.upsample(self.x, sizes, mode='linear', align_corners=aligned),
                          functional.interpolate(self.x, sizes, mode='bilinear', align_corners=aligned), self.x)
        self.same(fade.torch.upsample(self.volume, 7, mode='linear'), functional.interpolate(self.volume, (7, 7, 7), mode='trilinear'), self.volume)

    def test_samples(self):
        for padding in ('zeros', 'border', 'reflection'):
            for aligned in (False, True):
                for x, grid in ((self.x, self.grid), (self.volume, self.cloud)):
                    more = dict(align_corners=aligned)
                    self.same(fade.torch.grid_sample(x, grid, padding=padding, **more), functional.grid_sample(x, grid, 'bilinear', padding, **more), x, grid)
                    self.same(fade.torch.grid_sample(x, grid, mode='nearest', padding=padding, **more), functional.grid_sample(x, grid, 'nearest', padding, **more), x)

    def test_opcheck(self):
        ops, x, taken = torch.ops.fade, self.x, ([3, 2], [2, 1], [1, 0])
        y, indices = ops.max_pool(x.detach(), *taken, [1, 2], True)
        normed, mean, root = ops.batch_norm(x.detach(), None, None, 1e-5)
        for operator, arguments in ((ops.max_pool, (x, *taken, [1, 2], True)), (ops.max_pool_gradient, (randn(*y.shape), indices, [9, 7], *taken, [1, 2], True)),
                                    (ops.avg_pool, (x, *taken, False, False)), (ops.avg_pool_gradient, (randn(2, 3, 5, 6), [9, 7], *taken, False, False)),
                                    (ops.batch_norm, (x, self.weight, self.bias, 1e-5)), (ops.batch_norm, (x, None, None, 1e-5)),
                                    (ops.batch_norm_running, (x, self.weight, None, torch.rand(3, device=DEVICE), torch.rand(3, device=DEVICE), 0.2, 1e-5)),
                                    (ops.batch_norm_inference, (x, mean, root, self.weight, None, 1e-5)),
                                    (ops.batch_norm_gradient, (randn(2, 3, 9, 7), x.detach(), mean, root, None)),
                                    (ops.upsample, (x, [4, 20], 'linear', True)), (ops.upsample_gradient, (randn(2, 3, 4, 20), [9, 7], 'nearest', False)),
                                    (ops.grid_sample, (x, self.grid, 'linear', 'reflection', False)),
                                    (ops.grid_sample_gradient, (randn(2, 3, 4, 5), x.detach(), self.grid.detach(), 'linear', 'zeros', True))):
            with self.subTest(operator=str(operator)):
                self.assertEqual(set(torch.library.opcheck(operator.default, arguments).values()), {'SUCCESS'})

    def test_compiled_whole(self):
        def block(x):
            return fade.torch.upsample(fade.torch.max_pool(fade.torch.batch_norm(x, self.weight, self.bias).relu(), 2), 12, mode='linear')
        compiled = torch.compile(block, fullgraph=True, backend='aot_eager' if DEVICE == 'cpu' else 'inductor')
        self.same(compiled(self.x), block(self.x), self.x, self.weight)


if __name__ == '__main__':
    unittest.main()
