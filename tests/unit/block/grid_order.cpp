// Orders of workgroups: every tile exactly once, and the locality that is their purpose.
#include "common/property.hpp"
#include <fade/block/schedule/persistent.hpp>
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
        if (const auto quick = block::quick_order(i, f.rows, f.columns, f.group);
            quick.row != at.row || quick.column != at.column)
            return "quick_order is another order";
        if (at.row < 0 || at.row >= f.rows || at.column < 0 || at.column >= f.columns)
            return "a tile lies outside";
        if (seen[std::size_t(at.row * f.columns + at.column)]++) return "a tile is made twice";
        if (at.row / f.group != i / (f.group * f.columns)) return "a tile is made before its group";
    }
    return "";
}

struct clusters {
    int rows, columns, size, units;
};
std::ostream& operator<<(std::ostream& to, const clusters& c) {
    return to << c.rows << " x " << c.columns << " tiles, clusters of " << c.size << ", " << c.units
              << " compute units";
}
struct workgroup_of {
    int number;
    int id_x() const { return number; }
};

/// All tiles of two layers once, by workgroups of which those of a cluster are neighbours.
template <int Size>
std::string wrong_clusters(const clusters& c) {
    const int beside = block::cluster_columns(c.rows, c.columns, Size), above = Size / beside,
              count = block::persistent_workgroups(c.rows, c.columns, 2, Size, c.units, beside);
    if (beside * above != Size || count % Size != 0) return "a cluster is not whole";
    std::vector<int> seen(std::size_t(2 * c.rows * c.columns));
    for (int i = 0; i < count; ++i) {
        const block::persistent_schedule<Size> own(workgroup_of{i}, {c.rows, c.columns, 16, 1, 1}, 2, count,
                                                   beside);
        for (int at = own.start(); own.has(at); at = own.behind(at)) {
            const auto [tile, layer] = own.item(at);
            if (tile.row % above != i % Size / beside || tile.column % beside != i % beside)
                return "a workgroup is at another place of its cluster";
            if (tile.row < c.rows && tile.column < c.columns &&
                seen[std::size_t((layer * c.rows + tile.row) * c.columns + tile.column)]++)
                return "a tile is made twice";
        }
    }
    return std::count(seen.begin(), seen.end(), 1) == std::ptrdiff_t(seen.size()) ? "" : "a tile is not made";
}

}  // namespace

TEST_CASE("workgroups that stay make every tile once, clusters of any shape") {
    test::holds("persistent_schedule", 300, [] {
        const clusters c{*rc::gen::inRange(1, 30), *rc::gen::inRange(1, 30), *rc::gen::element(1, 2, 3, 4, 8),
                         *rc::gen::inRange(1, 140)};
        test::must_be_right(c, c.size == 1   ? wrong_clusters<1>(c)
                               : c.size == 2 ? wrong_clusters<2>(c)
                               : c.size == 3 ? wrong_clusters<3>(c)
                               : c.size == 4 ? wrong_clusters<4>(c)
                                             : wrong_clusters<8>(c));
    });
    CHECK(block::cluster_columns(8, 8, 4) == 2);
    CHECK(block::cluster_columns(1, 8, 4) == 4);
    CHECK(block::cluster_columns(8, 1, 4) == 1);
}

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
