// Operators over images on emulated architectures of one family, for one type.
#include "../../instances/family_runner.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using namespace fade::arch;
const add_family<image_task<fade::FADE_BENCH_TYPE>, FADE_BENCH_FAMILY> added;

}  // namespace
}  // namespace fade::bench
