// Which dies and products exist: the last resort, dated, used where no source on the machine answers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <fade/device/truth/architecture.hpp>
#include <iterator>
#include <string_view>

namespace FADE_NAMESPACE::truth {

inline constexpr const char* product_table = "product table of 2026-08";
inline constexpr std::uint32_t not_settled = 0xffff;

enum class memory_kind : std::uint8_t { other, gddr5, gddr6, hbm2, hbm3 };

/// A die, or the dies of one package that are one device. Sources: ROCm's gpu-arch-specs.rst (CUs, caches),
/// the kernel's boot lines "SE n, SH per SE n" (engines and arrays, which harvesting does not change).
struct chip {
    std::string_view name, gfx;
    std::uint32_t max_cus;          ///< of a device in one piece
    std::uint32_t engines, arrays;  ///< per compute die; arrays per engine
    std::uint32_t l2_kib;           ///< per compute die
    bool apu;
    memory_kind memory;
    std::uint16_t sold[8] = {};  ///< numbers of CUs that products have; none: not settled
    std::uint32_t channels = 0;  ///< of 32 bits, where each carries its share of the memory-side cache
    std::uint32_t l3_mib = 0;    ///< with all channels; a product with fewer has less
    std::uint32_t cu_slots = 0;  ///< places for CUs per shader array, working or not

    constexpr bool sells(std::uint64_t cus) const {
        bool found = sold[0] == 0 && cus <= max_cus;
        for (std::uint16_t n : sold) found = found || (n != 0 && n == cus);
        return found;
    }
};

inline constexpr chip chips[] = {
#include <fade/device/truth/chips.inc>
};

/// What is sold. Zero where a name covers several configurations, or nobody settled it.
struct product {
    std::string_view name, chip;
    std::uint32_t cus;     ///< of the whole device: a die of MI250, all eight of MI300X
    std::uint32_t l3_mib;  ///< 0: has none; not_settled
    std::uint32_t memory_gib = 0;
    std::uint32_t xccs = 1;
    std::uint32_t dies = 1;  ///< devices in a package that no partition mode makes: 2 for MI250
    std::uint32_t l2_kib =
        0;  ///< where it differs from the chip's; not_settled: a cut that no source describes
    bool engines_known = true;
};

inline constexpr product products[] = {
#include <fade/device/truth/products.inc>
};

/// Processors with graphics of a chip whose CUs old kernels miscount, by the name that such drivers show for
/// the graphics. Source: AMD's processor pages ("graphics core count").
struct processor {
    std::string_view name, chip;
    std::uint32_t cus;
};

inline constexpr processor processors[] = {
#include <fade/device/truth/processors.inc>
};

/// A row of the id table: which product a PCI device and revision is.
struct product_id {
    std::uint32_t device;
    std::uint32_t revision;  ///< any_revision: the device id has no rows by revision
    std::string_view product;
};
inline constexpr std::uint32_t any_revision = 0x100;

/// Source: the id table of libdrm of July 2026, in which the first match wins.
inline constexpr product_id product_ids[] = {
#include <fade/device/truth/ids.inc>
};

template <class Rows>
constexpr const auto* row_named(const Rows& rows, std::string_view name) {
    for (const auto& row : rows)
        if (row.name == name) return &row;
    return static_cast<decltype(std::begin(rows))>(nullptr);
}

/// Worked out when compiled, for every product: the row of its chip, and whether products of that chip have a
/// settled count.
struct product_facts {
    std::size_t chip = 0;
    bool chip_settled = false;
};

struct facts_table {
    product_facts of[std::size(products)];
};

// Few steps, and none in a container: clang stops at 1048576, and checked containers take three times as
// many.
inline constexpr facts_table facts_of_products = [] {
    facts_table out{};
    bool settled[std::size(chips)] = {};
    for (std::size_t i = 0; i < std::size(products); ++i) {
        while (chips[out.of[i].chip].name != products[i].chip) ++out.of[i].chip;
        settled[out.of[i].chip] |= products[i].cus != 0;
    }
    for (product_facts& f : out.of) f.chip_settled = settled[f.chip];
    return out;
}();

constexpr const product_facts& facts_of(const product& p) {
    return facts_of_products.of[std::size_t(&p - std::begin(products))];
}
constexpr const chip& chip_of(const product& p) { return chips[facts_of(p).chip]; }

/// A typing error in a table does not compile.
constexpr bool tables_agree() {
    for (const product& p : products)
        if (!row_named(chips, p.chip)) return false;
    for (const product_id& id : product_ids)
        if (!row_named(products, id.product)) return false;
    for (const processor& p : processors)
        if (!row_named(chips, p.chip)) return false;
    return true;
}

}  // namespace FADE_NAMESPACE::truth
