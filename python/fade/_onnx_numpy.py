"""ONNX's operators that move elements, and element-wise ones of which FADE has no stage: ONNX's own reference runs them in NumPy."""
from __future__ import annotations

from onnx import helper
from onnx.reference import ReferenceEvaluator

from ._onnx_call import OPERATORS, lacks

MOVING = ('BitCast Cast CastLike CenterCropPad Compress Concat Constant ConstantOfShape DepthToSpace Expand EyeLike Flatten Gather '
          'GatherElements GatherND Identity NonZero OneHot Pad Range Reshape ReverseSequence ScatterElements ScatterND Shape Size Slice '
          'SpaceToDepth Split Squeeze TensorScatter Tile Transpose Trilu Unsqueeze Where ConcatFromSequence SequenceAt SequenceConstruct '
          'SequenceEmpty SequenceErase SequenceInsert SequenceLength SplitToSequence').split()
ELEMENT_WISE = ('Abs Acos Acosh And Asin Asinh Atan Atanh BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Ceil Celu Cos Cosh '
                'DequantizeLinear Div DynamicQuantizeLinear Elu Equal Erf Exp Floor Greater GreaterOrEqual HardSigmoid HardSwish IsInf '
                'IsNaN Less LessOrEqual Log Max Mean Min Mish Mod Not Or Pow QuantizeLinear Reciprocal Round Selu Shrink Sign Sin Sinh '
                'Softplus Softsign Sqrt Tan Tanh ThresholdedRelu Xor').split()


def by_reference(call):
    """The node by onnx.reference."""
    names = [f'i{i}' if t is not None else '' for i, t in enumerate(call.inputs)]
    node = helper.make_node(call.node.op_type, names, call.node.output)
    node.attribute.extend(call.node.attribute)
    made = [name for name in call.node.output if name]
    one = helper.make_function('', 'one', [n for n in names if n], made, [node], [helper.make_opsetid('', call.opset)])
    try:
        found = dict(zip(made, ReferenceEvaluator(one).run(None, {n: t for n, t in zip(names, call.inputs) if n}, {})))
    except (NotImplementedError, RuntimeError) as why:
        lacks(f'{call.node.op_type}, of which ONNX\'s reference says: {why}')
    return tuple(found.get(name) for name in call.node.output)


def Dropout(call):
    training = call.input(2)
    if training is not None and bool(training):
        lacks('Dropout in training mode, whose random numbers nobody else has')
    return by_reference(call)


OPERATORS.update({name: by_reference for name in (*MOVING, *ELEMENT_WISE)}, Dropout=Dropout)
