// What is planned is what runs: the same launches, on devices that only write down what they are given.
#include <cstring>
#include <doctest/doctest.h>
#include <fade/attention.hpp>
#include <fade/gemm.hpp>
#include <fade/kv_cache.hpp>
#include <fade/norm.hpp>
#include <fade/quantize.hpp>
#include <fade/reduce.hpp>
#include <typeinfo>
#include <vector>

using namespace fade;

namespace {

/// An architecture's device that keeps launches instead of running them.
template <class Arch>
class list_of_launches {
public:
    using arch = Arch;
    std::string name() const { return "a list"; }
    int compute_units() const { return 64; }
    int use() const { return 0; }
    void* workspace(std::size_t bytes) { return taken = bytes, memory; }
    tensor_map map(const tile_source& source) const {
        tensor_map out{};
        std::memcpy(out.bits, &source, sizeof source);
        return out;
    }
    template <class Entry>
    static const void* entry_address() {
        return &typeid(Entry);
    }
    template <class Entry>
    void launch(grid_shape grid, const typename Entry::arguments& args) {
        launches.push_back(plan_launch<Entry>(*this, grid, args));
    }

    std::vector<planned_launch> launches;
    std::size_t taken = 0;
    static constexpr std::size_t address = std::size_t(1) << 40;
    void* const memory = reinterpret_cast<void*>(address);
};

/// Addresses that nobody reads.
template <class T>
T* at(int which) {
    return reinterpret_cast<T*>((std::size_t(which) + 1) << 36);
}

tile_source source_of(const tensor_map& map) {
    tile_source out;
    std::memcpy(&out, map.bits, sizeof out);
    return out;
}

void check_same(const std::vector<planned_launch>& ran, const std::vector<planned_launch>& planned) {
    REQUIRE(ran.size() == planned.size());
    for (std::size_t i = 0; i < ran.size(); ++i) {
        CHECK(ran[i].entry == planned[i].entry);
        CHECK(ran[i].dynamic_lds == planned[i].dynamic_lds);
        CHECK(ran[i].cluster == planned[i].cluster);
        CHECK(ran[i].kernarg.size() == planned[i].kernarg.size());
        for (int axis = 0; axis < 3; ++axis) {
            CHECK(ran[i].grid[axis] == planned[i].grid[axis]);
            CHECK(ran[i].block[axis] == planned[i].block[axis]);
        }
    }
}

template <class Arguments>
Arguments arguments_in(const planned_launch& launch) {
    REQUIRE(launch.kernarg.size() == sizeof(Arguments));
    Arguments out;
    std::memcpy(static_cast<void*>(&out), launch.kernarg.data(), sizeof out);
    return out;
}

template <class Arch>
void check_gemm(const gemm_problem& problem, int split_k, std::size_t launches) {
    using arguments = kernel::gemm_arguments<f16, f16, epilogue::none>;
    using tma_arguments = kernel::tma_gemm_arguments<f16, f16, epilogue::none>;
    list_of_launches<Arch> device;
    const gemm_operands<f16> x{.a = at<f16>(0), .b = at<f16>(1), .d = at<f16>(2)};
    const gemm_options options{.split_k = split_k, .workspace = device.memory, .workspace_bytes = 1u << 30};
    const report ran = gemm<f16>(device, problem, x, epilogue::none{}, options);
    const gemm_plan plan = plan_gemm<f16>(device, problem, x, epilogue::none{}, options);
    CHECK(ran.chosen == plan.report.chosen);
    CHECK(plan.launches.size() == launches);
    check_same(device.launches, plan.launches);
    const auto partial = [](const planned_launch& launch) {
        return launch.kernarg.size() == sizeof(tma_arguments) ? arguments_in<tma_arguments>(launch).partial
                                                              : arguments_in<arguments>(launch).partial;
    };
    for (std::size_t i = 0; i < launches; ++i)
        CHECK(partial(plan.launches[i]) == partial(device.launches[i]));
    CHECK((plan.workspace_bytes > 0) == (launches > 1));
}

template <class Arch>
void check_attention(const attention_problem& problem, const attention_operands<f16>& x, int split_kv,
                     std::size_t launches) {
    list_of_launches<Arch> device;
    const attention_options options{.split_kv = split_kv, .check_indices = false};
    const report ran = attention<f16>(device, problem, x, options);
    const attention_plan plan = plan_attention<f16>(device, problem, x, options);
    CHECK(ran.chosen == plan.report.chosen);
    CHECK(plan.launches.size() == launches);
    CHECK(plan.workspace_bytes == device.taken);
    check_same(device.launches, plan.launches);
}

const attention_operands<f16> packed{
    .q = at<f16>(0), .k = at<f16>(1), .v = at<f16>(2), .o = at<f16>(3), .lse = at<float>(4)};

}  // namespace

TEST_CASE("gemm runs what it plans") {
    const gemm_problem deep{.m = 64, .n = 64, .k = 8192, .layout = gemm_layout::nt};
    check_gemm<arch::gfx942>(deep, 1, 1);  // memory that is given and not needed is in no arguments
    check_gemm<arch::gfx942>(deep, 4, 2);
    check_gemm<arch::gfx1201>(deep, 0, 2);
    check_gemm<arch::sm_90a>(deep, 4, 2);
    check_gemm<arch::gfx942>({.m = 0, .n = 64, .k = 64}, 4, 0);
}

TEST_CASE("attention runs what it plans: copies, itself, what combines") {
    const attention_problem p{.batch = 2, .heads = 4, .seq_q = 300, .seq_k = 300, .head_dim = 64};
    check_attention<arch::gfx942>(p, packed, 0, 1);
    check_attention<arch::gfx1100>(p, packed, 3, 2);
    check_attention<arch::sm_90a>(p, packed, 0, 1);
    attention_problem odd = p;
    odd.head_dim = 65;
    check_attention<arch::gfx942>(odd, packed, 0, 4);
    check_attention<arch::gfx942>(odd, packed, 2, 5);
    odd.batch = 0;
    check_attention<arch::gfx942>(odd, packed, 2, 0);
}

TEST_CASE("only a launch has maps of tensors") {
    using arguments = kernel::tma_arguments<f16, f16>;
    list_of_launches<arch::sm_90a> device;
    const attention_problem p{.heads = 4, .seq_q = 300, .seq_k = 200, .head_dim = 64};
    attention<f16>(device, p, packed);
    const attention_plan plan = plan_attention<f16>(device, p, packed);
    REQUIRE(plan.variant == tune::attention_variant::tma);
    const auto ran = arguments_in<arguments>(device.launches[0]);
    CHECK(source_of(ran.q_map).base == packed.q.get());
    CHECK(source_of(ran.k_map).base == packed.k.get());
    CHECK(source_of(ran.v_map).base == packed.v.get());
    CHECK(source_of(ran.k_map).positions == 200);
    CHECK(source_of(arguments_in<arguments>(plan.launches[0]).q_map).base == nullptr);
}

TEST_CASE("append_kv, quantize and row operators run what they plan") {
    list_of_launches<arch::gfx1030> device;
    const append_problem fresh{.batch = 2, .kv_heads = 2, .new_positions = 9, .capacity = 64, .head_dim = 64};
    const append_operands<f16> to{.new_k = at<f16>(0), .new_v = at<f16>(1), .k = at<f16>(2), .v = at<f16>(3)};
    append_kv<f16>(device, fresh, to);
    check_same(device.launches, plan_append_kv<f16>(device, fresh, to).launches);

    device.launches.clear();
    const quantize_problem tensor{.positions = 100, .heads = 3, .head_dim = 64};
    const quantize_operands<f8e4m3, f16> eight{.x = at<f16>(0), .out = at<f8e4m3>(1), .scales = at<float>(2)};
    quantize<f8e4m3>(device, tensor, eight);
    const quantize_plan plan = plan_quantize<f8e4m3>(device, tensor, eight);
    CHECK(plan.launches.size() == 3);
    CHECK(plan.workspace_bytes == device.taken);
    check_same(device.launches, plan.launches);

    device.launches.clear();
    operation_plan sums;
    const reduce_problem rows{.rows = 4096, .columns = 8, .direction = along::columns};
    sum(device, rows, at<const float>(0), at<float>(1));
    sum(device, rows, at<const float>(0), at<float>(1), {.plan = &sums});
    CHECK(sums.launches.size() == 2);
    CHECK(sums.workspace_bytes == device.taken);
    check_same(device.launches, sums.launches);
}

TEST_CASE("a launch on an NVIDIA GPU asks for all shared memory of its kernel, one on an AMD GPU for none") {
    const gemm_problem p{.m = 512, .n = 512, .k = 512, .layout = gemm_layout::nt};
    const gemm_operands<f16> x{.a = at<f16>(0), .b = at<f16>(1), .d = at<f16>(2)};
    list_of_launches<arch::sm_90a> hopper;
    list_of_launches<arch::gfx942> cdna;
    using table = tune::gemm_entry<f16, f16, operand_access::nt, tune::size_class::tiny, epilogue::none>;
    using entry = tune::tma_gemm_entry<table, f16, f16, epilogue::none>;
    CHECK(plan_gemm<f16>(hopper, p, x).launches[0].dynamic_lds == entry::shape<arch::sm_90a>().shared_bytes);
    CHECK(plan_gemm<f16>(cdna, p, x).launches[0].dynamic_lds == 0);
    // Workgroups of large tiles come in twos.
    const gemm_problem large{.m = 4096, .n = 4096, .k = 4096, .layout = gemm_layout::nt};
    CHECK(plan_gemm<f16>(hopper, large, x).launches[0].cluster == 2);
    CHECK(plan_gemm<f16>(cdna, large, x).launches[0].cluster == 1);
}

TEST_CASE("a plan refuses what the call refuses") {
    list_of_launches<arch::gfx942> device;
    const gemm_problem p{.m = 64, .n = 63, .k = 63};
    const gemm_operands<f16> x{.a = at<f16>(0), .b = at<f16>(1), .d = at<f16>(2)};
    CHECK_THROWS_AS(plan_gemm<f16>(device, p, x, epilogue::none{}, {.strict = true}), error);
    const attention_problem a{.heads = 4, .seq_q = 300, .seq_k = 300, .head_dim = 65};
    CHECK_THROWS_AS(plan_attention<f16>(device, a, packed, {.strict = true}), error);
    CHECK_THROWS_AS(
        plan_attention<f16>(device, a, packed, {.workspace = at<char>(5) + 4, .workspace_bytes = 1u << 30}),
        error);
    CHECK(device.launches.empty());
}
