// How many compute units the selectors of this program count on.
#pragma once
#include <string_view>

namespace fade::bench {

/// Of a GPU, by all that the machine says of it; 0 where that is not known, which devices take for their runtime's count.
int units_of_gpu(int device);

/// Of an architecture without a device: those of the largest one that is sold, or what emulations take where none is known.
int units_of_arch(std::string_view arch);

}  // namespace fade::bench
