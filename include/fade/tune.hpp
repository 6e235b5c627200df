// Tuned policies that stay on the disk, and how they are found. Wants SQLite: link fade::tune.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/tune/find.hpp>
#include <fade/tune/database/database.hpp>

#include <fade/core/quiet_end.inc>
