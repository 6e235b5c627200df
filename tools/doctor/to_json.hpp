// A device as JSON, in the form that scripts rely on.
#pragma once
#include <fade/device/truth/description.hpp>
#include <nlohmann/json.hpp>
#include <vector>

namespace fade::doctor {

/// {"devices": [{name, arch, backend, traits, conflicts, usable, ...}]}
nlohmann::ordered_json to_json(const std::vector<device_description>& devices);

}  // namespace fade::doctor
