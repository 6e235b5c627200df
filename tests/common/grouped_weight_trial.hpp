// Runs a grouped product with quantised weights and says what is wrong with it.
#pragma once
#include "common/gemm_check.hpp"
#include "common/property.hpp"
#include "common/run_twice.hpp"
#include "common/weight_bits.hpp"
#include <fade/moe.hpp>
#include <set>

namespace fade::test {

struct grouped_weight_case {
    grouped_weight_gemm_problem problem;
    std::vector<int> sizes;  // rows of each group
    bool listed = false, in_place = false;
    int compute_units = 64, threads = 1;
    std::uint64_t seed = 0;
};
inline std::ostream& operator<<(std::ostream& to, const grouped_weight_case& c) {
    const grouped_weight_gemm_problem& p = c.problem;
    to << "rows " << p.rows << " n " << p.n << " k " << p.k << " alpha " << p.alpha << " beta " << p.beta
       << " group " << p.group << " lda " << p.lda << " ldd " << p.ldd << " rows_of_a " << p.rows_of_a
       << (c.listed ? " by a list" : "") << (c.in_place ? " in place" : "") << " compute_units "
       << c.compute_units << " threads " << c.threads << " seed " << c.seed << " groups of";
    for (const int size : c.sizes) to << ' ' << size;
    return to;
}

template <weight_format Format, class In, class Out>
class grouped_weight_trial {
public:
    explicit grouped_weight_trial(const grouped_weight_case& of)
        : of_(of), random_(of.seed), a_({of.listed ? of.problem.rows_of_a : of.problem.rows, of.problem.k,
                                         of.problem.lda ? of.problem.lda : of.problem.k}),
          c_({of.problem.rows, of.problem.n, of.problem.n}),
          d_({of.problem.rows, of.problem.n, of.problem.ldd ? of.problem.ldd : of.problem.n}),
          bias_(std::size_t(of.problem.groups * of.problem.n)) {
        a_.fill(random_, 1), c_.fill(random_, 1);
        std::normal_distribution<float> normal;
        for (float& v : bias_) v = normal(random_);
        for (int g = 0, end = 0; g < of.problem.groups; ++g) {
            weights_.emplace_back(of.problem.n, of.problem.k, of.problem.group, random_);
            ends_.push_back(end += of.sizes[std::size_t(g)]);
        }
        for (index i = 0; of.listed && i < of.problem.rows; ++i)
            list_.push_back(i < ends_.back() ? int(random_() % std::uint64_t(of.problem.rows_of_a)) : -1);
        for (const auto& w : weights_)
            append(words_, w.bytes_of_words()), append(scales_, w.bytes_of_scales()),
                append(zeros_, w.bytes_of_zero_points());
    }

    /// What is wrong; nothing if all is right. Reports go to `reached`.
    template <class Arch>
    std::string run(std::set<std::string>& reached) {
        return run_twice<Arch>(*this, reached);
    }

    const auto& of() const { return of_; }
    const auto& d() const { return d_; }
    std::string fault_of(const report& said) const {
        const grouped_weight_gemm_problem& p = of_.problem;
        return unnamed_sizes(said, p.rows, p.n, p.alpha == 0 ? 0 : p.k);
    }
    /// Behind those of the group before, without a gap.
    static void append(std::vector<std::uint8_t>& to, const weight_bytes& from) {
        to.insert(to.end(), from.data(), from.data() + from.size());
    }
    template <class Device>
    report call(Device& device) {
        weight_bytes words(words_.size()), scales(scales_.size()), zeros(zeros_.size());
        std::copy(words_.begin(), words_.end(), words.data());
        std::copy(scales_.begin(), scales_.end(), scales.data());
        std::copy(zeros_.begin(), zeros_.end(), zeros.data());
        return grouped_weight_gemm<Format, In, Out>(
            device, of_.problem,
            {.a = a_.data(),
             .weights = words.data(),
             .scales = reinterpret_cast<const weight_scale_t<Format>*>(scales.data()),
             .zeros = zeros_.empty() ? nullptr : zeros.data(),
             .c = of_.problem.beta == 0 ? nullptr
                  : of_.in_place        ? d_.data()
                                        : c_.data(),
             .d = d_.data(),
             .ends = ends_.data(),
             .row_list = of_.listed ? list_.data() : nullptr},
            batch_bias(bias_));
    }
    void poison_output() {
        d_.each([&](index b, index r, index s) {
            d_.at(b, r, s) = of_.in_place ? c_.at(b, r, s) : poison<Out>();
        });
    }

    /// Rows behind the last group are as they were.
    std::string difference() const {
        const grouped_weight_gemm_problem& p = of_.problem;
        double off = 0, allowed = 0;
        const auto a = unpacked(a_, 0, false);
        std::vector<double> w(std::size_t(p.n * p.k));
        for (index row = 0, group = -1; row < p.rows; ++row) {
            const index before = group;
            while (group < p.groups && (group < 0 || row >= ends_[std::size_t(group)])) ++group;
            if (group < p.groups && group != before)
                for (index j = 0; j < p.n; ++j)
                    for (index i = 0; i < p.k; ++i)
                        w[std::size_t(j * p.k + i)] = weights_[std::size_t(group)].template weight<In>(i, j);
            const index from = of_.listed ? list_[std::size_t(row)] : row;
            for (index j = 0; j < p.n; ++j) {
                const Out got = d_.at(0, row, j);
                if (group == p.groups) {
                    const bool kept =
                        of_.in_place ? std::memcmp(&got, &c_.at(0, row, j), sizeof got) == 0 : is_poison(got);
                    if (!kept) return "row " + std::to_string(row) + " is no group's, but was written";
                    continue;
                }
                bounded v = dot(a.data() + from * p.k, w.data() + j * p.k, p.k, accumulator_unit<In>);
                v = times(v, p.alpha);
                if (p.beta != 0) v = plus(v, p.beta * value_of(c_.at(0, row, j)));
                const bounded want = stored<Out>(plus(v, bias_[std::size_t(group * p.n + j)]));
                const double d = value_of(got) - want.value;
                off += d * d, allowed += want.error * want.error;
            }
        }
        std::ostringstream said;
        if (!(off <= allowed)) said << "off by " << std::sqrt(off) << ", at most " << std::sqrt(allowed);
        return said.str();
    }

private:
    grouped_weight_case of_;
    std::mt19937_64 random_;
    std::vector<quantised<Format>> weights_;
    std::vector<std::uint8_t> words_, scales_, zeros_;
    matrix<In> a_;
    matrix<Out> c_, d_;
    std::vector<float> bias_;
    std::vector<int> ends_, list_;
};

/// Groups without rows, of a few, of more than a tile; rows behind them; ends of tiles.
template <weight_format Format>
grouped_weight_case random_grouped_weight_case() {
    const auto from = [](int low, int high) {
        return *rc::gen::resize(100, rc::gen::inRange(low, high + 1));
    };
    grouped_weight_case c;
    grouped_weight_gemm_problem& p = c.problem;
    p.groups = from(1, 5);
    for (int g = 0; g < p.groups; ++g) {
        c.sizes.push_back(*rc::gen::weightedOneOf<int>(
            {{2, rc::gen::just(0)}, {4, rc::gen::inRange(1, 40)}, {2, rc::gen::element(64, 65, 128, 129)}}));
        p.rows += c.sizes.back();
    }
    p.rows += *rc::gen::element<index>(0, 0, 1, 70);
    p.n = from(1, 20) * 8 + (Format.order == weight_order::rows ? from(0, 7) : 0);
    if (Format.leaves_group()) p.group = *rc::gen::element<index>(16, 32, 64, 128, -1);
    const int granule = std::max(Format.granule(), int(p.group));
    p.k = from(1, std::max(256 / granule, 2)) * granule;
    p.alpha = *rc::gen::element(1.0, 1.0, 0.75, 0.0), p.beta = *rc::gen::element(0.0, 0.0, 0.5);
    c.listed = *rc::gen::arbitrary<bool>(), c.in_place = p.beta != 0 && from(0, 1);
    if (c.listed) p.rows_of_a = from(1, 90);
    if (from(0, 1)) p.lda = p.k + 8 * from(0, 3);
    if (!c.in_place && from(0, 1)) p.ldd = p.n + from(0, 9);
    c.compute_units = *rc::gen::element(1, 3, 1000), c.threads = from(1, 3);
    c.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
    return c;
}

/// Problems that reach every kernel, of which there are so many, and `cases` random ones.
template <class Arch, weight_format Format, class In, class Out = In>
void grouped_weight_suite(int cases, std::size_t kernels) {
    std::set<std::string> reached;
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    for (const bool listed : {false, true})
        for (const int rows : {300, 17}) {
            const grouped_weight_case c{.problem = {.rows = rows + 206,
                                                    .n = 104,
                                                    .k = 192,
                                                    .groups = 3,
                                                    .rows_of_a = listed ? 50 : 0,
                                                    .group = Format.leaves_group() ? 64 : 0},
                                        .sizes = {rows, 0, rows == 17 ? 37 : 200},
                                        .listed = listed,
                                        .compute_units = rows == 17 ? 1000 : 1,
                                        .seed = random()};
            INFO(c);
            CHECK(grouped_weight_trial<Format, In, Out>(c).template run<Arch>(reached) == "");
        }
    CHECK(reached.size() >= kernels);
    holds(std::string(Arch::traits.name) + " groups by " + in_words(Format), cases, [&] {
        const auto c = random_grouped_weight_case<Format>();
        must_be_right(c, grouped_weight_trial<Format, In, Out>(c).template run<Arch>(reached));
    });
}

}  // namespace fade::test
