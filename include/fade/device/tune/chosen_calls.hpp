// Calls of a GPU that are chosen once and begun many times, so that what is timed is the GPU.
#pragma once
#include <fade/device/operation.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace FADE_NAMESPACE::detail {

/// A call, ready to begin.
template <class Device, class Operation>
std::function<void()> ready_call(Device& device, Operation operation) {
    return [&device, one = std::make_shared<Operation>(std::move(operation))] {
        run_operation(device, *one, {});
    };
}

/// A call that nobody times, to its end.
template <class Device, class Operation>
void run_once(Device& device, Operation operation) {
    run_operation(device, operation, {});
    if constexpr (requires { device.synchronize(); }) device.synchronize();
}

/// Calls of each policy with each set of memory: choosing takes longer than a small call of a GPU.
class chosen_calls {
public:
    using call = std::function<void()>;
    /// So many calls of a policy, to their end; each takes the next set. `make` gives the call of the next.
    template <class Device>
    void run(Device& device, const std::string& policy, int sets, int times,
             const std::function<call()>& make) {
        std::vector<call>& ready = of_[policy];
        while (int(ready.size()) < sets) ready.push_back(make());
        for (int i = 0; i < times; ++i, next_ = (next_ + 1) % ready.size()) ready[next_]();
        if constexpr (requires { device.synchronize(); }) device.synchronize();
    }

private:
    std::map<std::string, std::vector<call>> of_;
    std::size_t next_ = 0;
};

}  // namespace FADE_NAMESPACE::detail
