"""A model of PyTorch whose scaled_dot_product_attention runs on FADE."""
import sys

try:
    import torch
    torch.library.custom_op
except (ImportError, AttributeError):
    print('skipped: attention_in_torch: no PyTorch of 2.4 or newer is here')
    sys.exit(77)

import fade.torch

torch.manual_seed(7)
model = torch.nn.TransformerDecoderLayer(64, 4, dim_feedforward=128, dropout=0.0, batch_first=True).eval()
x, memory = torch.randn(2, 10, 64), torch.randn(2, 12, 64)
with torch.no_grad():
    wanted = model(x, memory)
    with fade.torch.sdpa_kernel() as said:
        y = model(x, memory)
print(said)
print(f'largest difference {float((y - wanted).abs().max()):.1e}')
assert torch.allclose(y, wanted, atol=1e-5)
