// Every backend's block is what kernels may ask of a workgroup, and says which of the richer kinds it is.
#include <doctest/doctest.h>
#include <fade/core/workgroup.hpp>
#include <fade/device/devices.hpp>

using namespace fade;

namespace {

using host_block = backend::host::block<arch::host, 1>;
static_assert(workgroup<host_block>);
static_assert(!wave_workgroup<host_block> && !async_workgroup<host_block> && !matrix_workgroup<host_block>);

template <class Arch>
using emulated_block = backend::emulated::block<Arch, 4>;

/// As AMD's own blocks: what only NVIDIA's have must not work in their emulation either.
template <class... Archs>
constexpr bool all_run_waves(arch::arch_list<Archs...>) {
    return ((wave_workgroup<emulated_block<Archs>> && !async_workgroup<emulated_block<Archs>>) && ...);
}
static_assert(all_run_waves(arch::amd{}));
static_assert(matrix_workgroup<emulated_block<arch::sm_80>> &&
              matrix_workgroup<emulated_block<arch::sm_90a>>);

/// A block that lacks one member is none.
struct without_a_barrier : host_block {
    void sync() const = delete;
};
struct with_half_the_lanes : host_block {
    static constexpr int threads = 2;
};
struct with_wide_exponentials : host_block {
    static double exp2(double x) { return x; }
};
static_assert(!workgroup<without_a_barrier> && !workgroup<with_half_the_lanes> &&
              !workgroup<with_wide_exponentials> && !workgroup<int>);

}  // namespace

TEST_CASE("workgroups were checked when this was compiled") { CHECK(workgroup<host_block>); }
