"""Products of fade.torch: quantised weights, scales of blocks, groups, mixtures of experts as operators; lists of matrices.

FADE_TEST_DEVICE=cuda:0 runs them on a GPU of PyTorch.
"""
import math
import os
import sys
import unittest

try:
    import torch
    torch.library.custom_op
except (ImportError, AttributeError):
    print('skipped: python-torch_products: no PyTorch of 2.4 or newer is here')
    sys.exit(77)
from common import SEED

import fade
import fade.torch

torch.manual_seed(SEED)
DEVICE = os.environ.get('FADE_TEST_DEVICE', 'cpu')


def off(out, reference):
    return float((out.double() - reference.double()).norm() / reference.double().norm())


def randn(*shape):
    return torch.randn(*shape, device=DEVICE)


def whole(*numbers):
    return torch.tensor(numbers, dtype=torch.int32, device=DEVICE)


class Operators(unittest.TestCase):
    def setUp(self):
        rows, experts, n, k = 6, 3, 16, 128
        self.x, self.logits, self.ends = randn(rows, k), randn(rows, experts), whole(2, 2, 6)
        self.up, self.choices = randn(experts, k, n) / k ** 0.5, whole(*range(12)).reshape(rows, 2) % experts
        self.slots, self.weights = whole(*range(11, -1, -1)).reshape(rows, 2), torch.rand(rows, 2, device=DEVICE)
        self.bytes, self.row_scales = torch.randint(-128, 128, (n, k), device=DEVICE).to(torch.int8), torch.rand(n, device=DEVICE) / 100
        words = lambda *shape: torch.randint(-2**31, 2**31, shape, device=DEVICE, dtype=torch.int64).int()
        self.gptq = words(k // 8, n), torch.rand(1, n, device=DEVICE).half() / 100, words(1, n // 8)
        self.in_groups = self.gptq[0], torch.rand(4, n, device=DEVICE).half() / 100, words(4, n // 8)
        self.eight = self.x.to(torch.float8_e4m3fn), (4 * randn(n, k)).to(torch.float8_e4m3fn).t(), torch.rand(rows, 1, device=DEVICE), torch.rand(1, 1, device=DEVICE)

    def test_opcheck(self):
        ops, half = torch.ops.fade, self.x.half()
        for operator, arguments in ((ops.weight_gemm, (half, *self.gptq)),
                                    (ops.weight_gemm, (half, self.bytes, self.row_scales, None, randn(16).half(), 'int8', 0.5, 'relu')),
                                    (ops.weight_gemm, (half, *self.in_groups, randn(16).half(), 'gptq', 1.0, 'swiglu', 32)),
                                    (ops.batched_gemm, ([self.x, half.float()], [self.up[0], self.up[2]], randn(2, 16), 0.5, 'geglu')),
                                    (ops.batched_gemm, ([self.x.clone().requires_grad_()], [self.up[0]], None, 1.0, '')),
                                    (ops.scaled_gemm, (*self.eight, randn(16).bfloat16(), 'silu')),
                                    (ops.scaled_gemm, (*self.eight, randn(16).bfloat16(), 'swiglu')),
                                    (ops.grouped_gemm, (self.x, self.up, self.ends, None, randn(3, 16))),
                                    (ops.grouped_gemm, (half, self.up.half(), whole(3, 4, 8), whole(5, 0, 1, 1, 2, 3, 4, 5), None, 'swiglu')),
                                    (ops.grouped_gemm, (self.x.clone().requires_grad_(), self.up, self.ends, whole(5, 0, 1, 1, 2, 3))),
                                    (ops.grouped_k_gemm, (self.x, self.x[:, :5].clone().requires_grad_(), self.ends)),
                                    (ops.grouped_weight_gemm, (half, *[torch.stack([t] * 3) for t in self.in_groups], self.ends, whole(5, 0, 1, 1, 2, 3),
                                                               randn(3, 16).half(), 'gptq', 0.5, 'swiglu', 32)),
                                    (ops.moe_route, (self.logits, 2, 'sigmoid', False, 1.5)), (ops.moe_dispatch, (self.choices, 3)),
                                    (ops.moe_combine, (randn(12, 5), self.slots, self.weights)), (ops.moe_combine, (randn(12, 5), self.slots))):
            # Of 8-bit floats PyTorch itself cannot say whether an input was written.
            more = {'test_utils': ('test_faketensor', 'test_autograd_registration')} if operator is ops.scaled_gemm else {}
            with self.subTest(operator=str(operator)):
                self.assertEqual(set(torch.library.opcheck(operator.default, arguments, **more).values()), {'SUCCESS'})

    @torch.no_grad()
    def test_a_mixture_compiled_whole(self):
        down = randn(3, 8, 128) / 8 ** 0.5

        def mixture(x, logits):
            choices, weights = fade.torch.moe_route(logits, 2)
            ends, row_list, slots = fade.torch.moe_dispatch(choices, 3)
            inner = fade.torch.grouped_gemm(x, self.up, ends, row_list=row_list, activation='swiglu')
            return fade.torch.moe_combine(fade.torch.grouped_gemm(inner, down, ends), slots, weights)
        compiled = torch.compile(mixture, fullgraph=True, backend='aot_eager' if DEVICE == 'cpu' else 'inductor')
        largest, chosen = torch.softmax(self.logits.double(), -1).topk(2)
        h = torch.einsum('tk,ekn->ten', self.x.double(), self.up.double())
        y = torch.einsum('ten,enk->tek', torch.nn.functional.silu(h[..., ::2]) * h[..., 1::2], down.double())
        wanted = (y.gather(1, chosen[..., None].expand(-1, -1, 128)) * (largest / largest.sum(-1, keepdim=True))[..., None]).sum(1)
        for run in (mixture, compiled):
            self.assertLess(off(run(self.x, self.logits), wanted), 1e-5)

    @torch.no_grad()
    def test_weights_and_scales(self):
        d = fade.torch.weight_gemm(self.x.half(), self.bytes, self.row_scales, format='int8', alpha=0.5, activation='relu')
        self.assertLess(off(d, (0.5 * self.x.half().double() @ (self.bytes.double() * self.row_scales.double()[:, None]).t()).relu()), 1.5e-3)
        a, b, scale_a, scale_b = self.eight
        d = fade.torch.scaled_gemm(*self.eight)
        self.assertEqual(d.dtype, torch.bfloat16)
        self.assertLess(off(d, (a.double() * scale_a.double()) @ (b.double() * scale_b.double())), 1.2e-2)

    def test_gradients_of_lists(self):
        a, b, bias = [randn(5, 9).requires_grad_() for _ in range(3)], [randn(4, 9).t().requires_grad_() for _ in range(2)], randn(3, 4).requires_grad_()
        named = [b[0], b[1], b[0]]                              # a matrix may be named twice
        mine = fade.torch.batched_gemm(a, named, batch_bias=bias, alpha=0.5)
        theirs = torch.stack([0.5 * x @ y for x, y in zip(a, named)]) + bias[:, None]
        self.assertLess(off(mine, theirs), 2e-6)
        dy, inputs = randn(3, 5, 4), (*a, *b, bias)
        for got, wanted in zip(torch.autograd.grad(mine, inputs, dy), torch.autograd.grad(theirs, inputs, dy)):
            self.assertLess(off(got, wanted), 1e-5)
        compiled = torch.compile(lambda: fade.torch.batched_gemm(a, named, activation='relu'), fullgraph=True, backend='aot_eager')
        with torch.no_grad():
            self.assertLess(off(compiled(), torch.stack([x @ y for x, y in zip(a, named)]).relu()), 2e-6)
        for argument, call in (('activation', lambda: fade.torch.batched_gemm(a, named, activation='relu').sum().backward()),
                               ('b', lambda: fade.torch.batched_gemm(a, b)), ('a', lambda: fade.torch.batched_gemm([], []))):
            with self.assertRaises(fade.Error) as caught:
                call()
            self.assertEqual(caught.exception.argument, argument)

    def test_gradients_of_groups(self):
        for dtype, bound in ((torch.float32, 1e-5), (torch.bfloat16, 1.2e-2)):
            rows = whole(5, 0, 1, 1, 2, 3, 10**6)                   # the last one is no group's
            for row_list in (None, rows):
                a, up, bias = randn(6 if row_list is not None else 7, 128).to(dtype), self.up.to(dtype), randn(3, 16).to(dtype)
                inputs = [t.requires_grad_() for t in (a, up, bias)]
                mine = fade.torch.grouped_gemm(a, up, self.ends, row_list=row_list, batch_bias=bias)[:6]
                theirs, begin = [], 0
                double = [t.detach().double().requires_grad_() for t in inputs]
                listed = double[0] if row_list is None else double[0][rows[:6].long()]
                for g, end in enumerate(self.ends.tolist()):
                    theirs.append(listed[begin:end] @ double[1][g] + double[2][g])
                    begin = end
                theirs, dy = torch.cat(theirs), randn(6, 16).to(dtype)
                self.assertLess(off(mine.detach(), theirs.detach()), bound)
                for got, wanted in zip(torch.autograd.grad(mine, inputs, dy), torch.autograd.grad(theirs, double, dy.double())):
                    self.assertEqual(got.dtype, dtype)
                    self.assertLess(off(got, wanted), bound)
        x, ends = randn(7, 8).requires_grad_(), whole(3, 3, 6)      # and of these, where a row is no group's
        squares = lambda: fade.torch.grouped_k_gemm(x, x, ends).square().sum()
        loose = x.detach().double().requires_grad_()
        loss = (loose[:3].t() @ loose[:3]).square().sum() + (loose[3:6].t() @ loose[3:6]).square().sum()
        wanted, = torch.autograd.grad(loss, loose)
        for run in (squares, torch.compile(squares, fullgraph=True, backend='aot_eager')):
            self.assertLess(off(torch.autograd.grad(run(), x)[0], wanted), 1e-5)
        with self.assertRaises(fade.Error) as caught:
            fade.torch.grouped_gemm(randn(6, 128).requires_grad_(), self.up, self.ends, activation='relu').sum().backward()
        self.assertEqual(caught.exception.argument, 'activation')

    @torch.no_grad()
    def test_quantised_experts(self):
        half, packed = self.x.half(), [torch.stack([t, t, t]) for t in (self.bytes, self.row_scales)]
        packed[1] *= torch.arange(1, 4, device=DEVICE)[:, None]
        d = fade.torch.grouped_weight_gemm(half, *packed, ends=self.ends, format='int8', activation='relu')
        factors = whole(1, 1, 3, 3, 3, 3)[:, None]
        self.assertLess(off(d, (half.double() @ (self.bytes.double() * self.row_scales.double()[:, None]).t() * factors).relu()), 1.5e-3)

    def test_gradients_are_refused(self):
        with self.assertRaises(fade.Error) as caught:
            fade.torch.moe_combine(self.x.requires_grad_(), self.slots)
        self.assertEqual(caught.exception.argument, 'requires_grad')


class Lists(unittest.TestCase):
    """Matrices of PyTorch by tables of pointers."""

    @torch.no_grad()
    def test_products(self):
        for dtype, bound in ((torch.float32, 2e-6), (torch.float16, 2e-3)):
            for m, k, n in ((5, 40, 14), (300, 256, 512)):
                a, b = [randn(m, k).to(dtype) for _ in range(5)], [randn(n, k).to(dtype).t() for _ in range(2)]
                b, c, bias = [b[i] for i in (0, 1, 1, 0, 1)], [randn(m, n).to(dtype) for _ in a], randn(5, n).to(dtype)
                wanted = torch.stack([x.double() @ y.double() + z.double() for x, y, z in zip(a, b, c)]) + bias[:, None].double()
                d = fade.batched_gemm(a, b, c=c, epilogue=[('batch_bias', bias)])
                self.assertLess(off(torch.stack(d), wanted), bound)
                self.assertEqual(d[0].dtype, dtype)
                self.assertIs(fade.batched_gemm(a, b, c=c, epilogue=[('batch_bias', bias)], out=c, check_pointers=True), c)
                self.assertLess(off(torch.stack(c), wanted), bound)

    def test_refusals(self):
        a, b, out = [randn(4, 8) for _ in range(2)], [randn(8, 3) for _ in range(2)], [torch.full((4, 3), math.nan, device=DEVICE) for _ in range(2)]
        for argument, changed in [('requires_grad', {'a': [a[0], a[1].clone().requires_grad_()]}), ('d[1]', {'out': [out[0]] * 2, 'check_pointers': True}),
                                  ('a[1]', {'a': [a[0], a[1].half()]})] + [('a[1]', {'a': [a[0], a[1].cpu()]})] * (DEVICE != 'cpu'):
            with self.assertRaises(fade.Error) as caught:
                fade.batched_gemm(**{'a': a, 'b': b, 'out': out} | changed)
            self.assertEqual(caught.exception.argument, argument)
        self.assertTrue(torch.stack(out).isnan().all())


if __name__ == '__main__':
    unittest.main()
