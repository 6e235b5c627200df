// AMD GPUs, for one type.
#include "tune/gpu.hpp"

namespace fade::tools {
namespace {
using element = FADE_TUNE_TYPE;
const add_gpu_kind added({"hip", name(dtype_v<element>), gpu_calls<hip_device, element, all_accesses>::open});
}  // namespace
}  // namespace fade::tools
