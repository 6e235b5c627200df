// From what every source said to what the device is: a pure function, with no state and no access to the
// machine.
#pragma once
#include <fade/device/truth/caches.hpp>
#include <fade/device/truth/conflicts.hpp>
#include <fade/device/truth/constants.hpp>
#include <fade/device/truth/foreign.hpp>
#include <fade/device/truth/notes.hpp>
#include <fade/device/truth/rates.hpp>
#include <fade/device/truth/traits.hpp>
#include <fade/device/truth/use.hpp>
#include <map>
#include <string>
#include <vector>

namespace FADE_NAMESPACE {

/// A device, the provenance of all that is said of it, and whether it can be used.
struct device_description {
    std::string name;      ///< of the product, or of the architecture where several have the device id
    std::string arch;      ///< gfx942, ...; empty: unknown
    std::string backend;   ///< hip or cuda
    std::string slot;      ///< PCI address; empty: unknown
    device_traits traits;  ///< what it is, each trait with its source
    std::vector<truth::conflict> conflicts;       ///< where sources disagree
    truth::use use;                               ///< whether it can be used, and if not, why
    std::vector<std::string> notes;               ///< what variables that are set do to the runtime's answers
    std::map<std::string, std::string> versions;  ///< of the driver, the kernel, runtimes, as they say them
};

namespace truth {

inline std::string name_of(const facts& f, const identity& id) {
    const bool one = id.products.by_device && !id.products.unlisted &&
                     !id.products.agreed([](const candidate& c) { return c.product->name; }).empty();
    if (one) return "AMD " + std::string(id.products.rows.front().product->name);
    if (!f.names.empty()) return f.names.front().value;
    if (f.foreign) return "a device of another vendor";
    return id.gfx ? "AMD GPU (" + *id.gfx + ")" : "AMD GPU";
}

}  // namespace truth

/// The truth about one device, as far as these readings hold it.
inline device_description describe(const truth::readings& r) {
    using namespace truth;
    const facts f = gather(r);
    const identity id = identify(f, r.user);
    device_description d;
    d.name = name_of(f, id), d.arch = id.gfx ? *id.gfx : "", d.backend = "hip",
    d.slot = r.pci.slot ? *r.pci.slot : "";
    device_traits& t = d.traits;
    t.gfx = id.gfx;
    t.cu_count = compute_units(r, f, id), t.wgp_count = workgroup_processors(t.cu_count, id),
    t.usable_cu_count = usable_units(t.cu_count, f, id);
    add_constants(t, r, id);
    t.xcc_count = compute_dies(f, id), t.partition = partition_mode(f, id);
    t.shader_engines = truth::shader_engines(f, id), t.shader_arrays_per_engine = shader_arrays(f, id);
    t.l2_bytes_total = level_2(r, f, id, t.xcc_count), t.l3_bytes = level_3(f, id),
    t.l3_bytes_shared_by_package = level_3_of_package(f, id);
    t.package_cu_count = package_units(id), t.package_xcc_count = package_dies(id),
    t.devices_per_package = devices_of_package(id);
    t.memory_total_bytes = memory_total(r, f, id),
    t.memory_usable_bytes = memory_usable(r, t.memory_total_bytes);
    t.memory_bus_bits = bus_width(r, f, id), t.memory_clock_mhz = memory_clock(r),
    t.engine_clock_mhz = engine_clock(r);
    add_rates(t, r, id);
    if (f.foreign) {
        const auto& said = r.runtime.multiprocessors ? r.runtime : r.framework;
        add_foreign(t, said), d.arch = foreign_arch(said), d.backend = "cuda";
    }
    d.conflicts = find_conflicts(f, id, t), d.use = may_use(r), d.notes = notes_on(r),
    d.versions = r.versions;
    return d;
}

}  // namespace FADE_NAMESPACE
