#include "to_json.hpp"

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

ordered device(const device_description& d) {
    ordered out = {{"name", d.name},
                   {"arch", d.arch.empty() ? ordered() : ordered(d.arch)},
                   {"backend", d.backend},
                   {"slot", d.slot.empty() ? ordered() : ordered(d.slot)}};
    out["usable"] = d.use.possible;
    if (!d.use.why.empty()) out["use"] = {{"why", d.use.why}, {"remedy", d.use.remedy}};
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
