// Row operators of one's own: a functor over rows, on every machine.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/row_call.hpp>
#include <fade/kernel/rows/narrow_rows.hpp>

#include <fade/core/quiet_end.inc>
