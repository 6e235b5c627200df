// A decoder whose every step is a call of FADE. Activations are f32: machines add in different orders, and
// logits then differ by some 1e-5, so that they draw the same bytes unless a draw falls that near to a limit
// between two. In f16 limits would be thousands of times as wide.
#pragma once
#include "../demo/memory.hpp"
#include "checkpoint.hpp"
#include "rows.hpp"
#include <cmath>
#include <fade/attention.hpp>
#include <fade/gemm.hpp>
#include <fade/kv_cache.hpp>
#include <fade/norm.hpp>
#include <fade/reduce.hpp>
#include <fade/softmax.hpp>
#include <map>
#include <memory>

namespace gpt {

/// The likeliest bytes, and how likely each is among them.
struct choices {
    std::vector<float> bytes, probabilities;
};

template <class Device>
class model {
    using array = demo::array<Device, float>;
    using numbers = demo::array<Device, int>;

public:
    model(Device& device, const checkpoint& c)
        : device_(device), width_(c.width), heads_(c.heads), context_(c.context), bytes_(c.bytes),
          embedding_(device, c.embedding), gain_(device, c.gain), cos_(device, angles(c, std::cos)),
          sin_(device, angles(c, std::sin)), x_(device, of(width_)), normed_(device, of(width_)),
          qkv_(device, of(3 * width_)), attended_(device, of(width_)), hidden_(device, of(4 * width_)),
          logits_(device, of(bytes_)), loss_(device, of(1)), best_(device, most_choices),
          tokens_(device, of(1)), next_(device, of(1)), places_(device, most_choices), length_(device, 1) {
        for (const auto& l : c.layers) layers_.push_back(std::make_unique<layer>(device, l, of(width_)));
    }

    /// Reads on behind what the cache holds. Row i of the logits, divided by the temperature, says how likely
    /// each byte is behind text[i].
    void read(const std::string& text, double temperature = 1) {
        if (text.empty())
            throw fade::error("the text", "empty", "something stands before the byte that is asked for");
        for (const char c : text)
            if (c < 0 || c >= bytes_)
                throw fade::error("a byte of the text", std::to_string(c & 0xff),
                                  "the model knows those below " + std::to_string(bytes_));
        if (held_ + int(text.size()) > context_)
            throw fade::error("the text", std::to_string(held_ + int(text.size())) + " bytes long",
                              "the model was trained on " + std::to_string(context_));
        rows_ = int(text.size());
        tokens_.put({text.begin(), text.end()}), length_.put({float(held_)});
        device_.template launch<embedding>({rows_}, {embedding_.data(), tokens_.data(), x_.data(), width_}),
            ++calls_["embedding"];
        for (const auto& l : layers_) attend(*l), feed_forward(*l);
        norm(gain_);
        multiply(normed_, embedding_, logits_, {width_, bytes_}, {}, {.alpha = 1 / temperature});
        held_ += rows_;
    }
    void forget() { held_ = 0; }

    /// Of what was read last: the `k` likeliest bytes behind it (top-k sampling: Fan et al., 2018).
    choices likeliest(int k) {
        const float* last = logits_.data() + std::ptrdiff_t(rows_ - 1) * bytes_;
        count(fade::top_k<float>(device_, {.rows = 1, .columns = bytes_, .k = k}, last, best_.data(),
                                 places_.data()));
        count(fade::softmax<float>(device_, {.rows = 1, .columns = k}, best_.data(), best_.data()));
        choices out{places_.get(), best_.get()};
        out.bytes.resize(std::size_t(k)), out.probabilities.resize(std::size_t(k));
        return out;
    }
    /// Nats that each byte of `next` costs, of which one stands behind each byte that was read last.
    std::vector<float> losses(const std::string& next) {
        next_.put({next.begin(), next.end()});
        count(
            fade::cross_entropy<float>(device_, {.rows = rows_, .columns = bytes_},
                                       {.x = logits_.data(), .labels = next_.data(), .loss = loss_.data()}));
        std::vector<float> out = loss_.get();
        out.resize(next.size());
        return out;
    }
    static constexpr int most_choices = 64;

    int context() const { return context_; }
    int bytes() const { return bytes_; }
    /// How often each kernel ran.
    const std::map<std::string, int>& calls() const { return calls_; }

private:
    struct layer {
        array gain_1, qkv, out, gain_2, up, down, k, v;
        layer(Device& d, const checkpoint::layer& l, std::size_t cache)
            : gain_1(d, l.gain_1), qkv(d, l.qkv), out(d, l.out), gain_2(d, l.gain_2), up(d, l.up),
              down(d, l.down), k(d, cache), v(d, cache) {}
    };
    struct sizes {
        int in, out;
    };

    std::size_t of(int columns) const { return std::size_t(context_) * std::size_t(columns); }

    /// cos or sin of [position, pair], the slower the later the pair (Su et al., 2021).
    static std::vector<float> angles(const checkpoint& c, double (*f)(double)) {
        std::vector<float> out;
        for (int position = 0; position < c.context; ++position)
            for (int e = 0; e < c.head_dim(); e += 2)
                out.push_back(float(f(position * std::pow(10000.0, -double(e) / c.head_dim()))));
        return out;
    }

    /// x += attention over what the cache holds, new tokens included. Queries turn where they lie.
    void attend(layer& l) {
        const int d = width_ / heads_;
        const fade::attention_strides rows{0, 3 * width_, d};
        norm(l.gain_1);
        multiply(normed_, l.qkv, qkv_, {width_, 3 * width_});
        float* q = qkv_.data();
        count(fade::append_kv<float>(device_,
                                     {.heads = heads_,
                                      .kv_heads = heads_,
                                      .new_positions = rows_,
                                      .capacity = context_,
                                      .head_dim = d,
                                      .rotary_dim = d,
                                      .new_k_strides = rows,
                                      .new_v_strides = rows,
                                      .q_strides = rows,
                                      .q_out_strides = rows},
                                     {.new_k = q + width_,
                                      .new_v = q + 2 * width_,
                                      .k = l.k.data(),
                                      .v = l.v.data(),
                                      .q = q,
                                      .q_out = q,
                                      .cos = cos_.data(),
                                      .sin = sin_.data(),
                                      .cache_lengths = length_.data()}));
        count(fade::attention<float>(device_,
                                     {.heads = heads_,
                                      .seq_q = rows_,
                                      .seq_k = held_ + rows_,
                                      .head_dim = d,
                                      .causal = fade::causal_kind::bottom_right,
                                      .q_strides = rows},
                                     {.q = q, .k = l.k.data(), .v = l.v.data(), .o = attended_.data()}));
        multiply(attended_, l.out, x_, {width_, width_}, {}, {.beta = 1});
    }

    /// x += W2 gelu(W1 norm(x))
    void feed_forward(layer& l) {
        norm(l.gain_2);
        multiply(normed_, l.up, hidden_, {width_, 4 * width_}, fade::gelu());
        multiply(hidden_, l.down, x_, {4 * width_, width_}, {}, {.beta = 1});
    }

    void norm(const array& gain) {
        count(fade::rms_norm<float>(device_, {.rows = rows_, .columns = width_, .epsilon = 1e-5},
                                    {.x = x_.data(), .weight = gain.data(), .y = normed_.data()}));
    }

    /// to = epilogue(alpha from weights^T + beta to)
    struct factors {
        double alpha = 1, beta = 0;
    };
    template <class Epilogue = fade::epilogue::none>
    void multiply(const array& from, const array& weights, array& to, const sizes& s,
                  const Epilogue& end = {}, const factors& f = {}) {
        count(fade::gemm<float, float, fade::only(fade::operand_access::nt)>(
            device_,
            {.m = rows_,
             .n = s.out,
             .k = s.in,
             .layout = fade::gemm_layout::nt,
             .alpha = f.alpha,
             .beta = f.beta},
            {.a = from.data(), .b = weights.data(), .c = f.beta ? to.data() : nullptr, .d = to.data()}, end));
    }

    void count(const fade::report& ran) { ++calls_[ran.chosen + (ran.fallback ? " (fallback)" : "")]; }

    Device& device_;
    int width_, heads_, context_, bytes_, rows_ = 0, held_ = 0;
    array embedding_, gain_, cos_, sin_, x_, normed_, qkv_, attended_, hidden_, logits_, loss_, best_;
    numbers tokens_, next_, places_, length_;
    std::vector<std::unique_ptr<layer>> layers_;
    std::map<std::string, int> calls_;
};

}  // namespace gpt
