// The devices that this compiler can reach.
#pragma once
#include <fade/arch/arch_list.hpp>
#include <fade/backend/vendor/device.hpp>
#include <fade/device/emulated_device.hpp>
#include <fade/device/host_device.hpp>
