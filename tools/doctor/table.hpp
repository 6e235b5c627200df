// What a person reads: devices, what was reported, what is true, why, conflicts, and what to do.
#pragma once
#include <fade/device/truth/description.hpp>
#include <string>
#include <vector>

namespace fade::doctor {

std::string tables(const std::vector<device_description>& devices, bool colour);

/// The architectures that FADE has kernels for, and on what evidence.
std::string evidence();

/// One line: the row of kernels that a device gets; empty where there is none.
std::string kernels_of(const std::string& gfx);

}  // namespace fade::doctor
