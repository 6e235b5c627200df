// expect: has score_mod(score, batch, head, query, key), mask_mod(batch, head, query, key) or both
#include <fade/attention.hpp>

struct neither {
    float factor;
};
void call(fade::host_device& device) { fade::attention<float>(device, {}, {}, {}, neither{2}); }
