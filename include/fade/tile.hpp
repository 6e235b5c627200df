// Kernels of one's own, in verbs over tiles: docs/writing-a-kernel.md.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/block/tile/accumulator.hpp>
#include <fade/block/tile/load.hpp>
#include <fade/block/tile/mma.hpp>
#include <fade/block/tile/online_softmax.hpp>
#include <fade/block/tile/pipeline.hpp>
#include <fade/block/tile/row_reduce.hpp>
#include <fade/block/tile/shared.hpp>
#include <fade/block/tile/store.hpp>
#include <fade/block/tile/stream.hpp>
#include <fade/block/tile/warpgroup.hpp>
#include <fade/device/devices.hpp>

#include <fade/core/quiet_end.inc>
