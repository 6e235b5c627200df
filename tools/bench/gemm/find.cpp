#include "find.hpp"
#include <algorithm>

namespace fade::bench {
namespace {

[[noreturn]] void refuse_chain(const gemm_request& request, const std::string& kind,
                               std::vector<std::string> held) {
    held.insert(held.begin(), "none");
    throw tools::refusal("--epilogue is " + tools::quoted(name(request.epilogue)) + ", but the " + kind +
                         " kernels of fade-bench have " + tools::listed(held) + "; the nearest is " +
                         nearest_chain(request.epilogue, held) + ".");
}

}  // namespace

const gemm_runner& find_runner(const gemm_request& request, const std::string& kind, const gemm_call& call) {
    const auto& found = find_runner<gemm_runner>("gemm", request, kind, call);
    const auto held = found.chains();
    if (!held.empty() && !request.epilogue.empty() && !std::ranges::count(held, name(request.epilogue)))
        refuse_chain(request, kind, held);
    return found;
}

const gemm_runner& find_planner(const gemm_request& request, const device_choice& device,
                                const gemm_call& call) {
    return find_runner(request, planner_kind(device, keys_of_runners<gemm_runner>()), call);
}

}  // namespace fade::bench
