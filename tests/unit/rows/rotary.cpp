// Rotary embedding against double precision, on the host and on emulated GPUs, and what it refuses.
#include "common/row_case.hpp"
#include <fade/rotary.hpp>

namespace {

using rows::drawn;

/// A random problem; `whole`: runs of 16 bytes.
fade::rotary_problem drawn_problem(bool whole) {
    const fade::index unit = whole ? 16 : 2;
    fade::rotary_problem p{.tokens = drawn(1, 9), .heads = drawn(1, 5), .head_dim = unit * drawn(1, 9)};
    p.rotary_dim = drawn(0, 2) ? unit * drawn(0, p.head_dim / unit) : -1;
    p.style = drawn(0, 1) ? fade::rotary_style::half : fade::rotary_style::interleaved;
    p.capacity = 40;
    p.first_position = drawn(0, 31);
    p.sequence = drawn(0, 3);
    const fade::index tokens = p.sequence ? std::min(p.sequence, p.tokens) : p.tokens;
    if (drawn(0, 1)) p.capacity = p.first_position + tokens;  // no more than the positions reach
    if (drawn(0, 1)) p.table_stride = p.head_dim + (whole ? 16 : drawn(0, 5));
    if (drawn(0, 1)) p.x_head_stride = p.head_dim + (whole ? 16 : drawn(0, 9));
    return p;
}

template <class T>
std::vector<T> numbers(fade::index count) {
    std::normal_distribution<float> normal;
    std::vector<T> out;
    for (fade::index i = 0; i < count; ++i) out.push_back(fade::convert<T>(normal(rows::generator())));
    return out;
}

template <class T, class Out, class Table, class Device>
void check_rotary(Device& device, bool whole, int direction) {
    const fade::rotary_problem p = drawn_problem(whole);
    CAPTURE(p.head_dim);
    CAPTURE(p.rotary_dim);
    CAPTURE(direction);
    const fade::index rotated = p.rotary_dim < 0 ? p.head_dim : p.rotary_dim,
                      head = p.x_head_stride < 0 ? p.head_dim : p.x_head_stride,
                      line = p.table_stride < 0 ? rotated / 2 : p.table_stride;
    const auto x = numbers<T>(p.tokens * p.heads * head);
    const auto cos = numbers<Table>(p.capacity * line + 1), sin = numbers<Table>(fade::index(cos.size()));
    std::vector<int> positions;
    for (fade::index t = 0; t < p.tokens; ++t) positions.push_back(int(drawn(-2, p.capacity + 1)));
    const bool listed = drawn(0, 1);
    std::vector<Out> y(std::size_t(p.tokens * p.heads * p.head_dim), fade::convert<Out>(-77.0f));
    const fade::rotary_operands<T, Out, Table> o{x.data(), y.data(), cos.data(), sin.data(),
                                                 listed ? positions.data() : nullptr};
    const fade::report said = direction > 0 ? fade::rotary<T, Out, Table>(device, p, o)
                                            : fade::rotary_gradient<T, Out, Table>(device, p, o);
    if (whole) CHECK(said.chosen == "rotary runs");
    const auto number = [](auto v) { return double(fade::convert<float>(v)); };
    rows::distance off;
    bool untouched = true;
    for (fade::index t = 0; t < p.tokens; ++t) {
        const fade::index at =
            listed ? positions[std::size_t(t)] : p.first_position + (p.sequence ? t % p.sequence : t);
        for (fade::index h = 0; h < p.heads; ++h)
            for (fade::index c = 0; c < p.head_dim; ++c) {
                const auto in = [&](fade::index e) {
                    return number(x[std::size_t((t * p.heads + h) * head + e)]);
                };
                const double got = number(y[std::size_t((t * p.heads + h) * p.head_dim + c)]);
                const bool half = p.style == fade::rotary_style::half;
                const fade::index pair = half ? c % std::max<fade::index>(rotated / 2, 1) : c / 2;
                const bool second = half ? c >= rotated / 2 : c % 2;
                const fade::index other = half ? (second ? c - rotated / 2 : c + rotated / 2) : c ^ 1;
                if (at < 0 || at >= p.capacity) {
                    untouched = untouched && got == -77;
                } else if (c >= rotated) {
                    off.add(got, in(c));
                } else {
                    const double co = number(cos[std::size_t(at * line + pair)]),
                                 si = direction * number(sin[std::size_t(at * line + pair)]);
                    off.add(got, second ? in(c)*co + in(other)*si : in(c)*co - in(other)*si);
                }
            }
    }
    CHECK(untouched);
    CHECK(off.relative() < 2 * rows::rounding<Out>() + 4e-6);
}

template <class Device>
void check_all(Device& device) {
    for (int i = 0; i < 12; ++i)
        for (const bool whole : {true, false}) {
            check_rotary<float, float, float>(device, whole, i % 2 ? 1 : -1);
            check_rotary<fade::bf16, fade::bf16, fade::bf16>(device, whole, i % 2 ? -1 : 1);
            check_rotary<fade::f16, float, float>(device, whole, 1);
        }
}

}  // namespace

TEST_CASE("rotary on the host") {
    fade::host_device host;
    check_all(host);
}

TEST_CASE("rotary on emulated GPUs") {
    fade::emulated_device<fade::arch::gfx942> cdna;
    check_all(cdna);
    fade::emulated_device<fade::arch::gfx1100> rdna;
    check_all(rdna);
}

TEST_CASE("a gradient in place undoes a rotation") {
    fade::host_device host;
    const fade::rotary_problem p{.tokens = 7, .heads = 3, .head_dim = 32, .capacity = 7};
    const auto x = numbers<float>(7 * 3 * 32);
    std::vector<float> cos, sin, y = x;
    for (int i = 0; i < 7 * 16; ++i) cos.push_back(std::cos(float(i))), sin.push_back(std::sin(float(i)));
    const fade::rotary_operands<float> o{y.data(), y.data(), cos.data(), sin.data()};
    fade::rotary(host, p, o);
    CHECK(y[32 * 3 + 1] != x[32 * 3 + 1]);
    fade::rotary_gradient(host, p, o);
    rows::distance off;
    for (std::size_t i = 0; i < x.size(); ++i) off.add(y[i], x[i]);
    CHECK(off.relative() < 1e-6);
}

TEST_CASE("rotations that cannot be") {
    fade::host_device host;
    const std::vector<float> x(64, 1.0f), table(64, 0.5f);
    std::vector<float> y(64, -7.0f);
    const fade::rotary_problem good{.tokens = 2, .heads = 2, .head_dim = 16, .capacity = 2};
    const fade::rotary_operands<float> all{x.data(), y.data(), table.data(), table.data() + 32};
    const auto refused = [&](const char* argument, auto change) {
        fade::rotary_problem p = good;
        fade::rotary_operands<float> o = all;
        change(p, o);
        try {
            fade::rotary(host, p, o);
        } catch (const fade::error& e) {
            INFO(e.what());
            CHECK(e.argument() == argument);
            return e.argument() == argument;
        }
        return false;
    };
    CHECK(refused("tokens", [](auto& p, auto&) { p.tokens = -1; }));
    CHECK(refused("heads", [](auto& p, auto&) { p.heads = 65536; }));
    CHECK(refused("head_dim", [](auto& p, auto&) { p.head_dim = 15; }));
    CHECK(refused("head_dim", [](auto& p, auto&) { p.head_dim = -2; }));
    CHECK(refused("head_dim", [](auto& p, auto&) { p.head_dim = 65538; }));
    CHECK(refused("rotary_dim", [](auto& p, auto&) { p.rotary_dim = -2; }));
    CHECK(refused("tokens", [](auto& p, auto&) { p.tokens = fade::index(1) << 31; }));
    CHECK(refused("capacity", [](auto& p, auto&) { p.capacity = fade::index(1) << 31; }));
    CHECK(refused("sequence", [](auto& p, auto&) { p.sequence = fade::index(1) << 31; }));
    CHECK(refused("first_position", [](auto& p, auto&) { p.first_position = fade::index(1) << 31; }));
    CHECK(refused("rotary_dim", [](auto& p, auto&) { p.rotary_dim = 3; }));
    CHECK(refused("rotary_dim", [](auto& p, auto&) { p.rotary_dim = 18; }));
    CHECK(refused("capacity", [](auto& p, auto&) { p.capacity = 1; }));
    CHECK(refused("capacity", [](auto& p, auto&) { p.first_position = 1; }));
    CHECK(refused("capacity", [](auto& p, auto&) { p.tokens = 0, p.capacity = -1; }));
    CHECK(refused("first_position", [](auto& p, auto&) { p.first_position = -1; }));
    CHECK(refused("sequence", [](auto& p, auto&) { p.sequence = -1; }));
    CHECK(refused("heads", [](auto& p, auto&) { p.heads = -1; }));
    CHECK(refused("table_stride", [](auto& p, auto&) { p.table_stride = -2; }));
    CHECK(refused("y_head_stride", [](auto& p, auto&) { p.y_head_stride = 15; }));
    CHECK(refused("y_stride", [](auto& p, auto&) { p.y_stride = 31; }));
    CHECK(refused("x", [](auto&, auto& o) { o.x = nullptr; }));
    CHECK(refused("sin", [](auto&, auto& o) { o.sin = nullptr; }));
    CHECK(refused("y", [](auto&, auto& o) { o.x = o.y + 1; }));
    CHECK(refused("y", [](auto&, auto& o) { o.cos = o.y; }));
    for (float v : y) CHECK(v == -7.0f);
    fade::rotary(host, {.tokens = 0, .head_dim = 16}, fade::rotary_operands<float>{});
}
