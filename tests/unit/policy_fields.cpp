// Every field of a policy is named: what prints, compares or stores a policy reads each_field.
#include <doctest/doctest.h>
#include <fade/kernel/attention/policy.hpp>
#include <fade/kernel/gemm/policy.hpp>
#include <set>
#include <string>
#include <utility>

using namespace fade;

namespace {

/// Becomes a field of any type, so that counting them needs no list of them.
struct anything {
    template <class T>
    operator T() const;
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
    return requires { T{(static_cast<void>(I), anything{})...}; };
}

/// How many fields an aggregate can be given at once.
template <class T, std::size_t Count = 64>
constexpr std::size_t fields() {
    if constexpr (takes<T>(std::make_index_sequence<Count>()))
        return Count;
    else
        return fields<T, Count - 1>();
}

struct of_three {
    int a;
    tile_shape b;
    bool c;
};
static_assert(fields<of_three>() == 3);

template <class Policy>
void check_fields() {
    const Policy policy{};
    std::set<std::string> names;
    std::set<const void*> places;
    each_field(policy, [&](const char* name, const auto& value) {
        const char *at = reinterpret_cast<const char*>(&value),
                   *first = reinterpret_cast<const char*>(&policy);
        CHECK((at >= first && at + sizeof value <= first + sizeof policy));
        names.insert(name), places.insert(at);
    });
    CHECK(names.size() == fields<Policy>());
    CHECK(places.size() == fields<Policy>());
}

}  // namespace

TEST_CASE("each field of a policy is named, once and in its place") {
    check_fields<gemm_policy>();
    check_fields<attention_policy>();
}

TEST_CASE("names stand by their values") {
    gemm_policy g{};
    g.swizzle_rows = 11, g.xcd_chunk = 12, g.waves_per_simd = 13, g.wave_tile.m = 14, g.block_tile.m = 15;
    g.cluster = 16, g.cluster_k = 17;
    g.pipeline = block::pipeline_kind::read_ahead, g.schedule = gemm_schedule::stream_k;
    each_field(g, [](const std::string name, const auto& value) {
        using T = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<T, int>)
            CHECK(value == (name == "swizzle_rows"     ? 11
                            : name == "xcd_chunk"      ? 12
                            : name == "waves_per_simd" ? 13
                            : name == "cluster"        ? 16
                            : name == "cluster_k"      ? 17
                                                       : 0));
        else if constexpr (std::is_same_v<T, tile_shape>)
            CHECK(value.m == (name == "wave_tile" ? 14 : name == "block_tile" ? 15 : 0));
        else if constexpr (std::is_same_v<T, gemm_schedule>)
            CHECK((name == "schedule" && value == gemm_schedule::stream_k));
        else
            CHECK((name == "pipeline" && value == block::pipeline_kind::read_ahead));
    });
    const attention_policy a{.waves = 1,
                             .wave_queries = 2,
                             .keys = 3,
                             .head_dim = 4,
                             .span = 5,
                             .value_parts = 6,
                             .q_storage = attention_q_storage::shared,
                             .rows_at_once = 7,
                             .schedule = attention_schedule::lazy_rescaling,
                             .copy = attention_copy::async,
                             .stages = 8,
                             .waves_per_simd = 9};
    std::string said;
    each_field(a, [&](const char* field, auto value) {
        said += std::string(field) + " ";
        if constexpr (std::is_enum_v<decltype(value)>)
            said += name(value);
        else
            said += std::to_string(value);
        said += "\n";
    });
    CHECK(said == "waves 1\nwave_queries 2\nkeys 3\nhead_dim 4\nspan 5\nvalue_parts 6\nq_storage shared\n"
                  "rows_at_once 7\nschedule lazy_rescaling\ncopy async\nstages 8\nwaves_per_simd 9\n");
}
