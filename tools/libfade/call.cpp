#include "call.hpp"

namespace fade::c {
namespace {

std::string held_types(const backend& b, operation op) {
    std::string out;
    for (int i = 0; i < dtypes; ++i)
        for (int o = 0; o < dtypes; ++o)
            if (b.callers[int(op)][i][o])
                out += std::string(out.empty() ? "" : ", ") + fade::name(dtype(i)) + " to " +
                       fade::name(dtype(o));
    return out.empty() ? "none" : out;
}

}  // namespace

caller found(const fade_device& on, operation op, fade_dtype in, fade_dtype out) {
    require_dtype(in, "in"), require_dtype(out, "out");
    if (caller f = on.kind->callers[int(op)][in][out]) return f;
    throw unsupported("types", std::string(fade::name(dtype(in))) + " to " + fade::name(dtype(out)),
                      "for " + std::string(name(op)) + " on " + on.kind->kind + " this library holds " +
                          held_types(*on.kind, op));
}

}  // namespace fade::c
