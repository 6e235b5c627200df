// What the steps of a mixture of experts refuse, with nothing written.
#include "common/numbers.hpp"
#include <doctest/doctest.h>
#include <fade/moe.hpp>

namespace fade::test {
namespace {

/// The argument and the value of a refusal.
template <class Call>
std::string refused(Call call) {
    try {
        call();
    } catch (const error& e) {
        CHECK(e.rule().size() > 10);
        return e.argument() + " " + e.value();
    }
    return "";
}

struct memory {
    host_device cpu;
    std::vector<float> logits = std::vector<float>(32, 1), weights = std::vector<float>(16, 7), x = logits,
                       y = std::vector<float>(32, 7);
    std::vector<int> choices = std::vector<int>(16, 1), ends = std::vector<int>(8, 7),
                     rows = std::vector<int>(16, 7), slots = std::vector<int>(16, 7);

    std::string route(const moe_route_problem& p, bool with_weights = true) {
        return refused(
            [&] { moe_route(cpu, p, logits.data(), slots.data(), with_weights ? weights.data() : nullptr); });
    }
    std::string dispatch(const moe_dispatch_problem& p, const moe_dispatch_operands& t) {
        return refused([&] { moe_dispatch(cpu, p, t); });
    }
    std::string combine(const moe_combine_problem& p, const moe_combine_operands<float>& o) {
        return refused([&] { moe_combine<float>(cpu, p, o); });
    }
    moe_dispatch_operands tables() { return {choices.data(), ends.data(), rows.data(), slots.data()}; }
    ~memory() {
        for (const float v : weights) CHECK(v == 7);
        for (const float v : y) CHECK(v == 7);
        for (const auto* table : {&ends, &rows, &slots})
            for (const int v : *table) CHECK(v == 7);
    }
};

}  // namespace

TEST_CASE("routes") {
    memory m;
    CHECK(m.route({.tokens = 4, .experts = 8, .top_k = 0}) == "top_k 0");
    CHECK(m.route({.tokens = 4, .experts = 8, .top_k = 65}) == "top_k 65");
    CHECK(m.route({.tokens = 4, .experts = 3, .top_k = 4}) == "top_k 4");
    CHECK(m.route({.tokens = -1, .experts = 3, .top_k = 1}) == "tokens -1");
    CHECK(m.route({.tokens = index(1) << 31, .experts = 3, .top_k = 1}) == "tokens 2147483648");
    CHECK(m.route({.tokens = 4, .experts = 8, .top_k = 2, .weight_scale = 1e31}).find("weight_scale") == 0);
    CHECK(m.route({.tokens = 4, .experts = 8, .top_k = 2}, false) == "weights null");
    CHECK(m.route({.tokens = 4, .experts = 8, .top_k = 2, .logits_stride = -2}) == "logits_stride -2");
}

TEST_CASE("dispatches") {
    memory m;
    auto t = m.tables();
    CHECK(m.dispatch({4, 0, 8}, t) == "top_k 0");
    CHECK(m.dispatch({4, 2, 0}, t) == "experts 0");
    CHECK(m.dispatch({4, 2, 1 << 20}, t) == "experts 1048576");
    CHECK(m.dispatch({4, 2, -1}, t) == "experts -1");
    CHECK(m.dispatch({0, 2, -1}, t) == "experts -1");
    CHECK(m.dispatch({index(1) << 30, 2, 8}, t) == "tokens 1073741824");
    t.ends = nullptr;
    CHECK(m.dispatch({4, 2, 8}, t) == "ends null");
    t = m.tables(), t.slots = t.row_list + 3;
    CHECK(m.dispatch({4, 2, 8}, t) == "slots overlapping row_list");
    t = m.tables(), t.row_list = m.choices.data();
    CHECK(m.dispatch({4, 2, 8}, t) == "row_list overlapping choices");
}

TEST_CASE("combinations") {
    memory m;
    const moe_combine_problem p{.tokens = 4, .top_k = 2, .columns = 8, .rows = 4};
    const moe_combine_operands<float> o{m.x.data(), m.choices.data(), nullptr, m.y.data()};
    auto wrong = o;
    wrong.y = nullptr;
    CHECK(m.combine(p, wrong) == "y null");
    wrong = o, wrong.slots = nullptr;
    CHECK(m.combine(p, wrong) == "slots null");
    wrong = o, wrong.x = m.y.data() + 8;
    CHECK(m.combine(p, wrong) == "y overlapping x");
    auto q = p;
    q.x_stride = 7;
    CHECK(m.combine(q, o) == "x_stride 7");
    try {
        moe_combine<float>(m.cpu, q, o);
    } catch (const error& e) {
        CHECK(e.rule().find("a row has 8 elements") != std::string::npos);
    }
    q = p, q.y_stride = 7;
    CHECK(m.combine(q, o) == "y_stride 7");
    q = p, q.rows = -1;
    CHECK(m.combine(q, o) == "rows -1");
    q = p, q.rows = index(1) << 31;
    CHECK(m.combine(q, o) == "rows 2147483648");
    q = p, q.columns = -1;
    CHECK(m.combine(q, o) == "columns -1");
    q = p, q.columns = index(1) << 31;
    CHECK(m.combine(q, o) == "columns 2147483648");
    q = p, q.tokens = -1;
    CHECK(m.combine(q, o) == "tokens -1");
    q = p, q.rows = 0, wrong = o, wrong.y = nullptr;  // of which y is zeros
    CHECK(m.combine(q, wrong) == "y null");
    q = p, q.columns = 0;
    CHECK(m.combine(q, {}) == "");
    q = p, q.tokens = 0;
    CHECK(m.combine(q, {}) == "");
    // y has 32 elements, and so has x: none of them may be one of the other's.
    wrong = o, wrong.x = m.y.data() + 31;
    CHECK(m.combine(p, wrong) == "y overlapping x");
}

}  // namespace fade::test
