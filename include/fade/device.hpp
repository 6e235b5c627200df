// The truth about devices: what a GPU is, from which source, and what its runtime misreports.
#pragma once
#include <fade/device/description.hpp>   // describe: from what every source said to traits, conflicts and use
