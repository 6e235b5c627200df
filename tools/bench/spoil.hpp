// Results made wrong on purpose, so that tests can show that --check finds them.
#pragma once
#include "check.hpp"
#include "matrix.hpp"
#include <optional>
#include <string_view>

namespace fade::bench {

/// --spoil: one element of a buffer that the kernels wrote changes by `by` times the norm of all of them; NaN
/// makes it NaN. Or a byte behind the output changes, or the emulated device is said to have found a fault.
struct spoil {
    enum class kind { element, outside, fault } what = kind::element;
    std::string given, buffer{};
    double by = 0;
};

/// "d=1e-3", "lse=nan", "outside" or "fault"; `written` are the buffers that the operation has.
spoil parse_spoil(std::string_view word, const std::vector<std::string_view>& written);

/// Spoils what lies on the host, in the place of the seed.
void make_wrong(const std::optional<spoil>& how, const buffer_set& buffers, std::uint64_t seed);

/// What an emulated device noticed, with the fault that was asked for.
std::vector<std::string> with_spoilt(std::vector<std::string> faults, const std::optional<spoil>& how);

}  // namespace fade::bench
