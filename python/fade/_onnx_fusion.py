"""Nodes of a network that one call of FADE computes: a convolution takes the batch normalisation behind it into its filter, and a Relu
behind both as a stage."""
from __future__ import annotations

import numpy as np
import onnx

import fade

ACTIVATION = 'fade_activation'                   # an attribute that ONNX's checker lets into no model


def _attribute(node, name: str, default):
    return next((onnx.helper.get_attribute_value(a) for a in node.attribute if a.name == name), default)


class _Network:
    """Who reads each value, and what is known of it."""

    def __init__(self, nodes, constants: dict, outputs, opset: int):
        self.constants, self.opset, self.readers = constants, opset, {name: [None] for name in outputs}
        for node in nodes:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)

    def only_reader(self, node, op_type: str):
        """The node that alone reads what `node` makes, if it is of that kind."""
        readers = self.readers.get(node.output[0], [])
        return readers[0] if len(readers) == 1 and readers[0] is not None and readers[0].op_type == op_type else None

    def in_float32(self, *names) -> bool:
        return all(name in self.constants and self.constants[name].dtype == np.float32 for name in names)

    def folds(self, conv, norm) -> bool:
        """Does the normalisation multiply and add what is known, in the order of opset 9 and later?"""
        return (self.opset >= 9 and not _attribute(norm, 'training_mode', 0) and len([o for o in norm.output if o]) == 1
                and norm.input[0] == conv.output[0] and len(norm.input) == 5 and self.in_float32(*norm.input[1:])
                and self.in_float32(*(name for name in conv.input[1:] if name)))


def fused(nodes, constants: dict, outputs, opset: int) -> list:
    """The nodes of a network, in order, of which some stand for several. New filters and biases go to `constants`."""
    network, gone, out = _Network(nodes, constants, outputs, opset), set(), []
    for node in nodes:
        if id(node) in gone:
            continue
        out.append(_with_followers(node, network, gone) if node.op_type == 'Conv' else node)
    return out


def _with_followers(conv, network, gone):
    made, last = onnx.NodeProto(), conv
    made.CopyFrom(conv)
    norm = network.only_reader(conv, 'BatchNormalization')
    if norm is not None and network.folds(conv, norm):
        w, *bias = (network.constants[name] for name in conv.input[1:] if name)
        weight, shift, mean, variance = (network.constants[name] for name in norm.input[1:])
        folded = fade.fold_into_filter(w, mean, variance, weight, shift, bias=bias[0] if bias else None,
                                       epsilon=_attribute(norm, 'epsilon', 1e-5), device='host')
        names = [f'{norm.output[0]} as a {what}' for what in ('filter', 'bias')]
        network.constants.update(zip(names, folded))
        made.input[:], last = [conv.input[0], *names], norm
        gone.add(id(norm))
    relu = network.only_reader(last, 'Relu')
    if relu is not None:
        made.attribute.append(onnx.helper.make_attribute(ACTIVATION, 'relu'))
        last = relu
        gone.add(id(relu))
    made.output[:] = last.output[:1]
    return made
