// Convolutions on emulated architectures of one family, for one type.
#include "../../instances/family_runner.hpp"
#include "../../instances/output_of.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using namespace fade::arch;
using in = fade::FADE_BENCH_TYPE;
const add_family<conv_task<in, output_t<in>>, FADE_BENCH_FAMILY> added;

}  // namespace
}  // namespace fade::bench
