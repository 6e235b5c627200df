"""ONNX's Backend interface over FADE: fade.onnx_backend.prepare(model).run(inputs).

    import onnx, fade.onnx_backend
    outputs = fade.onnx_backend.run_model(onnx.load('model.onnx'), [x])

FADE computes Attention, ArgMax, ArgMin, AveragePool, BatchNormalization, Clip, Conv, ConvInteger, ConvTranspose, Gelu, Gemm,
GlobalAveragePool, GlobalLpPool, GlobalMaxPool, GridSample, GroupNormalization, Hardmax, InstanceNormalization, LayerNormalization,
LeakyRelu, LogSoftmax, LpPool, LRN, MatMul, MatMulInteger, MaxPool, MeanVarianceNormalization, NegativeLogLikelihoodLoss, PRelu,
QLinearConv, QLinearMatMul, reductions (but ReduceProd), Relu, Resize, RMSNormalization, RotaryEmbedding, Sigmoid, Softmax,
SoftmaxCrossEntropyLoss, SwiGLU, Swish, TopK, Upsample, and sums and products of tensors (Add, Mul, Neg, Sub, Sum).
Conv takes a BatchNormalization of constants and a Relu behind it into its one call.
NumPy moves elements (Concat, Gather, Pad, Reshape, Transpose, ...) and runs other element-wise operators (Div, Erf, Exp, Tanh, ...;
_onnx_numpy.MOVING and ELEMENT_WISE are the lists), both by ONNX's own reference; all of integers but products is NumPy's too.
All else raises BackendIsNotSupposedToImplementIt with a sentence. Devices: 'CPU', or a device of FADE by its name ('emulated:gfx942').
"""
from __future__ import annotations

import numpy as np
import onnx
from onnx.backend.base import Backend, BackendRep

import fade

from . import (_onnx_attention, _onnx_elements, _onnx_images, _onnx_numpy, _onnx_products, _onnx_resize,  # noqa: F401: each enters its
               _onnx_rows)                                                                                # operators
from ._onnx_call import OPERATORS, BackendIsNotSupposedToImplementIt, Call, lacks  # noqa: F401: callers catch it by this name
from ._onnx_fusion import fused


def outputs_of(call: Call) -> tuple:
    """What a node makes."""
    try:
        made = OPERATORS[call.node.op_type](call)
    except fade.Error as why:
        lacks(f'{call.node.op_type}: {why}')
    return made if isinstance(made, tuple) else (made,)


class FadeRep(BackendRep):
    """A model that is ready to run: what depends on no input is computed already."""

    def __init__(self, model, device: str):
        self.device, graph = device, model.graph
        self.opset = next((o.version for o in model.opset_import if o.domain in ('', 'ai.onnx')), 1)
        self.outputs = [o.name for o in graph.output]
        for node in graph.node:
            if node.op_type not in OPERATORS or node.domain not in ('', 'ai.onnx'):
                lacks(f'the operator {node.op_type}')
        constants = {t.name: onnx.numpy_helper.to_array(t) for t in graph.initializer}
        self.inputs = [i.name for i in graph.input if i.name not in constants]
        nodes = [node for node in graph.node if not self.computed(node, constants)]
        self.nodes = fused(nodes, constants, self.outputs, self.opset)
        self.last = {name: i for i, node in enumerate(self.nodes) for name in node.input}
        self.constants = {name: t for name, t in constants.items() if name in self.last or name in self.outputs}

    def computed(self, node, values: dict) -> bool:
        """Runs a node if all its inputs are there."""
        if not all(name in values for name in node.input if name):
            return False
        given = [values[name] if name else None for name in node.input]
        values.update(zip(node.output, outputs_of(Call(node, given, self.opset, self.device))))
        return True

    def run(self, inputs, **kwargs):
        values = {**self.constants, **{name: as_given(x) for name, x in zip(self.inputs, inputs)}}
        for i, node in enumerate(self.nodes):
            if not self.computed(node, values):
                raise ValueError(f'{node.op_type} wants {", ".join(n for n in node.input if n and n not in values)}, which nobody makes')
            for name in node.input:              # what nobody wants any more goes
                if self.last[name] == i and name not in self.outputs:
                    values.pop(name, None)
        return tuple(values[name] for name in self.outputs)


def as_given(x):
    """An array, or the list that is a sequence."""
    return x if x is None or isinstance(x, list) else np.asarray(x)


class FadeBackend(Backend):
    """onnx.backend.base.Backend, as its documentation has it."""

    @classmethod
    def device_name(cls, device: str) -> str:
        return 'host' if device.upper().startswith('CPU') else device

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return cls.device_name(device) in fade.info()['devices']

    @classmethod
    def prepare(cls, model, device='CPU', **kwargs):
        super().prepare(model, device, **kwargs)
        return FadeRep(model, cls.device_name(device))

    @classmethod
    def run_model(cls, model, inputs, device='CPU', **kwargs):
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(cls, node, inputs, device='CPU', outputs_info=None, **kwargs):
        super().run_node(node, inputs, device, outputs_info, **kwargs)
        if node.op_type not in OPERATORS:
            lacks(f'the operator {node.op_type}')
        opset = kwargs.get('opset_version', onnx.defs.onnx_opset_version())
        return outputs_of(Call(node, [as_given(x) for x in inputs], opset, cls.device_name(device)))


is_compatible, prepare, run_model, run_node, supports_device = (FadeBackend.is_compatible, FadeBackend.prepare, FadeBackend.run_model,
                                                                FadeBackend.run_node, FadeBackend.supports_device)
