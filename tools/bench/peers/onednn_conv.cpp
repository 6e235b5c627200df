// oneDNN's convolutions on the host.
#include "../../common/refusal.hpp"
#include "../conv/call.hpp"
#include "../peer_maker.hpp"
#include <algorithm>
#include <dnnl.hpp>
#include <memory>
#include <unordered_map>

namespace fade::bench {
namespace {

using dims = dnnl::memory::dims;
using on = std::unordered_map<int, dnnl::memory>;

/// A tensor as it lies in memory, and in the order that a primitive likes best.
struct described {
    dnnl::memory::desc given, any;
};

dnnl::memory::data_type type_of(fade::dtype t) {
    return t == fade::dtype::f32 ? dnnl::memory::data_type::f32 : dnnl::memory::data_type::bf16;
}

/// Depth where there is any, height and width. oneDNN is best at two dimensions.
template <class Sizes>
dims dimensions(const conv_problem& p, const Sizes& s) {
    const bool deep = p.input.d > 1 || p.filter.d > 1 || p.pad.d > 0 || p.pad_end.d > 0;
    return deep ? dims{s.d, s.h, s.w} : dims{s.h, s.w};
}

/// A tensor whose channels are the last dimension in memory; oneDNN names them behind `before`, which lie as
/// they are named.
described channels_last(dims before, index channels, const dims& pixels, dnnl::memory::data_type type) {
    dims sizes = before, strides(before.size() + 1 + pixels.size());
    sizes.push_back(channels);
    sizes.insert(sizes.end(), pixels.begin(), pixels.end());
    strides[before.size()] = 1;
    index step = channels;
    for (std::size_t i = sizes.size(); i-- > before.size() + 1; step *= sizes[i]) strides[i] = step;
    for (std::size_t i = before.size(); i-- > 0; step *= sizes[i]) strides[i] = step;
    return {{sizes, type, strides}, {sizes, type, dnnl::memory::format_tag::any}};
}

/// The filter, with its groups where there are several.
described filter_of(const conv_problem& p, dnnl::memory::data_type type) {
    const dims before = p.groups > 1 ? dims{p.groups, p.filters / p.groups} : dims{p.filters};
    return channels_last(before, p.channels / p.groups, dimensions(p, p.filter), type);
}

/// Dilation counts from 0.
struct geometry {
    dims stride, dilation, before, behind;

    explicit geometry(const conv_problem& p)
        : stride(dimensions(p, p.stride)), dilation(dimensions(p, p.dilation)), before(dimensions(p, p.pad)),
          behind(dimensions(p, p.pad_end)) {
        for (auto& d : dilation) --d;
    }
};

/// What oneDNN would run for these words of a description, of which a backward pass has a forward one beside.
template <class Primitive, class... Words>
auto chosen(const dnnl::engine& engine, const Words&... words) {
#if DNNL_VERSION_MAJOR >= 3
    return typename Primitive::primitive_desc(engine, words...);
#else
    return typename Primitive::primitive_desc(typename Primitive::desc(words...), engine);
#endif
}
template <class Primitive, class... Words>
auto chosen_beside(const dnnl::convolution_forward::primitive_desc& forward, const dnnl::engine& engine,
                   const Words&... words) {
#if DNNL_VERSION_MAJOR >= 3
    return typename Primitive::primitive_desc(engine, words..., forward);
#else
    return typename Primitive::primitive_desc(typename Primitive::desc(words...), engine, forward);
#endif
}

/// A primitive for calls of one problem.
class ready {
public:
    ready(const conv_call& call, const element& e)
        : pass_(call.pass), x_(image_of(call.problem, call.problem.channels, call.problem.input, e).given),
          y_(image_of(call.problem, call.problem.filters, call.problem.output(), e).given) {
        const geometry g(call.problem);
        const described w = filter_of(call.problem, type_of(e.type));
        constexpr auto direct = dnnl::algorithm::convolution_direct;
        const auto kind = pass_ == conv_pass::forward ? dnnl::prop_kind::forward_inference
                                                      : dnnl::prop_kind::forward_training;
        const auto forward = chosen<dnnl::convolution_forward>(engine_, kind, direct, x_, w.any, y_, g.stride,
                                                               g.dilation, g.before, g.behind);
        w_ = w.given;
        if (pass_ == conv_pass::forward) {
            own_ = forward.weights_desc(), primitive_ = dnnl::convolution_forward(forward);
        } else if (pass_ == conv_pass::backward_data) {
            const auto found = chosen_beside<dnnl::convolution_backward_data>(
                forward, engine_, direct, x_, w.any, y_, g.stride, g.dilation, g.before, g.behind);
            own_ = found.weights_desc(), primitive_ = dnnl::convolution_backward_data(found);
        } else {
            const auto found = chosen_beside<dnnl::convolution_backward_weights>(
                forward, engine_, direct, x_, w.any, y_, g.stride, g.dilation, g.before, g.behind);
            own_ = found.diff_weights_desc(), primitive_ = dnnl::convolution_backward_weights(found);
        }
    }

    /// The filter in the primitive's own order is brought there once; a gradient of it goes back each time.
    on at(const conv_call& call) {
        dnnl::memory x(x_, engine_, call.x), w(w_, engine_, call.w), y(y_, engine_, call.y);
        const bool weights = pass_ == conv_pass::backward_weights;
        dnnl::memory own = own_ == w_ ? w : dnnl::memory(own_, engine_);
        if (own_ != w_ && !weights) {
            dnnl::reorder(w, own).execute(stream_, w, own);
            stream_.wait();
        }
        if (weights)
            return {{DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_WEIGHTS, own}, {DNNL_ARG_DIFF_DST, y}, {back, w}};
        if (pass_ == conv_pass::forward)
            return {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, own}, {DNNL_ARG_DST, y}};
        return {{DNNL_ARG_DIFF_SRC, x}, {DNNL_ARG_WEIGHTS, own}, {DNNL_ARG_DIFF_DST, y}};
    }
    void start(on& with) {
        const auto filter = with.find(back);
        if (filter == with.end()) return primitive_.execute(stream_, with);
        dnnl::memory w = filter->second, own = with.at(DNNL_ARG_DIFF_WEIGHTS);
        primitive_.execute(stream_, {{DNNL_ARG_SRC, with.at(DNNL_ARG_SRC)},
                                     {DNNL_ARG_DIFF_WEIGHTS, own},
                                     {DNNL_ARG_DIFF_DST, with.at(DNNL_ARG_DIFF_DST)}});
        if (own_ != w_) dnnl::reorder(own, w).execute(stream_, own, w);
    }
    void wait() { stream_.wait(); }

private:
    static constexpr int back = -1;  ///< where the gradient of the filter is wanted

    static described image_of(const conv_problem& p, int channels, const spatial& pixels, const element& e) {
        return channels_last({p.batch}, channels, dimensions(p, pixels), type_of(e.type));
    }

    dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream_{engine_};
    conv_pass pass_;
    dnnl::memory::desc x_, w_, y_, own_;
    dnnl::primitive primitive_;
};

}  // namespace

extern "C" void fade_bench_conv_onednn(measured& out, const std::vector<conv_call>& calls, const element& e) {
    const conv_problem& p = calls[0].problem;
    if (std::min<index>({p.batch, p.channels, p.filters}) == 0)
        throw tools::refusal("--vs is onednn, which is not measured on a problem without work.");
    try {
        const auto it = std::make_shared<ready>(calls[0], e);
        std::vector<on> sets;
        for (const conv_call& call : calls) sets.push_back(it->at(call));
        const auto turn = std::make_shared<in_turn<on>>(std::move(sets));
        out = {[it, turn] { it->start(turn->next()); }, [it] { it->wait(); }};
    } catch (const dnnl::error& failure) {
        throw tools::refusal(std::string("--vs is onednn, which refuses this problem: ") + failure.what() +
                             ".");
    }
}

}  // namespace fade::bench
