// A convolution in the words of reports.
#pragma once
#include <fade/core/dtype_names.hpp>
#include <fade/kernel/conv/problem.hpp>
#include <fade/tune/conv/select.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// "3x5x5", "5x5", or "5" where a dimension has size 1 in all that is named.
inline std::string in_words(const spatial& s) {
    std::string out = std::to_string(s.w);
    if (s.h != 1 || s.d != 1) out = std::to_string(s.h) + "x" + out;
    if (s.d != 1) out = std::to_string(s.d) + "x" + out;
    return out;
}

inline std::string conv_words(conv_pass pass, const conv_problem& p, dtype in, dtype out,
                              const std::string& epilogue) {
    std::string s = std::string("convolution ") + name(pass) + ", batch " + std::to_string(p.batch) + ", " +
                    in_words(p.input) + " x " + std::to_string(p.channels) + " channels, " +
                    std::to_string(p.filters) + " filters of " + in_words(p.filter);
    if (p.stride != spatial{}) s += ", stride " + in_words(p.stride);
    if (p.dilation != spatial{}) s += ", dilation " + in_words(p.dilation);
    if (p.pad != margins{}) s += ", pad " + in_words({p.pad.d, p.pad.h, p.pad.w});
    if (p.layout == conv_layout::channels_first) s += ", channels first";
    if (p.groups != 1) s += ", " + std::to_string(p.groups) + " groups";
    return s + ", " + name(in) + " to " + name(out) + ", epilogue " + epilogue;
}

/// Of backward data whose filter gets zeros where a pixel of x sees no tap that its neighbours see.
inline constexpr const char* zeros_of_strides =
    "; dy meets zeros where a pixel sees no tap, so that an infinity or a NaN reaches that pixel, too: "
    "implicit_gemm that is asked for makes none";

/// `gathers`: the host's kernel, which copies windows.
inline std::string conv_chosen(const tune::conv_choice& c, const gemm_policy& policy, int splits,
                               bool gathers) {
    const tile_shape& t = policy.block_tile;
    return std::string("implicit_gemm ") + (c.kernel.strided ? "by residues, " : "") +
           (gathers ? "gathered" : name(c.kernel.access)) + " " + std::to_string(t.m) + "x" +
           std::to_string(t.n) + "x" + std::to_string(t.k) + ", " + block::name(policy.pipeline) +
           (policy.cluster_k > 1 ? ", k shared in clusters of " + std::to_string(policy.cluster_k) : "") +
           (splits > 1 ? ", k shared by " + std::to_string(splits) : "");
}

}  // namespace FADE_NAMESPACE
