// exp and erf of doubles. <cmath> costs a plain C++ compiler a tenth of all that <fade/gemm.hpp> does, and
// these two are in the compiler.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

#ifdef __host__  // vendors' compilers have included it already, with the forms for their devices
#include <cmath>
#endif

namespace FADE_NAMESPACE {

#ifdef __host__
FADE_FN double exp_f64(double x) { return std::exp(x); }
FADE_FN double erf_f64(double x) { return std::erf(x); }
#else
FADE_FN double exp_f64(double x) { return __builtin_exp(x); }
FADE_FN double erf_f64(double x) { return __builtin_erf(x); }
#endif

}  // namespace FADE_NAMESPACE
