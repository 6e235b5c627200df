// All stages of an epilogue.
#pragma once
#include <fade/epilogue/amax.hpp>
#include <fade/epilogue/any_chain.hpp>
#include <fade/epilogue/any_gated_chain.hpp>
#include <fade/epilogue/aux.hpp>
#include <fade/epilogue/batch_bias.hpp>
#include <fade/epilogue/bias.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/epilogue/gated.hpp>
#include <fade/epilogue/gelu.hpp>
#include <fade/epilogue/gradient.hpp>
#include <fade/epilogue/quantize_to.hpp>
#include <fade/epilogue/relu.hpp>
#include <fade/epilogue/residual.hpp>
#include <fade/epilogue/scale.hpp>
#include <fade/epilogue/scales.hpp>
#include <fade/epilogue/silu.hpp>
