// A device as JSON, in the form that scripts rely on.
#pragma once
#include <vector>
#include <nlohmann/json.hpp>
#include <fade/device/description.hpp>

namespace fade::doctor {

/// {"devices": [{name, arch, backend, traits, conflicts, usable, ...}]}
nlohmann::ordered_json to_json(const std::vector<device_description>& devices);

}  // namespace fade::doctor
