// The devices of the runtime that this program was built with; none in a build without one.
#pragma once
#include <fade/backend/device_reading.hpp>
#include <map>
#include <string>
#include <vector>

namespace fade::doctor {

std::vector<backend::device_reading> runtime_devices();

/// "hip" or "cuda", and what it needs below it, with their versions; empty in a build without a runtime.
std::map<std::string, std::string> runtime_versions();

}  // namespace fade::doctor
