#include "to_json.hpp"
#include "table.hpp"

namespace fade::doctor {
namespace {

using ordered = nlohmann::ordered_json;

template <class T>
ordered trait(const truth::field<T>& f) {
    ordered out;
    out["value"] = f.value ? ordered(*f.value) : ordered();
    if (f.reported) out["reported"] = *f.reported;
    if (f.value) out["source"] = f.source, out["corrected"] = f.corrected;
    out["why"] = f.why;
    return out;
}

ordered conflict(const truth::conflict& c) {
    return {{"field", c.field},
            {"source", c.source},
            {"said", c.said},
            {"other_source", c.other_source},
            {"other_said", c.other_said},
            {"verdict", c.verdict}};
}

/// Can FADE use it? No where programs cannot open it, or where there are no kernels for it; null where nobody
/// knows what it is.
void add_use(ordered& out, const device_description& d) {
    const bool known = !d.arch.empty(), runs = known && (d.arch == "host" || !kernels_of(d.arch).empty());
    out["usable"] = !d.use.possible ? ordered(false) : known ? ordered(runs) : ordered();
    if (!d.use.why.empty())
        out["use"] = {{"why", d.use.why}, {"remedy", d.use.remedy}};
    else if (!known)
        out["use"] = {{"why", "its architecture is unknown"},
                      {"remedy", "give a record that names it: rocminfo, or the files of /sys/class/kfd"}};
    else if (!runs)
        out["use"] = {{"why", "FADE has no kernels for " + d.arch},
                      {"remedy", "fade-doctor --evidence lists the architectures that have kernels"}};
}

ordered device(const device_description& d) {
    ordered out = {{"name", d.name},
                   {"arch", d.arch.empty() ? ordered() : ordered(d.arch)},
                   {"backend", d.backend},
                   {"slot", d.slot.empty() ? ordered() : ordered(d.slot)}};
    add_use(out, d);
    ordered& traits = out["traits"] = ordered::object();
    truth::each_trait(d.traits, [&](const char* name, const auto& f) { traits[name] = trait(f); });
    out["conflicts"] = ordered::array();
    for (const truth::conflict& c : d.conflicts) out["conflicts"].push_back(conflict(c));
    out["notes"] = d.notes;
    out["versions"] = ordered::object();
    for (const auto& [name, version] : d.versions) out["versions"][name] = version;
    return out;
}

}  // namespace

ordered to_json(const std::vector<device_description>& devices) {
    ordered out;
    out["devices"] = ordered::array();
    for (const device_description& d : devices) out["devices"].push_back(device(d));
    return out;
}

}  // namespace fade::doctor
