"""What operators of fade.onnx_backend share: one node at work, the list of operators, and how one says what it lacks."""
from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np
import onnx
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt

OPERATORS: dict[str, Callable] = {}
ROW_TYPES = ('float32', 'float16', 'bfloat16')


def operator(f: Callable) -> Callable:
    """Enters a function as the operator of its name."""
    OPERATORS[f.__name__] = f
    return f


def lacks(why: str):
    raise BackendIsNotSupposedToImplementIt(f'fade.onnx_backend: {why}')


class Call:
    """One node at work: its inputs (None where left out), attributes and device."""

    def __init__(self, node, inputs: Sequence[Any], opset: int, device: str):
        self.node, self.inputs, self.opset, self.device = node, list(inputs), opset, device
        self.attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}

    def input(self, i: int):
        return self.inputs[i] if i < len(self.inputs) else None

    def __getitem__(self, name_and_default):
        name, default = name_and_default
        value = self.attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def wants(self, i: int) -> bool:
        """Is that output named?"""
        return i < len(self.node.output) and bool(self.node.output[i])

    def reals(self, *tensors):
        for t in tensors:
            if t is not None and t.dtype.name not in ROW_TYPES:
                lacks(f'{self.node.op_type} of {t.dtype.name}; row operators take {", ".join(ROW_TYPES)}')


def contiguous(x):
    return np.ascontiguousarray(x).reshape(np.shape(x))          # which it makes one dimension of none


def in_float32(call, x):
    """Whole numbers as float32, where that holds them all."""
    y = x.astype('float32')
    if not (y.astype(x.dtype) == x).all() or (np.abs(y) > 2**24).any():
        lacks(f'{call.node.op_type} of {x.dtype.name} beyond 2^24, which float32 does not hold')
    return y
