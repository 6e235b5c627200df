// The truth about devices: what a GPU is, from which source, and what its runtime misreports.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/live/join.hpp>         // describe_joined: a runtime's device with what the machine says
#include <fade/device/live/machine.hpp>      // query_devices, known_devices: this machine or a recorded one
#include <fade/device/live/true_device.hpp>  // with_true_units: a GPU whose selector counts on it
#include <fade/device/plan/grid.hpp>         // resident workgroups and grids, from true traits
#include <fade/device/plan/largest.hpp>      // largest_units: for plans without a device
#include <fade/device/plan/occupancy.hpp>
#include <fade/device/truth/description.hpp>  // describe: from all that was said to traits and conflicts

#include <fade/core/quiet_end.inc>
