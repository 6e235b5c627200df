// Chains inside the product, composed at compile time, one of a user's own among them; the run-time chain
// gives the same bits.
#include "common/gemm_edges.hpp"
#include "common/property.hpp"
#include <doctest/doctest.h>

using namespace fade;

namespace {

/// A user's own stage: subtracts from a constant, and remembers nothing.
struct from_ten : epilogue::stage {
    static constexpr const char* name = "from_ten";
    template <class Value>
    FADE_FN Value operator()(Value v, const epilogue::position&) const {
        return Value(10) - v;
    }
};

/// A user's own stage that reads memory: a weight a row and a weight a column.
template <class T>
struct outer_weight : epilogue::stage {
    static constexpr const char* name = "outer_weight";
    const T *rows, *columns;
    outer_weight(const T* r, const T* c) : rows(r), columns(c) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const epilogue::position& at) const {
        return v * at.load<Value>(rows, at.row) * at.load<Value>(columns, at.column);
    }
};

/// Few kernels, since every chain compiles its own. The host has but one reading.
template <class Arch>
constexpr auto kernels =
    only(std::is_same_v<Arch, arch::host> ? operand_access::strided : operand_access::nt);

test::gemm_case sized(std::vector<test::stage_case> stages, std::mt19937_64& random) {
    auto c = test::case_of({gemm_layout::nt, false, true}, {75, 82, 41}, random());
    c.problem.batch = 2, c.problem.alpha = 0.5, c.problem.beta = 2;
    test::lay_out(c.problem, 8, 16);
    c.stages = std::move(stages);
    return c;
}

/// The chain that `make` composes from the sources of the stages, against the reference and against the
/// run-time chain.
template <class Arch, class T, class Make>
void check_chain(std::vector<test::stage_case> stages, std::mt19937_64& random, Make make) {
    test::gemm_data<T, T> data(sized(std::move(stages), random));
    auto device = test::device_of<Arch>(1, 64);
    INFO(data.of);
    CHECK(test::outcome<kernels<Arch>>(device, data, make(data)) == "");
    const auto fused = data.d.bytes();
    CHECK(test::outcome<kernels<Arch>>(device, data, data.chain()) == "");
    CHECK(data.d.same_bytes(fused));
}

template <class Arch, class T>
void check_chains(std::mt19937_64& random) {
    using enum stage_kind;
    const auto source = [](const auto& data, std::size_t i) { return data.sources[i]->data(); };
    const auto ld = [](const auto& data, std::size_t i) { return data.sources[i]->place().ld; };
    const auto stride = [](const auto& data, std::size_t i) { return data.sources[i]->place().stride; };
    check_chain<Arch, T>({{bias}, {gelu}}, random,
                         [&](const auto& d) { return fade::bias(source(d, 0)) | fade::gelu(); });
    check_chain<Arch, T>({{scale, 1.5}, {bias_col}, {residual}}, random, [&](const auto& d) {
        return fade::scale(1.5f) | fade::bias_col(source(d, 1)) |
               fade::residual(source(d, 2), ld(d, 2), stride(d, 2));
    });
    check_chain<Arch, T>({{dsilu}, {clamp, -0.5, 0.5}}, random, [&](const auto& d) {
        return fade::dsilu(source(d, 0), ld(d, 0), stride(d, 0)) | fade::clamp(-0.5f, 0.5f);
    });
}

/// 10 - v is scale(-1) and a bias of 10.
template <class Arch, class T>
void check_own_stage(std::mt19937_64& random) {
    test::gemm_data<T, T> data(sized({{stage_kind::scale, -1.0}, {stage_kind::bias}}, random));
    auto& ten = *data.sources[1];
    ten.each([&](auto b, auto i, auto j) { ten.at(b, i, j) = test::nearest<T>(10); });
    auto device = test::device_of<Arch>(1, 64);
    CHECK(test::outcome<kernels<Arch>>(device, data, from_ten{}) == "");
    const report said = gemm<T, T, kernels<Arch>>(device, data.of.problem, data.operands(), from_ten{});
    CHECK(said.requested.find("from_ten") != std::string::npos);
}

template <class Arch, class T>
void check_weights(std::mt19937_64& random) {
    auto c = sized({}, random);
    c.problem.beta = 0, c.problem.batch = 1;
    test::gemm_data<T, T> data(c);
    test::matrix<T> rows({1, c.problem.m, c.problem.m, 1, 0, 0}),
        columns({1, c.problem.n, c.problem.n, 1, 0, 0});
    std::mt19937_64 more(random());
    rows.fill(more, 1), columns.fill(more, 1);
    auto want = test::expected(data);
    std::size_t at = 0;
    data.d.each([&](auto, auto i, auto j) {
        const double w = test::value_of(rows.at(0, 0, i)) * test::value_of(columns.at(0, 0, j));
        want[at] =
            test::stored<T>({want[at].value * w, want[at].error * std::fabs(w) +
                                                     4 * want[at].unit * std::fabs(want[at].value * w)}),
        ++at;
    });
    data.poison_output();
    auto device = test::device_of<Arch>(1, 64);
    gemm<T, T, kernels<Arch>>(device, c.problem, data.operands(),
                              outer_weight<T>(rows.data(), columns.data()));
    CHECK(test::difference(data.d, want) == "");
}

}  // namespace

TEST_CASE("chains in the product") {
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    check_chains<arch::gfx942, f16>(random);
    check_chains<arch::gfx1030, f32>(random);
    check_chains<arch::host, f32>(random);
}

TEST_CASE("a user's own stages") {
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    check_own_stage<arch::gfx1100, f16>(random);
    check_own_stage<arch::host, bf16>(random);
    check_weights<arch::gfx950, bf16>(random);
    check_weights<arch::host, f32>(random);
}
