// What an append refuses: which argument, which value, which rule; and that it wrote nothing.
#include "common/attention_refusal.hpp"
#include <fade/kv_cache.hpp>
#include <limits>

using namespace fade;

namespace {

constexpr fade::index lowest = std::numeric_limits<fade::index>::min(),
                      highest = std::numeric_limits<fade::index>::max(), too_many = fade::index(1) << 30;

/// Memory for a small call; `spoil` changes problem or operands into something that cannot be.
struct small_append {
    std::vector<float> q = std::vector<float>(4096, 1.0f), new_k = q, new_v = q, angles = q,
                       k = std::vector<float>(4096, test::poison<float>()), v = k, q_out = k;
    int table[8] = {};
    append_problem problem{.batch = 2,
                           .heads = 4,
                           .kv_heads = 2,
                           .new_positions = 3,
                           .capacity = 8,
                           .head_dim = 8,
                           .rotary_dim = 4};
    append_operands<float> operands{.new_k = new_k.data(),
                                    .new_v = new_v.data(),
                                    .k = k.data(),
                                    .v = v.data(),
                                    .q = q.data(),
                                    .q_out = q_out.data(),
                                    .cos = angles.data(),
                                    .sin = angles.data()};
    bool wrote() const {
        const auto touched = [](const std::vector<float>& x) {
            return !std::all_of(x.begin(), x.end(), [](float e) { return test::is_poison(e); });
        };
        return touched(k) || touched(v) || touched(q_out);
    }
    void take_pages(fade::index size) { problem.page_size = size, operands.block_table = table; }
};

template <class Spoil>
test::refusal said(Spoil spoil) {
    small_append call;
    spoil(call);
    host_device cpu(1);
    test::refusal out = test::caught([&] { append_kv<float>(cpu, call.problem, call.operands); });
    out.wrote = call.wrote();
    return out;
}

/// One field of the problem set to values that it cannot have.
void refuses(const char* name, fade::index append_problem::* field, std::initializer_list<fade::index> values,
             const std::string& words) {
    for (const fade::index value : values) {
        INFO(name, " = ", value);
        test::check_refusal(said([&](auto& call) { call.problem.*field = value; }), name,
                            std::to_string(value), words);
    }
}

}  // namespace

TEST_CASE("the append that the others spoil is none that is refused, and it writes") {
    const auto r = said([](auto&) {});
    CHECK(r.sentence == "");
    CHECK(r.wrote);
}

TEST_CASE("sizes of an append") {
    refuses("batch", &append_problem::batch, {-1, 65536, lowest, highest}, "between 0 and 65535");
    refuses("heads", &append_problem::heads, {-1, 65536, lowest, highest}, "between 0 and 65535");
    refuses("kv_heads", &append_problem::kv_heads, {-1, 0, 65536, lowest, highest}, "between 1 and 65535");
    refuses("head_dim", &append_problem::head_dim, {-1, 0, 257, lowest, highest}, "between 1 and 256");
    refuses("capacity", &append_problem::capacity, {-1, too_many, lowest, highest}, "between 0 and 2^30 - 1");
    refuses("new_positions", &append_problem::new_positions, {-1, 9, lowest, highest},
            "between 0 and the capacity of a sequence (8)");
    refuses("page_size", &append_problem::page_size, {-1, too_many, lowest, highest}, "number of positions");
    refuses("rotary_dim", &append_problem::rotary_dim, {-2, 10, lowest, highest},
            "between 0 and head_dim (8)");
    refuses("rotary_dim", &append_problem::rotary_dim, {1, 3, 7}, "in pairs");
    refuses("rotary_stride", &append_problem::rotary_stride, {-1, 1, fade::index(1) << 31, lowest, highest},
            "at least rotary_dim / 2");
    test::check_refusal(said([](auto& call) { call.problem.rotary_dim = 0, call.problem.rotary_stride = 4; }),
                        "rotary_stride", "4", "at least rotary_dim / 2");
    refuses("table_width", &append_problem::table_width, {1}, "no pages");
    refuses("page_count", &append_problem::page_count, {-1, fade::index(1) << 31, lowest, highest},
            "below 2^31 - 1");
    refuses("page_count", &append_problem::page_count, {1}, "no pages");
}

TEST_CASE("tables of an append") {
    const auto with = [](fade::index page, fade::index width, fade::index capacity) {
        return said([=](small_append& call) {
            call.take_pages(page), call.problem.table_width = width, call.problem.capacity = capacity;
        });
    };
    test::check_refusal(with(3, 2, 8), "table_width", "2", "needs 3 pages");
    test::check_refusal(with(3, -1, 8), "table_width", "-1", "between 0 and 2^30 - 1");
    test::check_refusal(with(1 << 20, 1 << 10, 0), "table_width", "1024", "give the capacity");
    test::check_refusal(with(1, 2, 0), "new_positions", "3",
                        "capacity of a sequence (2)");  // what the table names
    CHECK(with(3, 0, 8).sentence == "");
    CHECK(with(2, 2, 0).sentence == "");
}

TEST_CASE("strides of an append") {
    const std::pair<const char*, attention_strides append_problem::*> all[] = {
        {"new_k_strides", &append_problem::new_k_strides}, {"new_v_strides", &append_problem::new_v_strides},
        {"k_strides", &append_problem::k_strides},         {"v_strides", &append_problem::v_strides},
        {"q_strides", &append_problem::q_strides},         {"q_out_strides", &append_problem::q_out_strides}};
    for (const auto& [name, strides] : all) {
        const auto with = [&](attention_strides s) {
            return said([&](auto& call) { call.problem.*strides = s; });
        };
        test::check_refusal(with({-1, 32, 8}), name, "-1", "batch stride");
        test::check_refusal(with({256, -1, 8}), name, "-1", "position stride");
        test::check_refusal(with({256, 32, fade::index(1) << 31}), name, std::to_string(fade::index(1) << 31),
                            "head stride");
        const bool written = std::string(name) == "k_strides" || std::string(name) == "v_strides" ||
                             std::string(name) == "q_out_strides";
        for (const attention_strides& overlapping :
             {attention_strides{256, 0, 8}, {0, 32, 8}, {256, 32, 7}}) {
            const auto r = with(overlapping);
            CHECK_MESSAGE((r.argument == name) == written, name);
            CHECK(!(written && r.wrote));
        }
    }
    const auto pages =
        said([](small_append& call) { call.take_pages(4), call.problem.k_strides = {60, 16, 8}; });
    test::check_refusal(pages, "k_strides", "60", "spans 64 elements");
}

TEST_CASE("memory that an append reads or writes exists, and there is none that it does not know of") {
    test::check_refusal(said([](auto& call) { call.operands.k = nullptr; }), "k", "null", "written");
    test::check_refusal(said([](auto& call) { call.operands.v = nullptr; }), "v", "null", "written");
    test::check_refusal(said([](auto& call) { call.operands.new_k = nullptr; }), "new_k", "null", "read");
    test::check_refusal(said([](auto& call) { call.operands.new_v = nullptr; }), "new_v", "null", "read");
    test::check_refusal(said([](auto& call) { call.operands.q = nullptr; }), "q", "null", "read");
    test::check_refusal(said([](auto& call) { call.operands.q_out = nullptr; }), "q_out", "null", "written");
    test::check_refusal(said([](auto& call) { call.operands.cos = nullptr; }), "cos", "null", "read");
    test::check_refusal(said([](auto& call) { call.operands.sin = nullptr; }), "sin", "null", "read");
    test::check_refusal(said([](auto& call) { call.take_pages(2), call.operands.block_table = nullptr; }),
                        "block_table", "null", "read");
    test::check_refusal(said([](auto& call) { call.problem.heads = 0; }), "q", "given", "no queries");
    test::check_refusal(said([](auto& call) { call.problem.heads = 0, call.operands.q = nullptr; }), "q_out",
                        "given", "no queries");
    test::check_refusal(said([](auto& call) { call.problem.rotary_dim = 0; }), "cos", "given",
                        "nothing turns");
    test::check_refusal(said([](auto& call) { call.problem.rotary_dim = 0, call.operands.cos = nullptr; }),
                        "sin", "given", "nothing turns");
    test::check_refusal(said([](auto& call) { call.operands.block_table = call.table; }), "block_table",
                        "given", "no pages");
    for (fade::index append_problem::* size : {&append_problem::batch, &append_problem::new_positions}) {
        const auto empty = said([&](auto& call) { call.operands = {}, call.problem.*size = 0; });
        CHECK(empty.sentence == "");
        CHECK(!empty.wrote);
    }
}

TEST_CASE("what an append writes lies in no other tensor") {
    const auto overlaps = [](const char* out, const char* in, auto spoil) {
        test::check_refusal(said(spoil), out, std::string("overlapping ") + in, "no other tensor");
    };
    overlaps("k", "v", [](auto& call) { call.operands.v = call.operands.k + 5; });
    overlaps("k", "q_out", [](auto& call) { call.operands.q_out = call.operands.k; });
    overlaps("k", "new_k", [](auto& call) { call.operands.new_k = call.operands.k + 255; });
    overlaps("v", "new_v", [](auto& call) { call.operands.new_v = call.operands.v; });
    overlaps("q_out", "new_k", [](auto& call) {  // its last element
        call.operands.q_out = call.new_k.data() + 95;
    });
    overlaps("v", "q", [](auto& call) { call.operands.q = call.operands.v; });
    overlaps("q_out", "q", [](auto& call) { call.operands.q_out = call.q.data() + 1; });
    overlaps("q_out", "q", [](auto& call) {
        call.operands.q_out = call.q.data(), call.problem.q_strides = {96, 32, 8},
        call.problem.q_out_strides = {128, 32, 8};
    });
    overlaps("q_out", "cos", [](auto& call) { call.operands.cos = call.operands.q_out; });
    overlaps("k", "sin", [](auto& call) { call.operands.sin = call.operands.k; });
    overlaps("k", "cache_lengths", [](auto& call) {
        call.operands.cache_lengths = reinterpret_cast<const int*>(call.operands.k.get());
    });
    overlaps("v", "new_lengths", [](auto& call) {
        call.operands.new_lengths = reinterpret_cast<const int*>(call.operands.v.get());
    });
    // Only the last entry, where the last sequence ends, lies in what is written, and it alone.
    overlaps("k", "new_lengths", [](auto& call) {
        call.operands.new_lengths = reinterpret_cast<const int*>(call.operands.k.get()) - 2;
    });
    overlaps("q_out", "cache_lengths", [](auto& call) {
        call.operands.cache_lengths = reinterpret_cast<const int*>(call.operands.q_out.get()) - 1;
    });
    overlaps("v", "block_table", [](auto& call) {
        call.take_pages(4), call.operands.block_table = reinterpret_cast<const int*>(call.operands.v.get());
    });
    CHECK(said([](auto& call) { call.operands.v = call.operands.k + 256; }).sentence == "");
}

TEST_CASE("parts of one tensor lie apart though their ranges overlap, and only where they do") {
    const auto both = [](fade::index v_at, attention_strides s) {
        return said([=](auto& call) {
                   call.operands.v = call.operands.k + v_at,
                   call.problem.k_strides = call.problem.v_strides = s;
               })
            .sentence;
    };
    CHECK(both(16, {256, 32, 8}) == "");   // [batch, position, k or v, head, 8]
    CHECK(both(8, {256, 32, 16}) == "");   // [batch, position, head, k or v, 8]
    CHECK(both(128, {256, 16, 8}) == "");  // [batch, k or v, position, head, 8]
    CHECK(both(15, {256, 32, 8}) != "");
    CHECK(both(24, {256, 32, 8}) != "");
    CHECK(both(127, {256, 16, 8}) != "");
    const auto fused = said([](auto& call) {  // queries turn where they lie, beside keys and values
        call.operands.q = call.operands.q_out = call.q.data(), call.operands.new_k = call.q.data() + 32,
        call.operands.new_v = call.q.data() + 48;
        call.problem.q_strides = call.problem.q_out_strides = call.problem.new_k_strides =
            call.problem.new_v_strides = {192, 64, 8};
    });
    CHECK(fused.sentence == "");
}

TEST_CASE("tensors of 2^62 bytes and more, and grids that no device holds") {
    const auto far = said([](auto& call) { call.problem.k_strides = {fade::index(1) << 61, 16, 8}; });
    test::check_refusal(far, "k", "8", "fewer than 2^62 bytes");
    const auto many = said([](auto& call) {
        call.problem = {.heads = 65535,
                        .kv_heads = 1,
                        .new_positions = too_many - 1,
                        .capacity = too_many - 1,
                        .head_dim = 1};
        const auto at = [](int bit) {
            return reinterpret_cast<float*>(std::uintptr_t(1) << bit);
        };  // never followed
        call.operands = {
            .new_k = at(40), .new_v = at(41), .k = at(42), .v = at(43), .q = at(52), .q_out = at(54)};
    });
    test::check_refusal(many, "new_positions", std::to_string(too_many - 1), "2^31 - 1 workgroups");
}
