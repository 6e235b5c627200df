// expect: a temporary device would end before the work that is queued on it: give the device a name
#include <fade/kv_cache.hpp>
#include <fade/quantize.hpp>

void call() {
    fade::plan_append_kv<float>(fade::host_device(), {}, {});
    fade::plan_quantize<fade::f8e4m3, float>(fade::host_device(), {}, {});
}
