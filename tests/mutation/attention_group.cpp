// Fails when attention by matrix units that four waves share is wrong, decoding too. Exit 1 at the first that
// is.
#include "attention_many_keys.hpp"
#include "common/late_tables.hpp"

using namespace fade;

int main() {
    test::narrow_device<arch::sm_90a, {64, false}> device({.threads = 1});
    test::narrow_device<arch::sm_90a, {64, true}> decoder({.threads = 1});
    auto cases = test::attention_cases(40);
    std::erase_if(cases, [](const test::attention_case& c) {
        return c.problem.page_size > 0;
    });  // all of these are decoded here
    if (test::tried<bf16>(device, cases, 1) || test::wrong_with_many_keys(device, 1)) return 1;
    for (const test::attention_case& c : test::cases_of_tables(40))
        if (test::complained(device.name(), c.problem.page_size > 0
                                                ? test::wrong_with_late_tables<bf16>(decoder, c)
                                                : test::wrong_with_late_tables<bf16>(device, c)))
            return 1;
    test::case_list many{40};
    many.add(
        [](auto& c, auto& p) { p.batch = 1, p.scale = 0.35, p.seq_k = 900, p.page_size = 16, c.seed = 11; });
    if (test::complained(decoder.name(), test::wrong_with_large_values(decoder, many.all[0], 1))) return 1;
    for (const int splits : {1, 2})
        if (test::tried<bf16>(decoder, test::decoding_cases(40, splits), splits)) return 1;
    return 0;
}
