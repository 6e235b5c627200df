// Steps of optimizers, captured as launches on an architecture would be.
#pragma once
#include "capture.hpp"
#include "launched.hpp"
#include <cmath>
#include <fade/optimizer.hpp>
#include <random>

namespace fade::replay {

/// `count` numbers of T.
template <class T>
std::vector<T> drawn(index count, double deviation, double mean, std::mt19937_64& random) {
    std::normal_distribution<float> normal{float(mean), float(deviation)};
    std::vector<T> out(static_cast<std::size_t>(count));
    for (T& x : out) x = convert<T>(normal(random));
    return out;
}

/// AdamW of scaled gradients of 16 bits, with a copy of their type. `first`: where lists begin; at 0 they lie
/// in aligned runs.
inline void capture_adamw(capture_target target, const fs::path& folder, index first,
                          std::mt19937_64& random) {
    const index count = 700 + index(random() % 300);
    const auto gradient = drawn<f16>(first + count, 20, 0, random);
    auto master = drawn<float>(first + count, 1, 0, random),
         moment = drawn<float>(first + count, 0.1, 0, random),
         square = drawn<float>(first + count, 0.001, 0.02, random);
    std::vector<f16> copy(gradient.size());
    const float nonfinite = 0;
    const adamw_problem p{.count = count, .rate = 0.01, .weight_decay = 0.1, .step = 3, .loss_scale = 64};
    std::vector<double> of_master, of_moment, of_square;
    for (std::size_t i = std::size_t(first); i < gradient.size(); ++i) {
        const double g = double(convert<float>(gradient[i])) / p.loss_scale,
                     m = p.beta1 * double(moment[i]) + (1 - p.beta1) * g,
                     v = p.beta2 * double(square[i]) + (1 - p.beta2) * g * g;
        const double unbiased = m / (1 - std::pow(p.beta1, 3)),
                     root = std::sqrt(v / (1 - std::pow(p.beta2, 3)));
        of_moment.push_back(m), of_square.push_back(v);
        of_master.push_back(double(master[i]) -
                            p.rate * (unbiased / (root + p.epsilon) + p.weight_decay * double(master[i])));
    }
    capture out(folder);
    const auto list = [&](const char* name, auto& values, const char* role) {
        out.memory(name, values.data() + first, std::size_t(count) * sizeof(values[0]), role);
        return values.data() + first;
    };
    const adamw_operands<f16> o{.gradient = list("gradient", gradient, "in"),
                                .master = list("master", master, "inout"),
                                .first_moment = list("moment", moment, "inout"),
                                .second_moment = list("square", square, "inout"),
                                .copy = list("copy", copy, "inout"),
                                .nonfinite = &nonfinite};
    out.memory("nonfinite", &nonfinite, sizeof nonfinite, "in");
    auto step = adamw_operation(target, p, o);
    for (const auto& l : plan_operation(target, step).launches) out.launch(target.row(), l);
    out.expect("master", "f32", of_master, 1e-6), out.expect("moment", "f32", of_moment, 1e-6);
    out.expect("square", "f32", of_square, 1e-6), out.expect("copy", "f16", of_master, 0x1p-10);
    out.close();
}

/// One element of many is infinite, in a run that not all workgroups see.
inline void capture_find_nonfinite(capture_target target, const fs::path& folder, std::mt19937_64& random) {
    auto gradient = drawn<f16>(20000 + index(random() % 5000), 1, 0, random);
    gradient[random() % gradient.size()] = convert<f16>(INFINITY);
    std::vector<float> found(1), workspace(1024);
    capture out(folder);
    keep(out, "gradient", gradient, "in"), keep(out, "found", found, "inout");
    keep(out, "workspace", workspace, "inout");
    nonfinite_operation<f16> search(target, index(gradient.size()), gradient.data(), found.data());
    for (const auto& l :
         plan_operation(target, search,
                        {.workspace = workspace.data(), .workspace_bytes = workspace.size() * sizeof(float)})
             .launches)
        out.launch(target.row(), l);
    out.expect("found", "f32", {1.0}, 0);
    out.close();
}

inline void capture_optimizers(capture_target target, const fs::path& at, std::mt19937_64& random) {
    capture_adamw(target, at / "optimizer-adamw", 0, random);
    capture_adamw(target, at / "optimizer-adamw-elements", 3, random);
    capture_find_nonfinite(target, at / "optimizer-find-nonfinite", random);
}

}  // namespace fade::replay
