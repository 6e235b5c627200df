// Libraries of others, loaded when they are measured and not before: OpenBLAS starts its threads when it is
// loaded.
#pragma once
#include <string>

namespace fade::bench {

/// A function of the library of a peer, libfade-bench-NAME.so beside this program.
void* peer_function(const std::string& peer, const std::string& function);

}  // namespace fade::bench
