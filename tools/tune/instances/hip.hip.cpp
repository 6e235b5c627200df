// AMD GPUs, for one type and part of the operations.
#include "tune/gpu.hpp"

namespace fade::tools {
namespace {
using element = FADE_TUNE_TYPE;
const add_gpu_part<hip_device, element> added("hip", parts::FADE_TUNE_PART<hip_device, element>);
}  // namespace
}  // namespace fade::tools
