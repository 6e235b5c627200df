// expect: this stage of an epilogue is not trivially copyable, since it holds what owns memory
// names: named
#include <fade/gemm.hpp>
#include <string>

struct named : fade::epilogue::stage {
    static constexpr const char* name = "named";
    std::string what;
    template <class Value>
    Value operator()(Value v, const fade::epilogue::position&) const {
        return v;
    }
};
void call(fade::host_device& device) { fade::gemm<float>(device, {}, {}, named{}); }
