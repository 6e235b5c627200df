// Fails when an attention kernel is wrong, with matrix instructions and without. Exit 1 at the first that is.
#include "attention_cases.hpp"

using namespace fade;

namespace {

template <class Entry, int HeadClass>
constexpr bool wanted = true;
template <class In, class Out, int Class, tune::attention_variant Variant, int HeadClass>
constexpr bool wanted<tune::attention_entry<In, Out, Class, Variant>, HeadClass> = Class == HeadClass;

/// An emulated device with the kernels of one padded head dimension only, since each costs seconds to compile.
template <class Arch, int HeadClass>
struct narrow_device : emulated_device<Arch> {
    template <class Entry>
    void launch(grid_shape grid, const typename Entry::arguments& args) {
        if constexpr (wanted<Entry, HeadClass>) emulated_device<Arch>::template launch<Entry>(grid, args);
    }
};

}  // namespace

int main() {
    narrow_device<arch::gfx942, 64> matrix;
    narrow_device<arch::gfx1030, 256> vector;   // weights pass through shared memory, and two workgroups share the columns of O
    auto few = test::attention_cases(136);
    few.erase(few.begin() + 2, few.end() - 2);
    return test::tried<f16>(matrix, test::attention_cases(40)) || test::tried<f16>(vector, few);
}
