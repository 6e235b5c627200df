"""fade.torch: operators under opcheck and torch.compile, gradients, and what sdpa_kernel() routes."""
import math
import sys
import unittest
from pathlib import Path

try:
    import torch
    torch.library.custom_op
except (ImportError, AttributeError):
    print('skipped: python-torch: no PyTorch of 2.4 or newer is here')
    sys.exit(77)
from common import SEED, attention

import fade
import fade.torch

torch.manual_seed(SEED)
functional = torch.nn.functional


def off(out, reference):
    return float((out.double() - reference.double()).norm() / reference.double().norm())


def heads(*shape, dtype=torch.float32):
    """[batch, heads, positions, dim]."""
    return torch.randn(*shape).to(dtype)


class Functions(unittest.TestCase):
    def test_tensors_as_they_lie(self):
        for dtype, bound in ((torch.float32, 2e-6), (torch.float16, 2e-3), (torch.bfloat16, 1.5e-2)):
            q, k, v = heads(2, 4, 9, 32, dtype=dtype), heads(2, 2, 17, 32, dtype=dtype), heads(2, 2, 17, 32, dtype=dtype)
            wanted = functional.scaled_dot_product_attention(q.double(), k.double(), v.double(), enable_gqa=True)
            o = fade.attention(*(t.transpose(1, 2) for t in (q, k, v)))
            self.assertEqual(o.dtype, dtype)
            self.assertLess(off(o.transpose(1, 2), wanted), bound)
            a, b = torch.randn(5, 40).to(dtype), torch.randn(7, 40).to(dtype)
            self.assertLess(off(fade.gemm(a, b.t()), a.double() @ b.double().t()), bound)

    def test_no_gradient_is_lost_silently(self):
        x = torch.randn(3, 4, requires_grad=True)
        for call in (lambda: fade.softmax(x), lambda: fade.gemm(x, torch.randn(4, 2))):
            with self.assertRaises(fade.Error) as caught:
                call()
            self.assertEqual(caught.exception.argument, 'requires_grad')
        with torch.no_grad():
            fade.softmax(x)


class Operators(unittest.TestCase):
    def test_opcheck(self):
        q = heads(2, 9, 4, 16)
        a, x = torch.randn(3, 5), torch.randn(3, 5, requires_grad=True)
        for operator, arguments in ((torch.ops.fade.attention.default, (q, q, q, None, 'top-left', -1, -1, 0.0, 0.0, 0.0, 0)),
                                    (torch.ops.fade.attention.default, (q.transpose(1, 2), q.transpose(1, 2), heads(2, 4, 9, 8), None, '', 3, 2, 0.5, 0.0, 0.0, 0)),
                                    (torch.ops.fade.gemm.default, (a, torch.randn(5, 4), torch.randn(4), 'gelu')),
                                    (torch.ops.fade.rms_norm.default, (x, torch.randn(5, requires_grad=True), 1e-5)),
                                    (torch.ops.fade.softmax.default, (x, True)),
                                    (torch.ops.fade.softmax_gradient.default, (a, a, False))):
            with self.subTest(operator=str(operator)):
                found = torch.library.opcheck(operator, arguments)
                self.assertEqual(set(found.values()), {'SUCCESS'})

    def test_compiled_whole(self):
        def model(x, w, q):
            h = fade.torch.gemm(fade.torch.rms_norm(x), w, activation='relu')
            return h + 1, fade.torch.attention(q, q, q, causal='bottom-right')
        compiled = torch.compile(model, fullgraph=True, backend='aot_eager')
        x, w, q = torch.randn(4, 6), torch.randn(6, 3), heads(1, 5, 2, 8)
        with torch.no_grad():
            for got, wanted in zip(compiled(x, w, q), model(x, w, q)):
                torch.testing.assert_close(got, wanted)

    def test_exported(self):
        class Model(torch.nn.Module):
            def forward(self, a, b):
                return fade.torch.gemm(a, b) * 2
        a, b = torch.randn(4, 6), torch.randn(6, 3)
        program = torch.export.export(Model(), (a, b))
        self.assertIn('fade.gemm', str(program.graph))
        torch.testing.assert_close(program.module()(a, b), a @ b * 2)

    def test_gradients(self):
        x, w, dy = torch.randn(4, 6, requires_grad=True), torch.randn(6, requires_grad=True), torch.randn(4, 6)
        for mine, theirs in ((fade.torch.rms_norm(x, w), functional.rms_norm(x, (6,), w, 1e-5)),
                             (fade.torch.softmax(x), functional.softmax(x, -1)), (fade.torch.log_softmax(x), functional.log_softmax(x, -1))):
            inputs = [t for t in (x, w) if t is x or mine.grad_fn.name().lower().find('norm') >= 0]
            for got, wanted in zip(torch.autograd.grad(mine, inputs, dy), torch.autograd.grad(theirs, inputs, dy)):
                self.assertLess(off(got, wanted), 1e-5)

    def test_attention_refuses_or_computes_gradients(self):
        q, k = heads(1, 5, 4, 8).requires_grad_(), heads(1, 7, 2, 8)
        with self.assertRaises(fade.Error):
            fade.torch.attention(q, k, k)
        for causal in (None, 'bottom-right', 'top-left'):
            o = fade.torch.attention(q, k, k, causal=causal, backward='math')
            with torch.no_grad():
                self.assertLess(off(o, fade.torch.attention(q, k, k, causal=causal)), 2e-6)
            self.assertGreater(float(torch.autograd.grad(o.sum(), q)[0].norm()), 0)
        with self.assertRaises(fade.Error):
            fade.torch.attention(q, k, k, window=(2, 2), backward='math')


class Routed(unittest.TestCase):
    def test_operators_refuse_backward(self):
        q, a = torch.randn(1, 3, 2, 16, requires_grad=True), torch.randn(3, 4, requires_grad=True)
        for out in (torch.ops.fade.attention(q, q, q, None, '', -1, -1, 0.0, 0.0, 0.0, 0)[0], torch.ops.fade.gemm(a, torch.randn(4, 5), None, '')):
            self.assertTrue(out.requires_grad)
            with self.assertRaises(fade.Error) as caught:
                out.sum().backward()
            self.assertEqual(caught.exception.argument, 'requires_grad')

    def test_what_is_taken_and_what_is_left(self):
        q, k, v = heads(2, 4, 9, 16), heads(2, 2, 17, 16), heads(2, 2, 17, 16)
        seen = torch.rand(2, 1, 9, 17) > 0.3
        added = torch.randn(9, 17)
        cases = ({}, {'attn_mask': seen}, {'attn_mask': added}, {'is_causal': True}, {'scale': 0.2})
        with torch.no_grad():
            plain = [functional.scaled_dot_product_attention(q, k, v, enable_gqa=True, **more) for more in cases]
            original = functional.scaled_dot_product_attention
            with fade.torch.sdpa_kernel() as said:
                for more, wanted in zip(cases, plain):
                    self.assertLess(off(functional.scaled_dot_product_attention(q, k, v, enable_gqa=True, **more), wanted), 2e-6)
                self.assertEqual((said.taken, sum(said.left.values())), (len(cases), 0))
                functional.scaled_dot_product_attention(q.double(), k.double(), v.double(), enable_gqa=True)
                functional.scaled_dot_product_attention(q, k, v, dropout_p=0.5, enable_gqa=True)
        with fade.torch.sdpa_kernel() as again:
            x = q.requires_grad_()
            functional.scaled_dot_product_attention(x, k, v, enable_gqa=True).sum().backward()
        self.assertIs(functional.scaled_dot_product_attention, original)
        self.assertEqual(set(said.left), {'type float64', 'dropout takes its random numbers from PyTorch'})
        self.assertEqual(again.taken, 0)
        self.assertIn('no backward pass', repr(again))

    def test_a_small_transformer_has_the_same_logits(self):
        class Block(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.qkv, self.out = torch.nn.Linear(64, 192), torch.nn.Linear(64, 64)

            def forward(self, x):
                q, k, v = (t.reshape(*x.shape[:2], 4, 16).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
                return x + self.out(functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        model = torch.nn.Sequential(torch.nn.Embedding(100, 64), *(Block() for _ in range(3)), torch.nn.Linear(64, 100))
        tokens = torch.randint(100, (2, 37))
        with torch.no_grad():
            wanted = model(tokens)
            with fade.torch.sdpa_kernel() as said:
                logits = model(tokens)
        self.assertEqual((said.taken, dict(said.left)), (3, {}))
        self.assertLess(off(logits, wanted), 1e-5)
        self.assertTrue(math.isfinite(float(logits.sum())))


class Page(unittest.TestCase):
    @torch.no_grad()
    def test_a_step_of_a_server(self):
        page = (Path(__file__).resolve().parents[2] / 'docs' / 'python.md').read_text()
        program = page.split('```python\n')[2].partition('```')[0]
        pages, cache = torch.randn(2, 12, 16, 2, 32), torch.randn(64, 32)
        table = torch.tensor([[3, 1, -1], [5, 7, 2], [0, -1, -1]], dtype=torch.int32)
        cos, sin = (t.contiguous() for t in cache.chunk(2, -1))
        names = dict(fade=fade, key_pages=pages[0], value_pages=pages[1], table=table, cos=cos, sin=sin, longest=7, q=torch.randn(9, 4, 32),
                     k=torch.randn(9, 2, 32), v=torch.randn(9, 2, 32), held=torch.tensor([9, 30, 0], dtype=torch.int32),
                     starts=torch.tensor([0, 1, 2, 9], dtype=torch.int32))
        new_k, new_v = names['k'], names['v']
        exec(program, names)
        for n, first, last, rows in ((10, 0, 1, [3]), (31, 1, 2, [5, 7]), (7, 2, 9, [0])):
            k, v = (torch.cat([t[r] for r in rows])[None, :n] for t in pages)
            self.assertTrue(torch.equal(v[0, n - (last - first):], new_v[first:last]))
            self.assertFalse(torch.equal(k[0, n - (last - first):], new_k[first:last]))           # turned
            wanted = torch.from_numpy(attention(names['q'][first:last][None], k, v, causal='bottom-right'))
            self.assertLess(off(names['o'][first:last][None], wanted), 1e-5)


if __name__ == '__main__':
    unittest.main()
