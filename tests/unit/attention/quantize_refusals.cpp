// What a quantisation refuses: which argument, which value, which rule; and that it wrote nothing.
#include "common/attention_refusal.hpp"
#include <fade/quantize.hpp>
#include <limits>

using namespace fade;

namespace {

constexpr fade::index lowest = std::numeric_limits<fade::index>::min(),
                      highest = std::numeric_limits<fade::index>::max();

/// Memory for a small call, all in one buffer: x, out, scales, workspace. `spoil` changes it into something
/// that cannot be.
struct small_quantize {
    std::vector<float> memory = std::vector<float>(4096, test::poison<float>());
    quantize_problem problem{.batch = 2, .positions = 5, .heads = 3, .head_dim = 8, .per_head = true};
    quantize_operands<f8e4m3, float> operands{.x = memory.data(),
                                              .out = reinterpret_cast<f8e4m3*>(memory.data() + 1024),
                                              .scales = memory.data() + 2048};
    quantize_options options{memory.data() + 3072, 12};
    bool wrote() const {
        return !std::all_of(memory.begin(), memory.end(), [](float e) { return test::is_poison(e); });
    }
};

template <class Spoil>
test::refusal said(Spoil spoil) {
    small_quantize call;
    spoil(call);
    host_device cpu(1);
    test::refusal out =
        test::caught([&] { quantize<f8e4m3, float>(cpu, call.problem, call.operands, call.options); });
    out.wrote = call.wrote();
    return out;
}

void refuses(const char* name, fade::index quantize_problem::* field,
             std::initializer_list<fade::index> values, const std::string& words) {
    for (const fade::index value : values) {
        INFO(name, " = ", value);
        test::check_refusal(said([&](auto& call) { call.problem.*field = value; }), name,
                            std::to_string(value), words);
    }
}

template <class Spoil>
void overlaps(const std::string& written, const std::string& other, Spoil spoil) {
    INFO(written, " in ", other);
    test::check_refusal(said(spoil), written, "overlapping " + other, "may lie in nothing else");
}

}  // namespace

TEST_CASE("the quantisation that the others spoil is none that is refused, and it writes") {
    const auto r = said([](auto&) {});
    CHECK(r.sentence == "");
    CHECK(r.wrote);
}

TEST_CASE("sizes of a quantisation") {
    refuses("batch", &quantize_problem::batch, {-1, 65536, lowest, highest}, "between 0 and 65535");
    refuses("positions", &quantize_problem::positions, {-1, fade::index(1) << 30, lowest, highest},
            "between 0 and 2^30 - 1");
    refuses("heads", &quantize_problem::heads, {-1, 65536, lowest, highest}, "between 0 and 65535");
    refuses("head_dim", &quantize_problem::head_dim, {-1, 0, 513, lowest, highest}, "between 1 and 512");
}

TEST_CASE("strides of a quantisation") {
    const std::pair<const char*, attention_strides quantize_problem::*> all[] = {
        {"x_strides", &quantize_problem::x_strides}, {"out_strides", &quantize_problem::out_strides}};
    for (const auto& [name, strides] : all) {
        const auto with = [&](attention_strides s) {
            return said([&](auto& call) { call.problem.*strides = s; });
        };
        test::check_refusal(with({-1, 24, 8}), name, "-1", "batch stride");
        test::check_refusal(with({120, -1, 8}), name, "-1", "position stride");
        test::check_refusal(with({120, fade::index(1) << 31, 8}), name, std::to_string(fade::index(1) << 31),
                            "position stride");
        test::check_refusal(with({120, 24, -1}), name, "-1", "head stride");
        CHECK(with({122, 24, 8}).sentence == "");
    }
    const auto out = [](attention_strides s) {
        return said([=](auto& call) { call.problem.out_strides = s; });
    };
    test::check_refusal(out({120, 24, 7}), "out_strides", "7", "may not overlap");
    test::check_refusal(out({120, 23, 8}), "out_strides", "23", "may not overlap");
    test::check_refusal(out({119, 24, 8}), "out_strides", "119", "may not overlap");
    test::check_refusal(out({fade::index(1) << 62, 24, 8}), "out", "5", "fewer than 2^62 bytes");
    CHECK(said([](auto& call) { call.problem.x_strides = {0, 0, 1}; }).sentence ==
          "");  // reading the same rows again is none of its business
}

TEST_CASE("memory of a quantisation") {
    test::check_refusal(said([](auto& call) { call.operands.x = nullptr; }), "x", "null", "it is read");
    test::check_refusal(said([](auto& call) { call.operands.out = nullptr; }), "out", "null", "need memory");
    test::check_refusal(said([](auto& call) { call.operands.scales = nullptr; }), "scales", "null",
                        "need memory");
    test::check_refusal(said([](auto& call) { call.options.workspace_bytes = 11; }), "workspace_bytes", "11",
                        "what workgroups find needs 12");
    CHECK(said([](auto& call) {
              call.problem.positions = 0, call.operands.x = nullptr, call.operands.out = nullptr;
          }).sentence == "");
    CHECK(said([](auto& call) { call.problem.heads = 0, call.operands = {}; }).sentence == "");
}

TEST_CASE("what a quantisation writes lies in nothing else") {
    overlaps("out", "x", [](auto& call) {
        call.operands.out = reinterpret_cast<f8e4m3*>(call.memory.data() + 239);
    });  // x has 240 elements
    overlaps("scales", "x", [](auto& call) { call.operands.scales = call.memory.data() + 239; });
    overlaps("scales", "out", [](auto& call) { call.operands.scales = call.memory.data() + 1024 - 2; });
    overlaps("workspace", "x", [](auto& call) { call.options.workspace = call.memory.data() + 239; });
    overlaps("workspace", "out", [](auto& call) { call.options.workspace = call.memory.data() + 1024 - 2; });
    overlaps("workspace", "scales",
             [](auto& call) { call.options.workspace = call.memory.data() + 2048 - 2; });
    CHECK(said([](auto& call) {
              call.operands.out = reinterpret_cast<f8e4m3*>(call.memory.data() + 240),
              call.operands.scales = call.memory.data() + 300,
              call.options.workspace = call.memory.data() + 303;
          }).sentence == "");
}
