// NVIDIA GPUs, for one type.
#include "tune/gpu.hpp"

namespace fade::tools {
namespace {
using element = FADE_TUNE_TYPE;
const add_gpu_kind added({"cuda", name(dtype_v<element>),
                          gpu_calls<cuda_device, element, all_accesses>::open});
}  // namespace
}  // namespace fade::tools
