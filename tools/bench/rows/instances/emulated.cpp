// Row operators on emulated architectures of one family, for one type.
#include "family_runner.hpp"

namespace fade::bench {
namespace {

using namespace fade::arch;
const add_family<fade::FADE_BENCH_TYPE, FADE_BENCH_FAMILY> added;

}  // namespace
}  // namespace fade::bench
