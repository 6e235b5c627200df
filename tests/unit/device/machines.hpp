// Readings as machines give them, made from the product table with the misreports of the catalogue.
#pragma once
#include <fade/device/truth/description.hpp>
#include <string>
#include <vector>

namespace machines {

using namespace fade::truth;

/// What a device really is, by the table.
struct truth_of {
    const product* p;
    std::uint32_t device, revision;
    const chip& die() const { return chip_of(*p); }
    const architecture& arch() const { return *find_architecture(die().gfx); }
};

/// Every settled product that has a PCI id of its own.
inline std::vector<truth_of> all() {
    std::vector<truth_of> out;
    for (const product_id& id : product_ids) {
        const product* p = row_named(products, id.product);
        if (p->cus != 0 && find_architecture(chip_of(*p).gfx)) out.push_back({p, id.device, id.revision});
    }
    return out;
}

inline std::uint64_t version_of(std::string_view gfx) {
    const auto digit = [](char c) { return std::uint64_t(c <= '9' ? c - '0' : c - 'a' + 10); };
    const std::string_view d = gfx.substr(3);
    std::uint64_t major = 0;
    for (char c : d.substr(0, d.size() - 2)) major = major * 10 + digit(c);
    return major * 10000 + digit(d[d.size() - 2]) * 100 + digit(d.back());
}

/// CUs as kernels of the time counted them: of old APUs from a firmware table.
inline std::uint64_t units_by_kernel(const truth_of& t) {
    return t.die().gfx == "gfx902" ? 11 : t.die().gfx == "gfx90c" ? 27 : t.p->cus;
}

inline void runtime(readings& r, const truth_of& t) {
    const bool pairs = t.arch().rdna;
    r.runtime.multiprocessors = units_by_kernel(t) / (pairs ? 2 : 1);
    r.runtime.target = std::string(t.die().gfx), r.runtime.warp_size = t.arch().wave();
    r.runtime.threads_per_multiprocessor =
        t.arch().simd_per_cu * t.arch().waves_per_simd * t.arch().wave() * (pairs ? 2 : 1);
    r.runtime.l2_bytes = t.p->xccs > 1 ? t.die().l2_kib * 1024 : std::uint64_t(0);  // one die's, or nothing
}

inline void kernel(readings& r, const truth_of& t) {
    r.kernel.simd_count = units_by_kernel(t) * t.arch().simd_per_cu,
    r.kernel.simd_per_cu = t.arch().simd_per_cu;
    r.kernel.gfx_target_version = version_of(t.die().gfx), r.kernel.device_id = t.device,
    r.kernel.num_xcc = t.p->xccs;
    r.kernel.wave_front_size = t.arch().wave();
}

inline void agent(readings& r, const truth_of& t) {
    r.agent.name = std::string(t.die().gfx), r.agent.chip_id = t.device,
    r.agent.compute_units = units_by_kernel(t);
    if (t.die().engines && t.die().arrays)
        r.agent.shader_engines =
            t.die().engines * t.die().arrays * t.p->xccs;  // arrays under the name of engines
}

inline void driver(readings& r, const truth_of& t) {
    if (t.p->xccs == 1) r.driver.active_cus = t.p->cus;
}

inline void pci(readings& r, const truth_of& t) {
    r.pci.vendor = 0x1002, r.pci.device = t.device;
    if (t.revision != any_revision) r.pci.revision = t.revision;
}

using source = void (*)(readings&, const truth_of&);
inline constexpr source sources[] = {runtime, kernel, agent, driver, pci};

}  // namespace machines
