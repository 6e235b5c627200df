// Row operators: what tuning tries, and what calls take of it.
#include "told.hpp"
#include <algorithm>
#include <cmath>
#include <fade/norm.hpp>
#include <fade/tune.hpp>

using namespace fade;
using namespace fade::test;

namespace {

/// rms_norm of drawn rows, for tuning and for calls.
struct norm_rows {
    using op = kernel::rms_norm_rows<float, float, float>;
    static constexpr fade::index rows = 4, columns = 600;
    std::vector<float> x, y = std::vector<float>(rows * columns);

    norm_rows() {
        std::mt19937 random(test::drawn_seed());
        x = test::random_numbers(random, rows * columns);
    }
    op operator_of() {
        return {.x = {x.data(), -1},
                .residual = {},
                .sum = {},
                .weight = {},
                .y = {y.data(), -1},
                .scales = nullptr,
                .inverse_root = nullptr,
                .epsilon = 1e-5f,
                .weight_offset = 0};
    }
    void poison() { std::ranges::fill(y, std::numeric_limits<float>::quiet_NaN()); }
    bool right() const {
        bool out = true;
        for (std::size_t r = 0; r < rows; ++r) {
            double sum = 0;
            for (std::size_t c = 0; c < columns; ++c) sum += double(x[r * columns + c]) * x[r * columns + c];
            const double root = std::sqrt(sum / columns + 1e-5);
            for (std::size_t i = r * columns; i < (r + 1) * columns; ++i)
                out = out && std::abs(y[i] - x[i] / root) < 1e-5;
        }
        return out;
    }
};

}  // namespace

// An emulated device has no speed, so tune_rows refuses it; what a GPU would time can be run here.
TEST_CASE("kernels of row operators that are tried on a GPU are what a call takes, and right") {
    emulated_device<arch::gfx942> device;
    norm_rows norm;
    const auto op = norm.operator_of();
    detail::rows_to_tune<norm_rows::op, decltype(device)> call(device, "rms_norm", {4, 600}, op);
    const detail::tuned_call tried = call.call();
    const auto all = call.candidates();
    CHECK(all.size() >= 3);
    call.at_once = call.rotate(100'000, detail::deadline::never());
    CHECK(call.at_once > 4);
    for (const auto& c : all) {
        CHECK(c.policy != tried.model);
        norm.poison();
        call.source.policy = c.policy;
        tried.run();
        CHECK(norm.right());  // the call's own memory is the first of the sets
    }
    const scratch_file file;
    tuning_database db({file.path(), {}});
    call.at_once = 1;
    const tuning found = detail::tune_within(device, call, db, std::chrono::seconds(20));
    CHECK((found.kept && found.whole && found.candidates == int(all.size())));
    norm.poison();
    const report said = rms_norm<float>(device, {.rows = 4, .columns = 600},
                                        {.x = norm.x.data(), .y = norm.y.data()}, {}, &db);
    CHECK(norm.right());
    CHECK(says(said.why, "the tuning database has a row of this problem, which decides"));
    CHECK(said.evidence.starts_with("tuned: "));
    CHECK(detail::verify_row(device, call, found.row).obstacle.empty());
}

TEST_CASE("the host has one kernel of a row operator, which is timed and not kept") {
    host_device device(1);
    norm_rows norm;
    const auto op = norm.operator_of();
    const scratch_file file;
    tuning_database db({file.path(), {}});
    const found_policy found =
        find_rows(device, "rms_norm", {4, 600}, op, db, {.budget = std::chrono::seconds(1)});
    CHECK(norm.right());
    CHECK(found.source == find_source::model);
    CHECK((found.search.model_nanoseconds > 0 && found.search.candidates == 0 && !found.search.kept));
    CHECK_FALSE(db.row_of(found.search.row.problem, found.search.row.machine));
    tune::tuning_row row = found.search.row;
    CHECK(says(verify_rows(device, "rms_norm", {4, 600}, op, row).obstacle, "the host has one kernel"));
    row.problem.sizes[0] = 5;
    CHECK(says(verify_rows(device, "rms_norm", {4, 600}, op, row).obstacle, "the row is of"));
    CHECK_THROWS_AS(tune_rows(device, "rms_norm", {4, 600}, op, db, std::chrono::seconds(0)), error);
    CHECK_THROWS_AS(tune_rows(device, "rms_norm", {4, -1}, op, db, std::chrono::seconds(1)), error);
}
