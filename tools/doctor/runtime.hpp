// The devices of the runtime that this program was built with; none in a build without one.
#pragma once
#include <fade/backend/device_reading.hpp>
#include <vector>

namespace fade::doctor {

std::vector<backend::device_reading> runtime_devices();

}  // namespace fade::doctor
