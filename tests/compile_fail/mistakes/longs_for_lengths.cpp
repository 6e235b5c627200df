// expect: this pointer's elements have another type than those of the call: name their type in the call
// names: long
// names: int
#include <fade/attention.hpp>

void call(fade::host_device& device, const long* lengths) {
    fade::attention<float>(device, {}, {.lengths_q = lengths});
}
