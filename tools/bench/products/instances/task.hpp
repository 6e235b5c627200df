// Products as the library's own calls.
#pragma once
#include "../../instances/launches.hpp"
#include "../call.hpp"

namespace fade::bench {

inline product_call moved(product_call call, const auto& there) {
    for (void*& p : call.memory)
        if (p) p = there(p);
    return call;
}

/// What the tasks of an operation share. Types: those of its inputs and of its outputs.
template <product_kind Op, class In_, class Out_>
class product_task {
public:
    using In = In_;
    using Out = Out_;
    class runner : public product_runner {
    public:
        using product_runner::product_runner;
        product_kind op() const override { return Op; }
    };

    explicit product_task(const product_call& call) : call_(call) {}
    const product_call& call() const { return call_; }

protected:
    using S = product_slot;
    template <class T>
    T* at(S slot) const {
        return call_.at<T>(slot);
    }
    product_call call_;
};

/// Adds runners of these tasks: `Of` makes the runner of one.
template <template <class> class Of, class... Tasks>
struct add_products {
    explicit add_products(const std::string& device) {
        (runners<product_runner>().push_back(std::make_unique<Of<Tasks>>(device)), ...);
    }
};

}  // namespace fade::bench
