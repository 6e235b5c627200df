"""A transformer of `transformers` whose attention runs on FADE, beside PyTorch's: the same logits, and the same text.

Logits in float32 may differ by 1e-5, relative, by what sums in another order do.
"""
import os
import sys

try:
    import torch
    import transformers
except ImportError:
    print('skipped: python-transformers: PyTorch or transformers is not here')
    sys.exit(77)
import unittest

from common import SEED, numbers, off

import fade.torch

torch.manual_seed(SEED)
os.environ['HF_HUB_OFFLINE'] = '1'               # configurations and random weights need no network
transformers.logging.set_verbosity_error()
BOUND, LAYERS = 1e-5, 3


def drawn(low, high):
    return int(numbers.integers(low, high + 1))


def models():
    """Small ones with random weights: heads that share keys and not, rotary and learned positions, causal and not."""
    words = dict(vocab_size=96, max_position_embeddings=128)
    yield 'llama', transformers.LlamaForCausalLM(transformers.LlamaConfig(
        hidden_size=128, intermediate_size=160, num_hidden_layers=LAYERS, num_attention_heads=4, num_key_value_heads=2, attn_implementation='sdpa',
        pad_token_id=0, bos_token_id=1, eos_token_id=2, **words))
    yield 'gpt2', transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=96, n_positions=128, n_embd=96, n_layer=LAYERS, n_head=3, attn_implementation='sdpa', pad_token_id=0, bos_token_id=1, eos_token_id=2))
    yield 'bert', transformers.BertForMaskedLM(transformers.BertConfig(
        hidden_size=96, num_hidden_layers=LAYERS, num_attention_heads=3, intermediate_size=160, attn_implementation='sdpa', **words))


class Routed(unittest.TestCase):
    @torch.no_grad()
    def test_logits(self):
        for name, model in models():
            model.eval()
            words = torch.randint(3, 96, (3, drawn(20, 60)))
            padded = torch.ones_like(words)
            padded[0, :drawn(1, 15)] = 0
            for mask in (torch.ones_like(words), padded):
                wanted = model(words, attention_mask=mask).logits
                with fade.torch.sdpa_kernel() as said:
                    logits = model(words, attention_mask=mask).logits
                with self.subTest(model=name, padded=mask is padded, said=str(said)):
                    self.assertEqual((said.taken, sum(said.left.values())), (LAYERS, 0))
                    self.assertLess(off(logits[mask.bool()], wanted[mask.bool()]), BOUND)
                    self.assertFalse(torch.equal(logits, wanted))       # other sums: FADE did run

    @torch.no_grad()
    def test_text(self):
        for name, model in models():
            if name == 'bert':
                continue
            words = torch.randint(3, 96, (2, 11))
            more = dict(attention_mask=torch.ones_like(words), max_new_tokens=12, do_sample=False)
            wanted = model.eval().generate(words, **more)
            with fade.torch.sdpa_kernel() as said:
                text = model.generate(words, **more)
            with self.subTest(model=name, said=str(said)):
                self.assertGreaterEqual(said.taken, LAYERS)
                self.assertEqual(sum(said.left.values()), 0)
                self.assertEqual(text.tolist(), wanted.tolist())


if __name__ == '__main__':
    unittest.main()
