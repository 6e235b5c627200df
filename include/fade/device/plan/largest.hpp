// How large the devices of an architecture are: for plans and emulations, which have no device to ask.
#pragma once
#include <algorithm>
#include <fade/core/error.hpp>
#include <fade/device/truth/product.hpp>
#include <string>
#include <string_view>

namespace FADE_NAMESPACE {

/// Compute units of the largest device of an architecture, by the product table.
constexpr int largest_units(std::string_view gfx) {
    std::uint32_t max = 0;
    for (const truth::chip& c : truth::chips)
        if (c.gfx == gfx) max = std::max(max, c.max_cus);
    if (max == 0) throw error("architecture", std::string(gfx), "the product table has no device of it");
    return int(max);
}

}  // namespace FADE_NAMESPACE
