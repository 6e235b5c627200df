"""A model of `transformers` with random weights, its attention on PyTorch and on FADE: the same logits, and tokens a second of both.

model_speed.py DEVICE [NEW TOKENS]. Logits in float32 differ by at most 1e-5, relative; in 16 bits FADE's are no farther from those of
float32 than 1.2 times PyTorch's.
"""
import os
import statistics
import sys
import time

os.environ['HF_HUB_OFFLINE'] = '1'
import torch
import transformers
from common import SEED

import fade.torch

torch.manual_seed(SEED)
transformers.logging.set_verbosity_error()
DEVICE, NEW = torch.device(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 48
ON_GPU = DEVICE.type == 'cuda'
BATCH, PROMPT = (4, 1024) if ON_GPU else (2, 96)


def far(x, reference):
    return float((x.double() - reference.double()).norm() / reference.double().norm())


def llama():
    sizes = dict(hidden_size=2048, intermediate_size=5632, num_hidden_layers=16, num_attention_heads=32, num_key_value_heads=8) if ON_GPU \
        else dict(hidden_size=256, intermediate_size=512, num_hidden_layers=4, num_attention_heads=4, num_key_value_heads=2)
    config = transformers.LlamaConfig(vocab_size=4096, max_position_embeddings=4096, attn_implementation='sdpa', pad_token_id=0, bos_token_id=1,
                                      eos_token_id=2, **sizes)
    return transformers.LlamaForCausalLM(config).to(DEVICE).eval()


def wait():
    if ON_GPU:
        torch.cuda.synchronize()


def seconds(f):
    wait()
    start = time.perf_counter()
    out = f()
    wait()
    return time.perf_counter() - start, out


@torch.no_grad()
def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    model = llama()
    words = torch.randint(3, 4096, (BATCH, PROMPT), device=DEVICE)
    wanted = model(words).logits
    with fade.torch.sdpa_kernel() as said:
        distance = far(model(words).logits, wanted)
    print(f'logits, float32: {distance:.2e} apart; {said}')
    good = distance <= 1e-5 and not said.left
    if ON_GPU:
        model = model.to(torch.bfloat16)
        theirs = far(model(words).logits, wanted)
        with fade.torch.sdpa_kernel():
            mine = far(model(words).logits, wanted)
        print(f'logits, bfloat16: FADE {mine:.2e} from float32, PyTorch {theirs:.2e}')
        good = good and mine <= 1.2 * theirs
    write = lambda: model.generate(words, attention_mask=torch.ones_like(words), max_new_tokens=NEW, min_new_tokens=NEW, do_sample=False)
    read = lambda: model(words, logits_to_keep=1).logits
    rates = {name: {'PyTorch': [], 'FADE': []} for name in ('prompt', 'text')}
    texts = {}
    for turn in range(4):
        for who in ('PyTorch', 'FADE') if turn % 2 else ('FADE', 'PyTorch'):
            with fade.torch.sdpa_kernel() if who == 'FADE' else torch.no_grad() as said:
                for name, f, tokens in (('prompt', read, BATCH * PROMPT), ('text', write, BATCH * NEW)):
                    took, texts[who] = seconds(f)
                    if turn:                     # the first turn warms up
                        rates[name][who].append(tokens / took)
            if who == 'FADE' and said.left:
                print(said)
    for name, of in rates.items():
        both = {who: statistics.median(r) for who, r in of.items()}
        print(f'{name}: FADE {both["FADE"]:.0f} tokens/s, PyTorch {both["PyTorch"]:.0f}, {both["FADE"] / both["PyTorch"]:.3f} times as many')
    same = float((texts['FADE'] == texts['PyTorch']).float().mean())
    print(f'text: {same:.1%} of the tokens are the same')
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
