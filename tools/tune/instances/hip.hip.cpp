// AMD GPUs, for one type and part of the operations.
#include "tune/gpu.hpp"

namespace fade::tools {
namespace {
using element = FADE_TUNE_TYPE;
using device = compiling<hip_device>;
const add_gpu_part<device, element> added("hip", parts::FADE_TUNE_PART<device, element>);
}  // namespace
}  // namespace fade::tools
