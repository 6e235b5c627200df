// The devices of the demo. Each file beside this compiles it for some of them.
#pragma once
#include "outcome.hpp"
#include "settings.hpp"
#include <optional>
#include <string>

namespace demo {

/// Each runs the demo where the name is one of theirs. `auto` is theirs where there is such a device.
std::optional<outcome> on_gpu(const std::string& name, const settings& s, const digits& data);
std::optional<outcome> on_emulated_cdna(const std::string& name, const settings& s, const digits& data);
std::optional<outcome> on_emulated_rdna(const std::string& name, const settings& s, const digits& data);
std::optional<outcome> on_host(const std::string& name, const settings& s, const digits& data);

}  // namespace demo
