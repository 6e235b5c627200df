// Fails when a part that needs no kernel is wrong: stages of epilogues, orders of workgroups, choices, lane
// maps, numbers.
#include "common/choices.hpp"
#include "common/float8_pairs.hpp"
#include "common/matrix.hpp"
#include "common/stages.hpp"
#include <cstdio>
#include <fade/block/roles.hpp>
#include <fade/block/schedule/persistent.hpp>
#include <sys/mman.h>

using namespace fade;

namespace {

int failures = 0;
void check(bool holds, const char* what) {
    if (!holds && !failures++) std::printf("%s\n", what);
}

/// Memory that ends where a page that cannot be read begins: whoever reads beyond it, dies.
const float* last_float_of_a_page(float value) {
    auto* at =
        static_cast<char*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(at + 4096, 4096, PROT_NONE);
    return new (at + 4092) float(value);
}

void check_stages() {
    std::vector<float> values(40);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(i % 7) - 3.25f;
    for (int k = 0; k < test::stage_kinds; ++k)
        for (const float v : {-5.0f, -0.5f, 0.25f, 3.0f}) {
            any_chain<float> one;
            one.push(stage_kind(k), values.data(), 7, 20, -0.75f, 1.25f);
            const epilogue::position at{2, 3, 1, true};
            const double operand = double(values[std::size_t(test::place_of(stage_kind(k), at, 7, 20))]);
            const test::bounded want = test::apply_stage(stage_kind(k), {double(v), 0}, operand, -0.75, 1.25);
            check(std::fabs(one(v, at) - want.value) <= want.error + 1e-30, name(stage_kind(k)));
        }
    check((scale(2) | relu() | scale(3))(-1.0f, {0, 0, 0, true}) == 0 &&
              (scale(2) | scale(3))(1.0f, {0, 0, 0, true}) == 6,
          "a chain");
    for (const float zero : {0.0f, -0.0f}) check(drelu(&zero, 1)(1.0f, {0, 0, 0, true}) == 0, "drelu at 0");
    check(bias(last_float_of_a_page(2))(1.0f, {0, 5000, 0, false}) == 3, "a lane without an element");
}

/// A row that ends where memory does: none of its gates is read from behind it.
void check_gates() {
    const int columns = 140;
    float* const row = const_cast<float*>(last_float_of_a_page(2)) - (columns - 1);
    for (int i = 0; i < columns; ++i) row[i] = float(i % 5) - 2;
    swiglu().on_row(row, columns, {0, 0, 0, true});
    bool right = true;
    for (int i = 0; i < columns / 2; ++i) {
        const float left = float(2 * i % 5) - 2, up = float((2 * i + 1) % 5) - 2;
        right = right && std::fabs(row[i] - left / (1 + std::exp(-left)) * up) < 1e-5f;
    }
    check(right, "gates of a row");
}

void check_orders() {
    for (const int count : {1, 100, 128, 131, 300}) {
        std::vector<int> seen(std::size_t(count), 0);
        for (int i = 0; i < count; ++i) {
            const int at = block::xcd_order(i, count, 8, 16);
            check(at >= 0 && at < count && !seen[std::size_t(at)]++, "xcd_order");
        }
    }
    std::vector<int> seen(19 * 7, 0);
    for (int i = 0; i < 19 * 7; ++i) {
        const auto at = block::swizzled_order(i, 19, 7, 8);
        check(at.row >= 0 && at.row < 19 && at.column >= 0 && at.column < 7 &&
                  !seen[std::size_t(at.row * 7 + at.column)]++,
              "swizzled_order");
    }
}

/// All tiles at once where there are compute units for them; else a workgroup each, in whole clusters.
void check_workgroups() {
    const auto launches = [](int rows, int layers, int cluster, int units, int count) {
        return block::persistent_workgroups(rows, 5, layers, cluster, units) == count;
    };
    check(launches(4, 3, 1, 1000, 60) && launches(4, 3, 1, 7, 7) && launches(4, 3, 2, 1000, 60) &&
              launches(3, 1, 2, 1000, 20) && launches(4, 3, 2, 7, 6) && launches(4, 3, 2, 1, 2) &&
              block::persistent_workgroups(3, 5, 1, 2, 1000, 2) == 18 &&
              block::pairs_along_columns(5, 2, 2) && !block::pairs_along_columns(55, 54, 2),
          "workgroups that stay");
}

/// Registers of Hopper's waves as CUTLASS divides them, too.
void check_roles() {
    const auto divides = [](int groups, int producer, int consumer) {
        const block::role_registers got = block::registers_for(groups);
        return got.producer == producer && got.consumer == consumer;
    };
    check(divides(1, 0, 0) && divides(2, 40, 232) && divides(3, 32, 160), "registers of roles");
}

template <class T>
void check_numbers() {
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const T x{std::uint16_t(bits)};
        const double v = test::value_of(x);
        check(std::isnan(v) ? std::isnan(to_f32(x)) : double(to_f32(x)) == v, "a 16-bit number as f32");
        for (const std::uint32_t below : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u, 0x8001u}) {
            const auto wide = std::bit_cast<float>(bits << 16 | below);
            const T narrow = convert<T>(wide);
            check(std::isnan(wide) ? std::isnan(test::value_of(narrow))
                                   : narrow.bits == test::encode(test::format_of<T>, double(wide)),
                  "f32 rounded to 16 bits");
        }
    }
}

template <class... Archs>
constexpr bool all_maps_cover(arch::arch_list<Archs...>) {
    return ((atom::maps_cover<typename Archs::template atom<f16>>() &&
             atom::maps_cover<typename Archs::template atom<f32>>()) &&
            ...);
}

}  // namespace

int main() {
    check_stages(), check_gates(), check_orders(), check_workgroups(), check_roles(), check_numbers<f16>(),
        check_numbers<bf16>();
    check(test::wrong_pairs<f8e4m3>() + test::wrong_pairs<f8e5m2>() + test::wrong_pairs<f8e4m3fnuz>() +
                  test::wrong_pairs<f8e5m2fnuz>() ==
              0,
          "two 8-bit numbers as f16");
    for (const auto& c : test::access_cases) check(test::wrong_choice(c).empty(), c.what);
    check(all_maps_cover(arch::amd{}), "lane maps");
    return failures != 0;
}
