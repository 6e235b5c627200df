// The devices of the demo. Each file beside this compiles it for some of them.
#pragma once
#include "curve.hpp"
#include "digits.hpp"
#include "model.hpp"
#include "settings.hpp"
#include <memory>

namespace demo {

/// A device that runs models.
class examiner {
public:
    virtual ~examiner() = default;
    virtual std::string words() const = 0;
    virtual answers examine(const model& m, const settings& s, const digits& data) = 0;
};

/// One that is fast enough to train them, too.
class trainer : public examiner {
public:
    virtual batch_limits limits(arithmetic kind) = 0;
    virtual model train(arithmetic kind, const settings& s, const digits& data, curve& c) = 0;
};

/// Each is null where the name is none of theirs; `auto` is a GPU's where there is one, else the host's.
std::unique_ptr<trainer> gpu_trainer(const std::string& name);
std::unique_ptr<trainer> host_trainer(const std::string& name);
std::unique_ptr<examiner> emulated_gfx942(const std::string& name);
std::unique_ptr<examiner> emulated_gfx1100(const std::string& name);

}  // namespace demo
