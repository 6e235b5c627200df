// The truth about devices: what a GPU is, from which source, and what its runtime misreports.
#pragma once
#include <fade/device/description.hpp>    // describe: from what every source said to traits, conflicts and use
#include <fade/device/live/join.hpp>      // describe_joined: a device of a runtime, with what the machine says of it
#include <fade/device/live/machine.hpp>   // query_devices, known_devices: this machine, or a copy of another's sysfs
#include <fade/device/live/true_device.hpp>   // with_true_units: a GPU whose selector counts on it
#include <fade/device/plan/grid.hpp>      // resident workgroups and grids, from true traits
#include <fade/device/plan/largest.hpp>   // largest_units: for plans without a device
#include <fade/device/plan/occupancy.hpp>
