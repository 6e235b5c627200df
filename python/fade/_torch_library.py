"""How operators of PyTorch are made: functional, with results of their own, as torch.library wants them."""
from __future__ import annotations

import torch

from ._error import Error

library = torch.library.Library('fade', 'DEF')
kernels: dict = {}                               # what runs below autograd


def operator(schema: str):
    """Makes a function the operator fade::schema on CPUs and GPUs. A call of it costs less than one of torch.library.custom_op."""
    name = schema.partition('(')[0]

    def enter(f):
        library.define(schema, tags=torch.Tag.pt2_compliant_tag)
        for key in ('CPU', 'CUDA'):
            library.impl(name, f, key)
        kernels[name] = f
        return getattr(torch.ops.fade, name).default
    return enter


def fake(name: str):
    return torch.library.register_fake(f'fade::{name}', lib=library)


def gradient(name: str, backward, keep=None):
    torch.library.register_autograd(f'fade::{name}', backward, setup_context=keep, lib=library)


def first_derivatives_alone():
    """Gradients of gradients are refused when they are asked for; PyTorch alone would give wrong numbers, with a warning."""
    def refuse(ctx, *gradients):
        raise Error('create_graph', 'True', 'fade has first derivatives alone')
    for name in kernels:
        if name.endswith('_gradient'):
            gradient(name, refuse)
