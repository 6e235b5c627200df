"""fade.torch: operators under opcheck and torch.compile, gradients, captured graphs, and what sdpa_kernel() routes.

FADE_TEST_DEVICE=cuda:0 runs them on a GPU of PyTorch.
"""
import copy
import inspect
import io
import math
import os
import pickle
import sys
import threading
import unittest
from pathlib import Path

try:
    import torch
    torch.library.custom_op
except (ImportError, AttributeError):
    print('skipped: python-torch: no PyTorch of 2.4 or newer is here')
    sys.exit(77)
from common import SEED, attention
from torch._subclasses import FakeTensorMode

import fade
import fade.torch

torch.manual_seed(SEED)
functional = torch.nn.functional
DEVICE = os.environ.get('FADE_TEST_DEVICE', 'cpu')
with_grouped_heads = unittest.skipIf(torch.__version__.startswith('2.4.'), 'PyTorch 2.4 has no enable_gqa')
with_eight_bits = unittest.skipUnless(hasattr(torch.Tensor, '__dlpack_c_exchange_api__'), 'the DLPack of this PyTorch has no 8-bit floats')


def off(out, reference):
    return float((out.double() - reference.double()).norm() / reference.double().norm())


def randn(*shape, **more):
    return torch.randn(*shape, device=DEVICE, **more)


def heads(*shape, dtype=torch.float32):
    """[batch, heads, positions, dim]."""
    return randn(*shape).to(dtype)


class Functions(unittest.TestCase):
    @with_grouped_heads
    def test_tensors_as_they_lie(self):
        for dtype, bound in ((torch.float32, 2e-6), (torch.float16, 2e-3), (torch.bfloat16, 1.5e-2)):
            q, k, v = heads(2, 4, 9, 32, dtype=dtype), heads(2, 2, 17, 32, dtype=dtype), heads(2, 2, 17, 32, dtype=dtype)
            wanted = functional.scaled_dot_product_attention(q.double(), k.double(), v.double(), enable_gqa=True)
            o = fade.attention(*(t.transpose(1, 2) for t in (q, k, v)))
            self.assertEqual(o.dtype, dtype)
            self.assertLess(off(o.transpose(1, 2), wanted), bound)
            a, b = randn(5, 40).to(dtype), randn(7, 40).to(dtype)
            self.assertLess(off(fade.gemm(a, b.t()), a.double() @ b.double().t()), bound)

    @torch.no_grad()
    def test_quick_calls_are_the_others(self):
        """What the extension answers by itself, as the function in Python does."""
        slow, operator = fade.attention.__wrapped__, torch.ops.fade.attention
        q, k, v, bias = randn(2, 9, 4, 32), randn(2, 17, 2, 32), randn(2, 17, 2, 16), randn(2, 4, 9, 17)
        for more in ({}, {'causal': 'top-left'}, {'causal': 'bottom-right', 'scale': 0.3}, {'scale': 1}, {'bias': bias, 'causal': None}, {'out': randn(2, 9, 4, 16)},
                     {'window': (3, -1)}, {'softcap': 2.0}):
            made = fade.attention(q, k, v, **more)
            self.assertTrue(torch.equal(made, slow(q, k, v, **more)))
            self.assertIs(made if 'out' in more else None, more.get('out'))
        for more in ({}, {'causal': 'bottom-right', 'bias': bias}, {'out': randn(2, 9, 4, 16), 'scale': 0.3}, {'window': (3, -1)}):
            made, wanted = (f(q, k, v, return_lse=True, **more) for f in (fade.attention, slow))
            self.assertTrue(isinstance(made, tuple) and all(torch.equal(a, b) for a, b in zip(made, wanted, strict=True)))
            self.assertEqual((made[1].shape, made[1].dtype), ((2, 4, 9), torch.float32))
            self.assertIs(made[0] if 'out' in more else None, more.get('out'))
        self.assertTrue(torch.equal(fade.attention(q, k, v, return_lse=False), slow(q, k, v)))
        for rules in ((bias,), (None, ''), (bias, 'bottom-right'), (None, 'top-left', 3)):
            self.assertTrue(torch.equal(operator(q, k, v, *rules), slow(q, k, v, bias=rules[0], causal=(rules[1:] or (None,))[0] or None, window=(*rules[2:], -1, -1)[:2])))
        self.assertTrue(torch.equal(fade.attention(torch.nn.Parameter(q), k, v), slow(q, k, v)))
        in_thread = []
        thread = threading.Thread(target=lambda: in_thread.extend(fade.attention(q, k, v) for _ in range(2)))
        thread.start(), thread.join()
        self.assertTrue(len(in_thread) == 2 and all(torch.equal(o, slow(q, k, v)) for o in in_thread))
        for argument, call in (('causal', lambda: fade.attention(q, k, v, causal='left')), ('causal', lambda: operator(q, k, v, None, 'left')),
                               ('k', lambda: fade.attention(q, k[..., :8], v)), ('k', lambda: operator(q, k[..., :8], v)), ('out', lambda: fade.attention(q, k, v, out=q))):
            with self.assertRaises(fade.Error) as caught:
                call()
            self.assertEqual(caught.exception.argument, argument)
        for wrong in (lambda: fade.attention(q, k), lambda: fade.attention(q, k, v, bias), lambda: fade.attention(q, k, v, wrong=1)):
            self.assertRaises(TypeError, wrong)
        with torch.enable_grad(), self.assertRaises(fade.Error) as caught:
            fade.attention(q, k, v.clone().requires_grad_())
        self.assertEqual(caught.exception.argument, 'requires_grad')
        self.assertEqual(inspect.signature(fade.attention), inspect.signature(slow))
        self.assertEqual((fade.attention.__name__, fade.attention.__doc__), ('attention', slow.__doc__))

    @torch.no_grad()
    def test_results_are_as_those_of_empty_like(self):
        """Memory that PyTorch's dispatcher did not make."""
        for q in (randn(2, 9, 4, 32), randn(2, 4, 9, 32).transpose(1, 2), randn(1, 1, 1, 8), randn(0, 9, 4, 32), randn(3, 9, 4, 32)[1:2]):
            o, like = fade.attention(q, q, q), torch.empty_like(q)
            self.assertEqual((o.shape, o.dtype, o.device, o.requires_grad, o.is_inference()), (like.shape, like.dtype, like.device, False, False))
            self.assertEqual(o.is_contiguous(), like.is_contiguous())
            self.assertEqual(o.untyped_storage().nbytes(), like.untyped_storage().nbytes())
        with torch.inference_mode():
            self.assertTrue(fade.attention(q, q, q).is_inference())

    @torch.no_grad()
    def test_what_is_watched_goes_through_the_dispatcher(self):
        """torch.ops.fade.attention is answered before PyTorch's dispatcher where nobody would see it there."""
        q, operator = randn(2, 9, 4, 32), torch.ops.fade.attention
        wanted, seen = operator.default(q, q, q), []

        class Calls(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, f, types, arguments=(), named=None):
                seen.append(str(f))
                return f(*arguments, **named or {})

        class Dispatched(torch.utils._python_dispatch.TorchDispatchMode):
            def __torch_dispatch__(self, f, types, arguments=(), named=None):
                seen.append(str(f))
                return f(*arguments, **named or {})

        for mode in Calls(), Dispatched():
            seen.clear()
            with mode:
                self.assertTrue(torch.equal(operator(q, q, q), wanted))
            self.assertTrue(any('fade.attention' in name for name in seen), seen)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            operator(q, q, q)
        self.assertIn('fade::attention', {event.key for event in profile.key_averages()})
        traced = torch.jit.trace(lambda x: operator(x, x, x), q, check_trace=False)
        self.assertIn('fade::attention', str(traced.graph))
        both = torch.func.vmap(lambda x: operator(x, x, x))(torch.stack([q, 2 * q]))
        self.assertTrue(torch.equal(both, torch.stack([wanted, operator(2 * q, 2 * q, 2 * q)])))
        with torch.enable_grad(), self.assertRaises(fade.Error):
            operator(q.clone().requires_grad_(), q, q).sum().backward()

    def test_gates(self):
        for dtype, bound in ((torch.float32, 2e-6), (torch.float16, 2e-3), (torch.bfloat16, 1.5e-2)):
            for m, k, n in ((5, 40, 14), (300, 256, 512)):
                a, b, before = randn(m, k).to(dtype), randn(k, n).to(dtype) / k ** 0.5, randn(n).to(dtype)
                behind, out = randn(m, n // 2).to(dtype), torch.full((m, n // 2), math.nan, device=DEVICE, dtype=dtype)
                x = a.double() @ b.double() + before.double()
                for name, f in (('swiglu', functional.silu), ('geglu', functional.gelu), ('geglu_tanh', lambda x: functional.gelu(x, approximate='tanh'))):
                    gated = lambda x: f(x[:, ::2]) * x[:, 1::2]
                    self.assertLess(off(fade.gemm(a, b, epilogue=[name], out=out), gated(x - before.double())), bound)
                    stages = [('bias', before), name, ('residual', behind)]
                    self.assertLess(off(fade.gemm(a, b, epilogue=stages, out=out), gated(x) + behind.double()), bound)
        if DEVICE != 'cpu':
            with self.assertRaisesRegex(fade.Error, 'f32, f16 and bf16'):
                fade.gemm(a.double(), b.double(), epilogue=['swiglu'])

    def test_weights_of_4_bits(self):
        shifts = torch.arange(0, 32, 4, device=DEVICE)
        nibbles = lambda words: words.unsqueeze(-1).long() >> shifts & 15
        words = lambda *shape: torch.randint(-2**31, 2**31, shape, device=DEVICE, dtype=torch.int64).to(torch.int32)
        per_group = lambda t: t.double().repeat_interleave(128, 0)
        for dtype, bound in ((torch.float16, 2e-3), (torch.bfloat16, 1.5e-2)):
            for m, n, k in ((1, 64, 256), (33, 264, 384), (300, 512, 1024)):
                a, q, z = randn(m, k).to(dtype), words(k // 8, n), words(k // 128, n // 8)
                scales = (0.01 * randn(k // 128, n).abs() + 0.001).half()
                elements = nibbles(q).transpose(1, 2).reshape(k, n)
                zeros = nibbles(z).reshape(k // 128, n) + 1
                wanted = a.double() @ (per_group(scales) * (elements - per_group(zeros)))
                out = torch.full((m, n), math.nan, device=DEVICE, dtype=dtype)
                self.assertLess(off(fade.weight_gemm(a, q, scales, z, out=out), wanted), bound)

    @with_eight_bits
    def test_scales_of_blocks(self):
        for m, n, k in ((1, 128, 128), (40, 200, 400), (300, 520, 1040)):
            a, w = randn(m, k).to(torch.float8_e4m3fn), randn(n, k).to(torch.float8_e4m3fn)
            parts = -(-k // 128)
            scale_a, scale_b = randn(parts, m).exp2().t(), randn(-(-n // 128), parts).exp2()
            spread = lambda s, lines, per: s.double().repeat_interleave(per, 0)[:lines].repeat_interleave(128, 1)[:, :k]
            wanted = (a.double() * spread(scale_a, m, 1)) @ (w.double() * spread(scale_b, n, 128)).t()
            out = torch.full((m, n), math.nan, device=DEVICE, dtype=torch.bfloat16)
            self.assertLess(off(fade.scaled_gemm(a, w.t(), scale_a, scale_b, out=out), wanted), 1.5e-2)

    def test_steps_of_optimizers(self):
        """Beside PyTorch's own, whose SGD and AdamW have the same formulas."""
        rules = ((lambda p: torch.optim.SGD([p], lr=0.1, momentum=0.9, weight_decay=0.01, nesterov=True), 1),
                 (lambda p: torch.optim.AdamW([p], lr=0.1, betas=(0.8, 0.9), eps=1e-6, weight_decay=0.1), 2))
        for make, states in rules:
            parameter = torch.nn.Parameter(randn(37, 129))
            master, copy = parameter.detach().clone(), torch.full((37, 129), math.nan, device=DEVICE, dtype=torch.bfloat16)
            state = [torch.zeros_like(master) for _ in range(states)]
            theirs = make(parameter)
            for step in range(1, 4):
                parameter.grad = randn(37, 129)
                theirs.step()
                gradient, found = 8 * parameter.grad, fade.find_nonfinite(parameter.grad)
                if states == 1:
                    fade.sgd_step(gradient, master, *state, rate=0.1, momentum=0.9, weight_decay=0.01, nesterov=True, loss_scale=8,
                                  copy=copy, nonfinite=found)
                else:
                    fade.adamw_step(gradient, master, *state, step=step, rate=0.1, beta1=0.8, beta2=0.9, epsilon=1e-6, weight_decay=0.1,
                                    loss_scale=8, copy=copy, nonfinite=found)
            self.assertLess(off(master, parameter.detach()), 1e-6)
            self.assertTrue((copy == master.bfloat16()).all())

    def test_no_gradient_is_lost_silently(self):
        x = randn(3, 4, requires_grad=True)
        for call in (lambda: fade.softmax(x), lambda: fade.gemm(x, randn(4, 2))):
            with self.assertRaises(fade.Error) as caught:
                call()
            self.assertEqual(caught.exception.argument, 'requires_grad')
        with torch.no_grad():
            fade.softmax(x)


class Operators(unittest.TestCase):
    def test_opcheck(self):
        q = heads(2, 9, 4, 16)
        a, x = randn(3, 5), randn(3, 5, requires_grad=True)
        labels, tables = torch.tensor([1, 4, 2], dtype=torch.int32, device=DEVICE), (randn(20, 4), randn(20, 4))
        image, filters = randn(2, 4, 9, 7, requires_grad=True), randn(6, 2, 3, 2, requires_grad=True)
        how = ([2, 2], [1, 0], [1, 2], 2)
        for operator, arguments in ((torch.ops.fade.attention.default, (q, q, q, None, 'top-left', -1, -1, 0.0, 0.0, 0.0, 0)),
                                    (torch.ops.fade.attention.default, (q.transpose(1, 2), q.transpose(1, 2), heads(2, 4, 9, 8), None, '', 3, 2, 0.5, 0.0, 0.0, 0)),
                                    (torch.ops.fade.attention.default, (q, q, q)),
                                    (torch.ops.fade.attention_with_lse.default, (q, q, q, None, 'bottom-right')),
                                    (torch.ops.fade.gemm.default, (a, randn(5, 4), randn(4), 'gelu')),
                                    (torch.ops.fade.gemm.default, (a, randn(5, 4), randn(4), 'swiglu')),
                                    (torch.ops.fade.gemm.default, (x, randn(5, 4, requires_grad=True), randn(4, requires_grad=True), '')),
                                    (torch.ops.fade.rms_norm.default, (x, randn(5, requires_grad=True), 1e-5)),
                                    (torch.ops.fade.rms_norm_gradient.default, (a, randn(3, 5), randn(5), torch.rand(3, device=DEVICE) + 0.5)),
                                    (torch.ops.fade.layer_norm.default, (x, randn(5, requires_grad=True), randn(5, requires_grad=True), 1e-5)),
                                    (torch.ops.fade.layer_norm.default, (x, None, None, 1e-5)),
                                    (torch.ops.fade.layer_norm_gradient.default, (a, randn(3, 5), randn(5), randn(3), torch.rand(3, device=DEVICE) + 0.5)),
                                    (torch.ops.fade.cross_entropy.default, (x, labels, 0.1, -100)),
                                    (torch.ops.fade.cross_entropy_gradient.default, (a, labels, randn(3), randn(3), 0.0, 2)),
                                    (torch.ops.fade.rotary.default, (q.clone().requires_grad_(), *tables, None, 2, True, False)),
                                    (torch.ops.fade.conv.default, (image, filters, randn(6, requires_grad=True), '', *how)),
                                    (torch.ops.fade.conv.default, (image.detach(), filters.detach(), None, 'relu', *how)),
                                    (torch.ops.fade.conv_data_gradient.default, (randn(2, 6, 5, 3), filters.detach(), [9, 7], *how)),
                                    (torch.ops.fade.conv_weights_gradient.default, (randn(2, 6, 5, 3), image.detach(), [3, 2], *how)),
                                    (torch.ops.fade.conv_weights_bias_gradient.default, (randn(2, 6, 5, 3), image.detach(), [3, 2], *how)),
                                    (torch.ops.fade.softmax.default, (x, True)),
                                    (torch.ops.fade.softmax_gradient.default, (a, a, False))):
            with self.subTest(operator=str(operator)):
                found = torch.library.opcheck(operator, arguments)
                self.assertEqual(set(found.values()), {'SUCCESS'})

    def test_compiled_whole(self):
        def model(x, w, q):
            h = fade.torch.gemm(fade.torch.rms_norm(x), w, activation='relu')
            return h + 1, fade.torch.attention(q, q, q, causal='bottom-right')
        compiled = torch.compile(model, fullgraph=True, backend='aot_eager' if DEVICE == 'cpu' else 'inductor')
        x, w, q = randn(4, 6), randn(6, 3), heads(1, 5, 2, 8)
        with torch.no_grad():
            for got, wanted in zip(compiled(x, w, q), model(x, w, q)):
                torch.testing.assert_close(got, wanted)

    def test_exported(self):
        class Model(torch.nn.Module):
            def forward(self, a, b):
                return fade.torch.gemm(a, b) * 2
        a, b = randn(4, 6), randn(6, 3)
        program = torch.export.export(Model(), (a, b))
        self.assertIn('fade.gemm', str(program.graph))
        torch.testing.assert_close(program.module()(a, b), a @ b * 2)

    def test_gradients(self):
        x, w, dy = randn(4, 6, requires_grad=True), randn(6, requires_grad=True), randn(4, 6)
        for mine, theirs in ((fade.torch.rms_norm(x, w), functional.rms_norm(x, (6,), w, 1e-5)),
                             (fade.torch.softmax(x), functional.softmax(x, -1)), (fade.torch.log_softmax(x), functional.log_softmax(x, -1))):
            inputs = [t for t in (x, w) if t is x or mine.grad_fn.name().lower().find('norm') >= 0]
            for got, wanted in zip(torch.autograd.grad(mine, inputs, dy), torch.autograd.grad(theirs, inputs, dy)):
                self.assertLess(off(got, wanted), 1e-5)

    def test_gradients_of_layers(self):
        x, w, b, dy = randn(4, 6, requires_grad=True), randn(6, requires_grad=True), randn(6, requires_grad=True), randn(4, 6)
        labels = torch.tensor([3, -100, 0, 5], device=DEVICE)
        losses = {'reduction': 'none', 'label_smoothing': 0.1}
        image, filters, shifts = randn(2, 4, 9, 7, requires_grad=True), randn(6, 2, 3, 2, requires_grad=True), randn(6, requires_grad=True)
        how = dict(stride=(2, 1), padding=(1, 2), dilation=(1, 2), groups=2)
        cases = ((fade.torch.layer_norm(x, w, b), functional.layer_norm(x, (6,), w, b), (x, w, b)),
                 (fade.torch.layer_norm(x), functional.layer_norm(x, (6,)), (x,)),
                 (fade.torch.cross_entropy(x, labels, smoothing=0.1), functional.cross_entropy(x, labels, **losses), (x,)),
                 (fade.torch.conv(image, filters, shifts, **how), functional.conv2d(image, filters, shifts, **how), (image, filters, shifts)),
                 (fade.torch.conv(image[..., 0], filters[..., 0], stride=2, groups=2),
                  functional.conv1d(image[..., 0], filters[..., 0], stride=2, groups=2), (image, filters)))
        for mine, theirs, inputs in cases:
            self.assertLess(off(mine, theirs), 1e-5)
            dy = randn(*mine.shape)
            for got, wanted in zip(torch.autograd.grad(mine, inputs, dy), torch.autograd.grad(theirs, inputs, dy)):
                self.assertLess(off(got, wanted), 1e-5)

    def test_gradients_of_gemm(self):
        for shapes in (((4, 6), (6, 3)), ((2, 4, 6), (6, 3)), ((2, 4, 6), (2, 6, 3))):
            a, b, bias = (randn(*shape, requires_grad=True) for shape in (*shapes, (3,)))
            mine, theirs = fade.torch.gemm(a, b, bias=bias), a @ b + bias
            dy = randn(*mine.shape)
            for got, wanted in zip(torch.autograd.grad(mine, (a, b, bias), dy), torch.autograd.grad(theirs, (a, b, bias), dy)):
                self.assertLess(off(got, wanted), 1e-5)

    def test_gradient_of_rotary(self):
        x, angle = randn(2, 5, 3, 8, requires_grad=True), randn(20, 4)
        cos, sin, at = angle.cos(), angle.sin(), torch.arange(2, 7)
        y = fade.torch.rotary(x, cos, sin, first_position=2)
        low, high = x[..., :4], x[..., 4:]
        c, s = cos[at][:, None], sin[at][:, None]
        wanted, dy = torch.cat((low * c - high * s, high * c + low * s), -1), randn(2, 5, 3, 8)
        self.assertLess(off(y, wanted), 1e-5)
        self.assertLess(off(torch.autograd.grad(y, x, dy)[0], torch.autograd.grad(wanted, x, dy)[0]), 1e-5)

    def test_an_activation_of_conv_has_no_gradient(self):
        x = randn(1, 2, 5, requires_grad=True)
        with self.assertRaises(fade.Error) as caught:
            fade.torch.conv(x, randn(3, 2, 2), activation='relu').sum().backward()
        self.assertEqual(caught.exception.argument, 'activation')

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


class Strangers(unittest.TestCase):
    """What programs do with functions and tensors beside calling the one on the other."""

    def refused(self, argument, call):
        with self.assertRaises(fade.Error) as caught:
            call()
        self.assertEqual(caught.exception.argument, argument)

    @torch.no_grad()
    def test_scripts(self):
        def plain(x: torch.Tensor):
            return torch.ops.fade.attention(x, x, x)

        def ruled(x: torch.Tensor):
            return torch.ops.fade.attention(x, x, x, causal='bottom-right', scale=0.3)
        q, kept = randn(2, 9, 4, 32), io.BytesIO()
        script = torch.jit.script(plain)
        torch.jit.save(script, kept)
        kept.seek(0)
        for made in script, torch.jit.load(kept):
            self.assertTrue(torch.equal(made(q), fade.attention(q, q, q)))
        self.assertTrue(torch.equal(torch.jit.script(ruled)(q), fade.attention(q, q, q, causal='bottom-right', scale=0.3)))

    @torch.no_grad()
    def test_copies_and_pickles_of_modules(self):
        class Module(torch.nn.Module):
            def __init__(self, f):
                super().__init__()
                self.f = f
        for f in fade.attention, fade.torch.attention:
            module = Module(f)
            self.assertIs(copy.deepcopy(module).f, f)
            self.assertIs(pickle.loads(pickle.dumps(module.__dict__))['f'], f)
        packet = torch.ops.fade.attention
        self.assertIs(copy.deepcopy(Module(packet)).f, packet)
        self.assertIs(copy.deepcopy(packet._op), packet._op)

    def test_tangents_are_not_lost(self):
        forward, q, x = torch.autograd.forward_ad, randn(1, 3, 2, 8), randn(3, 4)
        calls = ((lambda t: fade.attention(t, t, t), q), (lambda t: torch.ops.fade.attention(t, t, t), q), (fade.softmax, x), (fade.torch.softmax, x))
        for call, t in calls:
            with forward.dual_level():
                # Operators with a gradient are refused by PyTorch 2.4 itself.
                with self.assertRaisesRegex((fade.Error, RuntimeError), 'tangent is wanted|jvp|setup_context'):
                    call(forward.make_dual(t, torch.ones_like(t)))
                call(t)
            with self.assertRaisesRegex((fade.Error, RuntimeError), 'tangent is wanted|jvp|setup_context'):
                torch.func.jvp(call, (t,), (torch.ones_like(t),))

    @torch.no_grad()
    def test_traces_keep_no_constants(self):
        from torch.fx.experimental.proxy_tensor import make_fx
        x, q = randn(3, 4), randn(1, 3, 2, 8)
        for call, t in ((lambda t: fade.softmax(t) + t, x), (lambda t: fade.attention(t, t, t) + t, q)):
            self.refused('torch', lambda: torch.jit.trace(call, t, check_trace=False))
            self.refused('torch', lambda: make_fx(call)(t))
        for trace in (lambda f: torch.jit.trace(f, x, check_trace=False)), (lambda f: make_fx(f)(x)):
            made = trace(lambda t: fade.torch.softmax(t) + t)
            self.assertLess(off(made(2 * x), (2 * x).softmax(-1) + 2 * x), 1e-5)

    @torch.no_grad()
    def test_tensors_without_memory(self):
        q, x = randn(1, 3, 2, 8).to('meta'), randn(3, 4).to('meta')
        for argument, call in (('q', lambda: fade.attention(q, q, q)), ('x', lambda: fade.softmax(x)), ('x', lambda: fade.softmax(torch.eye(3, device=DEVICE).to_sparse())),
                               ('q', lambda: torch.func.vmap(lambda t: fade.attention(t, t, t))(randn(2, 1, 3, 2, 8)))):
            self.refused(argument, call)
        self.assertEqual(torch.ops.fade.attention(q, q, q).shape, q.shape)
        self.assertEqual(fade.torch.softmax(x).device.type, 'meta')
        with FakeTensorMode() as mode:
            self.refused('x', lambda: fade.softmax(mode.from_tensor(randn(3, 4))))
        negated = torch.complex(randn(5, 1), randn(5, 1)).conj().imag
        self.assertTrue(negated.is_neg())
        self.refused('x', lambda: fade.softmax(negated))

    def test_gradients_of_gradients(self):
        x = randn(4, 5, requires_grad=True)
        for call in (fade.torch.softmax, fade.torch.rms_norm, lambda t: fade.torch.max_pool(t[None], 2)):
            first, = torch.autograd.grad(call(x).pow(3).sum(), x, create_graph=True)
            self.refused('create_graph', lambda: torch.autograd.grad(first.pow(2).sum(), x))
        found = []
        for product in fade.torch.gemm, torch.matmul:
            first, = torch.autograd.grad(product(x, x.t()).pow(3).sum(), x, create_graph=True)
            found.append(torch.autograd.grad(first.pow(2).sum(), x)[0])
        self.assertLess(off(*found), 1e-4)

    @unittest.skipIf(DEVICE != 'cpu', 'arrays of NumPy lie on the CPU')
    def test_arrays_of_others_beside_tensors(self):
        q, k = randn(1, 3, 2, 8), randn(1, 5, 2, 8)
        self.assertTrue(torch.equal(fade.attention(q, k.numpy(), k.numpy()), fade.attention(q, k, k)))


class Routed(unittest.TestCase):
    def test_operators_refuse_backward(self):
        q, a = randn(1, 3, 2, 16, requires_grad=True), randn(3, 4, requires_grad=True)
        for out, argument in ((torch.ops.fade.attention(q, q, q), 'requires_grad'),
                              (torch.ops.fade.attention_with_lse(q, q, q, None, 'top-left')[0], 'requires_grad'),
                              (torch.ops.fade.gemm(a, randn(4, 5), None, 'relu'), 'activation')):
            self.assertTrue(out.requires_grad)
            with self.assertRaises(fade.Error) as caught:
                out.sum().backward()
            self.assertEqual(caught.exception.argument, argument)

    @with_grouped_heads
    def test_what_is_taken_and_what_is_left(self):
        q, k, v = heads(2, 4, 9, 16), heads(2, 2, 17, 16), heads(2, 2, 17, 16)
        seen = torch.rand(2, 1, 9, 17, device=DEVICE) > 0.3
        added = randn(9, 17)
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
        model = torch.nn.Sequential(torch.nn.Embedding(100, 64), *(Block() for _ in range(3)), torch.nn.Linear(64, 100)).to(DEVICE)
        tokens = torch.randint(100, (2, 37), device=DEVICE)
        with torch.no_grad():
            wanted = model(tokens)
            with fade.torch.sdpa_kernel() as said:
                logits = model(tokens)
        self.assertEqual((said.taken, dict(said.left)), (3, {}))
        self.assertLess(off(logits, wanted), 1e-5)
        self.assertTrue(math.isfinite(float(logits.sum())))


@unittest.skipIf(DEVICE == 'cpu', 'CPUs have no graphs')
class Graphs(unittest.TestCase):
    @torch.no_grad()
    def captured(self, work, inputs):
        """The graph of work(), after the warm-up that PyTorch asks for, and what it writes to; it runs twice, on other numbers."""
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            work()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = work()
        for _ in range(2):
            for t in inputs:
                t.copy_(torch.randn_like(t))
            # Calls outside of the graph, whose memory is other memory.
            big = randn(1, 8192, 8, 128).half()
            fade.attention(big[:, :1], big, big)
            out.fill_(math.nan)
            graph.replay()
            torch.testing.assert_close(out, work(), rtol=0, atol=0)

    def test_attention(self):
        for queries, keys in ((33, 200), (1, 8192)):                                # the second shares its keys: it needs memory
            q, k, v = randn(2, queries, 8, 128).half(), randn(2, keys, 2, 128).half(), randn(2, keys, 2, 128).half()
            self.captured(lambda: fade.torch.attention(q, k, v, causal='bottom-right'), (q, k, v))
            self.captured(lambda: fade.attention(q, k, v), (q, k, v))

    def test_others(self):
        a, b, x = randn(64, 4096).half(), randn(4096, 64).half(), randn(37, 300)
        self.captured(lambda: fade.torch.gemm(a, b, activation='gelu'), (a, b))
        self.captured(lambda: fade.gemm(a, b, split_k=0), (a, b))
        self.captured(lambda: fade.torch.softmax(fade.torch.rms_norm(x)), (x,))
        self.captured(lambda: fade.sum(x, axis=0), (x,))
        left, right, out = randn(3, 64, 128).half(), [randn(128, 32).half() for _ in range(3)], torch.empty(3, 64, 32, device=DEVICE, dtype=torch.float16)
        tables = [fade.PointerTable(t) for t in (left, right, out)]
        self.captured(lambda: fade.batched_gemm(*tables[:2], out=tables[2]) and out, (left, *right))
        with self.assertRaisesRegex(fade.Error, 'PointerTable'):
            self.captured(lambda: fade.batched_gemm(left, right, out=out), ())

    @torch.no_grad()
    def test_compiled_to_graphs(self):
        compiled = torch.compile(lambda q, w: fade.torch.attention(q, q, q, causal='bottom-right') * w, fullgraph=True, mode='reduce-overhead')
        q, w = randn(1, 4096, 8, 128).half(), randn(128).half()
        for _ in range(3):
            torch.testing.assert_close(compiled(q, w).clone(), fade.torch.attention(q, q, q, causal='bottom-right') * w)


class Page(unittest.TestCase):
    @torch.no_grad()
    def test_a_step_of_a_server(self):
        page = (Path(__file__).resolve().parents[2] / 'docs' / 'python.md').read_text()
        program = next(p for p in page.split('```python\n') if p.startswith('# one step of a layer')).partition('```')[0]
        pages, cache = randn(2, 12, 16, 2, 32), randn(64, 32)
        whole = lambda numbers: torch.tensor(numbers, dtype=torch.int32, device=DEVICE)
        table = whole([[3, 1, -1], [5, 7, 2], [0, -1, -1]])
        cos, sin = (t.contiguous() for t in cache.chunk(2, -1))
        names = dict(fade=fade, key_pages=pages[0], value_pages=pages[1], table=table, cos=cos, sin=sin, longest=7, q=randn(9, 4, 32),
                     k=randn(9, 2, 32), v=randn(9, 2, 32), held=whole([9, 30, 0]), starts=whole([0, 1, 2, 9]))
        new_k, new_v = names['k'], names['v']
        exec(program, names)
        for n, first, last, rows in ((10, 0, 1, [3]), (31, 1, 2, [5, 7]), (7, 2, 9, [0])):
            k, v = (torch.cat([t[r] for r in rows])[None, :n] for t in pages)
            self.assertTrue(torch.equal(v[0, n - (last - first):], new_v[first:last]))
            self.assertFalse(torch.equal(k[0, n - (last - first):], new_k[first:last]))           # turned
            wanted = torch.from_numpy(attention(*(t.cpu() for t in (names['q'][first:last][None], k, v)), causal='bottom-right'))
            self.assertLess(off(names['o'][first:last][None].cpu(), wanted), 1e-5)


if __name__ == '__main__':
    unittest.main()
