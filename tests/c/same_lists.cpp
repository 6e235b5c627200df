// Rotations and primitives through fade.h are those of the C++ calls, bit for bit.
#include "beside.hpp"
#include <algorithm>
#include <fade/kv_cache.hpp>
#include <fade/primitives.hpp>
#include <fade/rotary.hpp>

using namespace fade::test;

namespace {

using fade::f16;
using fade::index;

template <class Table>
void check_rotary(fade_dtype tables) {
    opened on;
    const index tokens = drawn(1, 9), heads = drawn(1, 3), dim = 16, turned = 2 * drawn(0, 8),
                capacity = drawn(9, 20), pad = drawn(0, 4);
    const index token = heads * (dim + pad) + pad;
    const auto x = some<f16>(tokens * token);
    const auto cos = some<Table>(capacity * 8), sin = some<Table>(capacity * 8);
    std::vector<int> positions;
    for (index i = 0; i < tokens; ++i) positions.push_back(int(drawn(-1, capacity)));
    auto a = made(fade_rotary_init);
    a.in = a.out = FADE_F16, a.tables = tables, a.tokens = tokens, a.heads = heads, a.head_dim = dim;
    a.rotary_dim = turned, a.capacity = capacity, a.table_stride = 8, a.x_stride = token;
    a.x_head_stride = dim + pad, a.x = x.data(), a.cos = cos.data(), a.sin = sin.data();
    fade::rotary_problem p{.tokens = tokens,
                           .heads = heads,
                           .head_dim = dim,
                           .rotary_dim = turned,
                           .capacity = capacity,
                           .table_stride = 8,
                           .x_stride = token,
                           .x_head_stride = dim + pad};
    fade::rotary_operands<f16, f16, Table> o{.x = x.data(), .cos = cos.data(), .sin = sin.data()};
    for (int way = 0; way < 4; ++way) {
        auto y = poison<f16>(tokens * heads * dim), expected = y;
        a.y = y.data(), o.y = expected.data();
        a.interleaved = way % 2, p.style = fade::rotary_style(way % 2);
        a.positions = o.positions = way < 2 ? positions.data() : nullptr;
        a.sequence = p.sequence = way < 2 ? 0 : 2, a.first_position = p.first_position = way < 2 ? 0 : 3;
        CAPTURE(way);
        is_done(fade_rotary(on.c, &a, nullptr));
        fade::rotary(on.cpp, p, o);
        CHECK(same(y, expected));
        is_done(fade_rotary_gradient(on.c, &a, nullptr));
        fade::rotary_gradient(on.cpp, p, o);
        CHECK(same(y, expected));
    }
    a.tables = FADE_F64;
    CHECK(fade_rotary(on.c, &a, nullptr) == FADE_INVALID);
    CHECK(std::string(fade_last_error()->argument) == "tables");
}

TEST_CASE("rotary and its gradient") {
    check_rotary<float>(FADE_F32);
    check_rotary<f16>(FADE_F16);
}

TEST_CASE("append_kv by tables of 16 bits") {
    opened on;
    const auto fresh = some<f16>(5 * 2 * 16);
    const auto cos = some<f16>(9 * 8), sin = some<f16>(9 * 8);
    auto k = poison<f16>(9 * 2 * 16), v = k, expected_k = k, expected_v = k;
    auto a = made(fade_append_init);
    a.in = a.cache = a.tables = FADE_F16, a.kv_heads = 2, a.new_positions = 5, a.capacity = 9,
    a.head_dim = 16;
    a.rotary_dim = 16, a.new_k = a.new_v = fresh.data(), a.k = k.data(), a.v = v.data();
    a.cos = cos.data(), a.sin = sin.data();
    is_done(fade_append_kv(on.c, &a, nullptr));
    const fade::append_operands<f16, f16, f16> o{.new_k = fresh.data(),
                                                 .new_v = fresh.data(),
                                                 .k = expected_k.data(),
                                                 .v = expected_v.data(),
                                                 .cos = cos.data(),
                                                 .sin = sin.data()};
    fade::append_kv<f16>(
        on.cpp, {.kv_heads = 2, .new_positions = 5, .capacity = 9, .head_dim = 16, .rotary_dim = 16}, o);
    CHECK(same(k, expected_k));
    CHECK(same(v, expected_v));
}

template <class T>
void check_lists(fade_dtype type) {
    opened on;
    CAPTURE(type);
    const index count = drawn(1, 300), segments = drawn(1, 5), k = drawn(0, count);
    const auto x = some<T>(count);
    const auto values = some<double>(count);
    auto out = poison<T>(count), expected = out;
    auto out_values = poison<double>(count), expected_values = out_values;
    auto s = made(fade_sort_init);
    s.in = type, s.count = count, s.keys = x.data(), s.sorted = out.data(), s.descending = 1;
    is_done(fade_sort(on.c, &s, nullptr));
    fade::sort(on.cpp, {.count = count, .descending = true}, x.data(), expected.data());
    CHECK(same(out, expected));
    s.value_bytes = 8, s.values = values.data(), s.sorted_values = out_values.data(), s.descending = 0;
    is_done(fade_sort_pairs(on.c, &s, nullptr));
    fade::sort_pairs(on.cpp, {.count = count}, x.data(), values.data(), expected.data(),
                     expected_values.data());
    CHECK(same(out, expected));
    CHECK(same(out_values, expected_values));
    s.value_bytes = 3;
    CHECK(fade_sort_pairs(on.c, &s, nullptr) == FADE_INVALID);

    std::vector<std::uint8_t> flags(std::size_t(count), 0);
    for (auto& f : flags) f = std::uint8_t(drawn(0, 2));
    int selected = -1, expected_selected = -1;
    auto e = made(fade_select_init);
    e.in = type, e.count = count, e.x = x.data(), e.flags = flags.data(), e.out = out.data();
    e.selected = &selected;
    is_done(fade_select(on.c, &e, nullptr));
    fade::select(on.cpp, {.count = count}, x.data(), flags.data(), expected.data(), &expected_selected);
    CHECK(same(out, expected));
    CHECK(selected == expected_selected);

    using reduced = fade::reduced_t<T>;
    std::vector<int> offsets;
    for (index i = 0; i <= segments; ++i) offsets.push_back(int(drawn(0, count)));
    std::sort(offsets.begin(), offsets.end());
    for (int op = 0; op < 3; ++op) {
        auto one = poison<reduced>(segments), expected_one = one;
        auto r = made(fade_reduce_list_init);
        r.in = type, r.op = op, r.count = count, r.x = x.data(), r.out = one.data();
        is_done(fade_reduce(on.c, &r, nullptr));
        fade::reduce(on.cpp, {.count = count, .op = fade::reduce_op(op)}, x.data(), expected_one.data());
        CHECK(same(one, expected_one));
        r.segments = segments, r.offsets = offsets.data();
        is_done(fade_segmented_reduce(on.c, &r, nullptr));
        fade::segmented_reduce(on.cpp, {.count = count, .segments = segments, .op = fade::reduce_op(op)},
                               x.data(), offsets.data(), expected_one.data());
        CHECK(same(one, expected_one));
    }

    std::vector<int> counts(7, -1), expected_counts = counts;
    auto h = made(fade_histogram_init);
    h.in = type, h.count = count, h.bins = 7, h.lower = -2, h.upper = 3, h.x = x.data();
    h.counts = counts.data();
    is_done(fade_histogram(on.c, &h, nullptr));
    fade::histogram(on.cpp, {.count = count, .bins = 7, .lower = -2, .upper = 3}, x.data(),
                    expected_counts.data());
    CHECK(counts == expected_counts);

    auto places = poison<int>(k), expected_places = places;
    auto t = made(fade_list_top_k_init);
    t.in = type, t.count = count, t.k = k, t.x = x.data(), t.values = out.data(), t.places = places.data();
    is_done(fade_list_top_k(on.c, &t, nullptr));
    fade::list_top_k(on.cpp, {.count = count, .k = k}, x.data(), expected.data(), expected_places.data());
    CHECK(same(out, expected));
    CHECK(same(places, expected_places));
}

template <class T>
void check_scans(fade_dtype type) {
    opened on;
    const index count = drawn(1, 300);
    const auto x = some<T>(count);
    auto out = poison<T>(count), expected = out;
    auto a = made(fade_scan_init);
    a.in = type, a.any_order = 1, a.count = count, a.x = x.data(), a.out = out.data();
    is_done(fade_inclusive_scan(on.c, &a, nullptr));
    fade::inclusive_scan(on.cpp, {.count = count, .any_order = true}, x.data(), expected.data());
    CHECK(same(out, expected));
    a.first = 5;
    CHECK(fade_inclusive_scan(on.c, &a, nullptr) == FADE_INVALID);  // it has none
    CHECK(same(out, expected));
    is_done(fade_exclusive_scan(on.c, &a, nullptr));
    fade::exclusive_scan(on.cpp, {.count = count, .any_order = true}, x.data(), expected.data(), T(5));
    CHECK(same(out, expected));
    a.first = 0.5;
    CHECK(fade_exclusive_scan(on.c, &a, nullptr) == (std::is_integral_v<T> ? FADE_INVALID : FADE_OK));
}

TEST_CASE("primitives") {
    check_lists<float>(FADE_F32), check_lists<double>(FADE_F64), check_lists<fade::i32>(FADE_I32);
    check_lists<f16>(FADE_F16), check_lists<fade::bf16>(FADE_BF16);
    check_scans<float>(FADE_F32), check_scans<double>(FADE_F64), check_scans<fade::i32>(FADE_I32);
    opened on;
    auto a = made(fade_scan_init);
    a.in = FADE_F16;
    CHECK(fade_inclusive_scan(on.c, &a, nullptr) == FADE_UNSUPPORTED);
    auto r = made(fade_reduce_list_init);
    r.op = 3;
    CHECK(fade_reduce(on.c, &r, nullptr) == FADE_INVALID);
}

}  // namespace
