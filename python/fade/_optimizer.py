"""Steps of optimizers: parameters and their state are updated in place, by one pass."""
from __future__ import annotations

from typing import Any

from ._report import answered
from ._tensors import framework, where


def sgd_step(gradient: Any, master: Any, velocity: Any = None, *, rate: float, momentum: float = 0.0, weight_decay: float = 0.0,
             nesterov: bool = False, loss_scale: float = 1.0, copy: Any = None, nonfinite: Any = None, device: Any = None,
             strict: bool = False, return_report: bool = False) -> Any:
    """g = gradient / loss_scale + weight_decay * w; v = momentum * v + g; w -= rate * v, or with nesterov rate * (g + momentum * v).

    gradient: float32, float16, bfloat16; master, the parameters w, and velocity v: float32, updated in place; velocity is zeros at
    first, and None without momentum. copy: float32, float16 or bfloat16, receives the new parameters, rounded once; or None. All have
    as many elements as master, side by side. nonfinite: one float32, of find_nonfinite(): unless it is 0, nothing is written, and
    nobody waits to see it. Returns master. Raises fade.Error, with nothing written.
    """
    of = framework(master)
    of.check(gradient, master)
    on, stream = where(of, master, device)
    said = on.sgd_step(gradient, master, velocity, copy, nonfinite, float(rate), float(momentum), float(weight_decay), nesterov,
                       float(loss_scale), stream, strict, return_report)
    return answered(of.finished(master), said, return_report)


def adamw_step(gradient: Any, master: Any, first_moment: Any, second_moment: Any, *, step: int, rate: float = 1e-3, beta1: float = 0.9,
               beta2: float = 0.999, epsilon: float = 1e-8, weight_decay: float = 1e-2, loss_scale: float = 1.0, copy: Any = None,
               nonfinite: Any = None, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """AdamW: g = gradient / loss_scale; m = beta1 * m + (1 - beta1) * g; v = beta2 * v + (1 - beta2) * g^2; with both divided by
    1 - beta^step, w -= rate * (m / (sqrt(v) + epsilon) + weight_decay * w).

    gradient: float32, float16, bfloat16; master, the parameters w, first_moment m and second_moment v: float32, updated in place; the
    moments are zeros at first. step: of the steps that were taken, this one counted, from 1. copy, nonfinite, sizes and what is
    returned: as of sgd_step(). Raises fade.Error, with nothing written.
    """
    of = framework(master)
    of.check(gradient, master)
    on, stream = where(of, master, device)
    said = on.adamw_step(gradient, master, first_moment, second_moment, copy, nonfinite, step, float(rate), float(beta1), float(beta2),
                         float(epsilon), float(weight_decay), float(loss_scale), stream, strict, return_report)
    return answered(of.finished(master), said, return_report)


def find_nonfinite(gradient: Any, *, out: Any = None, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """[1], float32: 1 where an element of a gradient is infinite or NaN, else 0. With a scaled loss: was the scale too large?

    gradient: float32, float16, bfloat16, its elements side by side. Raises fade.Error, with nothing written.
    """
    of = framework(gradient)
    out = of.empty(gradient, (1,), 'float32') if out is None else out
    on, stream = where(of, gradient, device)
    said = on.find_nonfinite(gradient, out, stream, strict, return_report)
    return answered(of.finished(out), said, return_report)
