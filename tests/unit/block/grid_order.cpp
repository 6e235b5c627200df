// Orders of workgroups: every tile exactly once, and the locality that is their purpose.
#include "common/property.hpp"
#include <fade/block/schedule/grid_order.hpp>
#include <vector>

using namespace fade;

namespace {

struct walk {
    int count, xcds, chunk;
};
std::ostream& operator<<(std::ostream& to, const walk& w) {
    return to << w.count << " workgroups, " << w.xcds << " dies, chunk " << w.chunk;
}

std::string wrong_walk(const walk& w) {
    std::vector<int> seen(std::size_t(w.count));
    for (int i = 0; i < w.count; ++i) {
        const int at = block::xcd_order(i, w.count, w.xcds, w.chunk);
        if (at < 0 || at >= w.count) return "a workgroup is sent outside";
        if (seen[std::size_t(at)]++) return "a tile is made twice";
    }
    return "";
}

struct field {
    int rows, columns, group;
};
std::ostream& operator<<(std::ostream& to, const field& f) {
    return to << f.rows << " x " << f.columns << " tiles, groups of " << f.group;
}

std::string wrong_field(const field& f) {
    std::vector<int> seen(std::size_t(f.rows * f.columns));
    for (int i = 0; i < f.rows * f.columns; ++i) {
        const block::tile_index at = block::swizzled_order(i, f.rows, f.columns, f.group);
        if (at.row < 0 || at.row >= f.rows || at.column < 0 || at.column >= f.columns)
            return "a tile lies outside";
        if (seen[std::size_t(at.row * f.columns + at.column)]++) return "a tile is made twice";
        if (at.row / f.group != i / (f.group * f.columns)) return "a tile is made before its group";
    }
    return "";
}

}  // namespace

TEST_CASE("xcd_order is a permutation") {
    test::holds("xcd_order", 500, [] {
        const walk w{*rc::gen::inRange(0, 2000), *rc::gen::element(1, 2, 4, 8), *rc::gen::inRange(1, 40)};
        test::must_be_right(w, wrong_walk(w));
    });
}

TEST_CASE("xcd_order gives each die runs of neighbouring tiles") {
    // Dies take workgroups in turn, so workgroups 0, 8, 16 and so on share a die.
    for (int turn = 0; turn < 32; ++turn)
        for (int die = 0; die < 8; ++die)
            CHECK(block::xcd_order(turn * 8 + die, 256, 8, 16) == turn / 16 * 128 + die * 16 + turn % 16);
}

TEST_CASE("swizzled_order is a permutation that finishes a group of rows before the next") {
    test::holds("swizzled_order", 500, [] {
        const field f{*rc::gen::inRange(1, 60), *rc::gen::inRange(1, 60), *rc::gen::inRange(1, 12)};
        test::must_be_right(f, wrong_field(f));
    });
}
