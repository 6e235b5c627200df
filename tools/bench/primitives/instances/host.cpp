// Primitives on this CPU and on the architectures that it emulates, whose vendors' kernels it stands in for.
#include "../../instances/cpu_runner.hpp"
#include "task.hpp"

namespace fade::bench {
namespace {

using namespace fade::arch;
using in = fade::FADE_BENCH_TYPE;

template <class Device>
void add(const std::string& name) {
    runners<primitive_runner>().push_back(std::make_unique<cpu_runner<Device, primitive_task<in>>>(name));
}
template <class... Archs>
struct add_all {
    add_all() {
        add<host_device>("host");
        (add<emulated_device<Archs>>("emulated:" + std::string(Archs::traits.name)), ...);
    }
};
const add_all<FADE_BENCH_FAMILY> added;

}  // namespace
}  // namespace fade::bench
