// NVIDIA GPUs, for one type and part of the operations.
#include "tune/gpu.hpp"

namespace fade::tools {
namespace {
using element = FADE_TUNE_TYPE;
const add_gpu_part<cuda_device, element> added("cuda", parts::FADE_TUNE_PART<cuda_device, element>);
}  // namespace
}  // namespace fade::tools
