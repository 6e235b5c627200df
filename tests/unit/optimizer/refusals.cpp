// What steps of optimizers refuse, with nothing written; and what they report.
#include <doctest/doctest.h>
#include <fade/optimizer.hpp>
#include <limits>
#include <vector>

namespace fade::test {
namespace {

struct memory {
    host_device cpu;
    std::vector<float> gradient = std::vector<float>(64, 1), w = std::vector<float>(64, 7), v = w, v2 = w,
                       copy = w, flag = w;
    sgd_problem sgd{.count = 64, .rate = 0.1, .momentum = 0.9};
    adamw_problem adamw{.count = 64};
    sgd_operands<float> of_sgd{gradient.data(), w.data(), v.data(), copy.data()};
    adamw_operands<float> of_adamw{gradient.data(), w.data(), v.data(), v2.data(), copy.data()};

    /// The argument and the value of a refusal; nothing may be written.
    template <class Call>
    std::string refused(Call call) {
        std::string said;
        try {
            call();
        } catch (const error& e) {
            said = e.argument() + " " + e.value();
            CHECK(e.rule().size() > 10);
        }
        for (const auto* list : {&w, &v, &v2, &copy, &flag})
            for (const float x : *list) CHECK(x == 7);
        return said;
    }
    std::string refused_sgd() {
        return refused([&] { sgd_step<float>(cpu, sgd, of_sgd); });
    }
    std::string refused_adamw() {
        return refused([&] { adamw_step<float>(cpu, adamw, of_adamw); });
    }
};

/// What is refused where one field of a fresh call has another value.
template <class Change>
std::string refused_sgd(Change change) {
    memory m;
    change(m.sgd, m.of_sgd);
    return m.refused_sgd();
}
template <class Change>
std::string refused_adamw(Change change) {
    memory m;
    change(m.adamw, m.of_adamw);
    return m.refused_adamw();
}
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("steps of SGD") {
    CHECK(refused_sgd([](auto& p, auto&) { p.count = -1; }) == "count -1");
    CHECK(refused_sgd([](auto& p, auto&) { p.count = index(1) << 38; }) == "count 274877906944");
    CHECK(refused_sgd([](auto& p, auto&) { p.rate = -1; }) == "rate -1.000000");
    CHECK(refused_sgd([](auto& p, auto&) { p.rate = nan; }).substr(0, 5) == "rate ");
    CHECK(refused_sgd([](auto& p, auto&) { p.momentum = 1; }) == "momentum 1.000000");
    CHECK(refused_sgd([](auto& p, auto&) { p.weight_decay = -2; }) == "weight_decay -2.000000");
    CHECK(refused_sgd([](auto& p, auto&) { p.loss_scale = 0; }) == "loss_scale 0.000000");
    CHECK(refused_sgd([](auto& p, auto& o) { p.momentum = 0, p.nesterov = true, o.velocity = nullptr; }) ==
          "nesterov set");
    CHECK(refused_sgd([](auto& p, auto&) { p.momentum = 0; }) == "velocity given");
    CHECK(refused_sgd([](auto&, auto& o) { o.velocity = nullptr; }) == "velocity null");
    CHECK(refused_sgd([](auto&, auto& o) { o.gradient = nullptr; }) == "gradient null");
    CHECK(refused_sgd([](auto&, auto& o) { o.master = nullptr; }) == "master null");
    CHECK(refused_sgd([](auto&, auto& o) { o.copy = o.master + 3; }) == "master overlapping copy");
    CHECK(refused_sgd([](auto&, auto& o) { o.copy = o.master + 63; }) == "master overlapping copy");
    CHECK(refused_sgd([](auto&, auto& o) { o.gradient = o.master + 63; }).find("overlapping") !=
          std::string::npos);
    CHECK(refused_sgd([](auto&, auto& o) { o.nonfinite = o.velocity + 9; }) ==
          "velocity overlapping nonfinite");
}

TEST_CASE("steps of AdamW") {
    CHECK(refused_adamw([](auto& p, auto&) { p.beta1 = 1; }) == "beta1 1.000000");
    CHECK(refused_adamw([](auto& p, auto&) { p.beta2 = -0.5; }) == "beta2 -0.500000");
    CHECK(refused_adamw([](auto& p, auto&) { p.epsilon = 0; }) == "epsilon 0.000000");
    CHECK(refused_adamw([](auto& p, auto&) { p.step = 0; }) == "step 0");
    CHECK(refused_adamw([](auto& p, auto&) { p.count = -1; }) == "count -1");
    CHECK(refused_adamw([](auto& p, auto&) { p.rate = nan; }).substr(0, 5) == "rate ");
    CHECK(refused_adamw([](auto&, auto& o) { o.first_moment = nullptr; }) == "first_moment null");
    CHECK(refused_adamw([](auto&, auto& o) { o.second_moment = nullptr; }) == "second_moment null");
    CHECK(refused_adamw([](auto&, auto& o) { o.second_moment = o.first_moment; }) ==
          "first_moment overlapping second_moment");
}

TEST_CASE("the search for what is not finite") {
    memory m;
    CHECK(m.refused([&] { find_nonfinite<float>(m.cpu, 64, m.gradient.data(), nullptr); }) ==
          "nonfinite null");
    CHECK(m.refused([&] { find_nonfinite<float>(m.cpu, 64, nullptr, m.flag.data()); }) == "gradient null");
    CHECK(m.refused([&] { find_nonfinite<float>(m.cpu, 64, m.w.data(), m.w.data() + 1); }) ==
          "nonfinite overlapping gradient");
    CHECK(m.refused([&] { find_nonfinite<float>(m.cpu, -2, m.gradient.data(), m.flag.data()); }) ==
          "count -2");
}

TEST_CASE("steps report whether parameters move one by one") {
    memory m;
    emulated_device<arch::gfx1100> gpu;
    operation_plan plan;
    const operation_options planned{.plan = &plan};
    const report whole = sgd_step<float>(gpu, m.sgd, m.of_sgd, planned);
    CHECK((!whole.fallback && whole.chosen == "runs of 4 parameters" && plan.launches.size() == 1));
    CHECK(whole.requested == "sgd_step 64 parameters, f32");
    m.sgd.count = 60, m.of_sgd.master += 1;
    const report single = sgd_step<float>(gpu, m.sgd, m.of_sgd, planned);
    CHECK((single.fallback && single.chosen == "single parameters"));
    CHECK(m.refused([&] { sgd_step<float>(gpu, m.sgd, m.of_sgd, {.strict = true}); }) == "strict set");
}

}  // namespace fade::test
