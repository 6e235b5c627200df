// Row operators on emulated architectures of one family, for one type.
#include "../../instances/family_runner.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using namespace fade::arch;
using in = fade::FADE_BENCH_TYPE;
const add_family<rows_task<in, in>, FADE_BENCH_FAMILY> added;
const add_family<rows_task<in, i32>, FADE_BENCH_FAMILY> places;

}  // namespace
}  // namespace fade::bench
