// What the library of a peer holds for an operation: the function `fade_bench_OP_NAME`.
#pragma once
#include "element.hpp"
#include "timing.hpp"
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fade::bench {

/// Makes what runs these calls in turn.
template <class Call>
using peer_maker = void(measured& out, const std::vector<Call>& calls, const element& type);

inline std::string peer_maker_name(std::string_view op, std::string_view peer) {
    return "fade_bench_" + std::string(op) + "_" + std::string(peer);
}

/// Each of these things after the other, and again from the first.
template <class Thing>
class in_turn {
public:
    explicit in_turn(std::vector<Thing> things) : things_(std::move(things)) {}
    Thing& next() { return things_[std::exchange(next_, (next_ + 1) % things_.size())]; }

private:
    std::vector<Thing> things_;
    std::size_t next_ = 0;
};

}  // namespace fade::bench
