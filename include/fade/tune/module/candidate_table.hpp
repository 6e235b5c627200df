// Policies that tuning compiles beside the kernels of a program: a table, which users extend.
#pragma once
#include <fade/block/row/policy.hpp>
#include <fade/kernel/attention/policy.hpp>
#include <fade/tune/gemm/space.hpp>
#include <vector>

namespace FADE_NAMESPACE::tune {

/// What a device that compiles kernels may try for a call. Policies of yours are tried first, whatever the
/// model thinks of them; those that a kernel with the call's arguments cannot have are refused by name.
struct candidate_table {
    gemm_space products{};                      ///< of products and implicit convolutions; yours are `others`
    std::vector<attention_policy> attention{};  ///< yours, before parts and multiples of the program's
    std::vector<row_policy> rows{};             ///< yours, before more and fewer waves and runs
    std::size_t max = 24;  ///< of the library's own a call; 0 leaves those of yours alone
};

}  // namespace FADE_NAMESPACE::tune
