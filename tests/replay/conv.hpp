// Convolutions, captured as launches on an architecture would be: all passes, with groups, strides and
// dilation.
#pragma once
#include "capture.hpp"
#include "common/conv_case.hpp"
#include "launched.hpp"
#include <cmath>
#include <fade/conv.hpp>
#include <random>

namespace fade::replay {

/// One problem's tensors, and the sums of its passes in double precision.
template <class T>
struct conv_memory_of_case {
    conv_problem p;
    std::vector<T> x, w, dy, y, dx, dw, db;
    std::vector<double> of_y, of_dx, of_dw, of_db;

    conv_memory_of_case(const conv_problem& problem, std::mt19937_64& random)
        : p(problem), x(filled(p.batch * p.input.volume() * p.channels, random)),
          w(filled(p.filter.volume() * (p.channels / p.groups) * index(p.filters), random)),
          dy(filled(p.batch * p.output().volume() * p.filters, random)), y(dy.size()), dx(x.size()),
          dw(w.size()), db(std::size_t(p.filters)), of_y(y.size()), of_dx(dx.size()), of_dw(dw.size()),
          of_db(db.size()) {
        const test::conv_places places{p};
        for (std::size_t o = 0; o < dy.size(); ++o)
            of_db[std::size_t(places.channel(o, places.out.volume(), p.filters))] += test::value_of(dy[o]);
        places.each_product([&](std::size_t i, std::size_t f, std::size_t o) {
            const double a = test::value_of(x[i]), b = test::value_of(w[f]), g = test::value_of(dy[o]);
            of_y[o] += a * b, of_dx[i] += g * b, of_dw[f] += g * a;
        });
    }

    conv_weights_operands<T> of_weights() {
        return {.x = x.data(), .dy = dy.data(), .dw = dw.data(), .db = db.data()};
    }
    void keep(capture& to, const char* name, std::vector<T>& of, const char* role) {
        to.memory(name, of.data(), of.size() * sizeof(T), role);
    }
    void expect(capture& to, const char* name, const std::vector<double>& values) {
        to.expect(name, fade::name(dtype_v<T>), values, 0x1p-7);
    }

private:
    static std::vector<T> filled(index count, std::mt19937_64& random) {
        std::normal_distribution<double> normal;
        std::vector<T> out(static_cast<std::size_t>(count));
        for (T& v : out) v = test::nearest<T>(normal(random));
        return out;
    }
};

template <class T>
void capture_conv(capture_target target, const fs::path& at, const std::string& name, const conv_problem& p,
                  std::mt19937_64& random) {
    conv_memory_of_case<T> m(p, random);
    std::byte little{};  // too little for copies: channels that are no runs are read one by one
    const conv_options options{.split_k = 1, .workspace = &little, .workspace_bytes = sizeof little};
    const auto launch = [&](capture& out, const conv_plan& plan) {
        for (const auto& l : plan.launches) out.launch(target.row(), l);
    };
    {
        capture out(at / (name + "-forward"));
        m.keep(out, "x", m.x, "in"), m.keep(out, "w", m.w, "in"), m.keep(out, "y", m.y, "inout");
        launch(out, plan_conv_forward<T>(target, p, {.x = m.x.data(), .w = m.w.data(), .y = m.y.data()},
                                         epilogue::none{}, options));
        m.expect(out, "y", m.of_y), out.close();
    }
    {
        capture out(at / (name + "-backward-data"));
        m.keep(out, "dy", m.dy, "in"), m.keep(out, "w", m.w, "in"), m.keep(out, "dx", m.dx, "inout");
        launch(out,
               plan_conv_backward_data<T>(target, p, {.dy = m.dy.data(), .w = m.w.data(), .dx = m.dx.data()},
                                          epilogue::none{}, options));
        m.expect(out, "dx", m.of_dx), out.close();
    }
    capture out(at / (name + "-backward-weights"));
    m.keep(out, "x", m.x, "in"), m.keep(out, "dy", m.dy, "in"), m.keep(out, "dw", m.dw, "inout");
    m.keep(out, "db", m.db, "inout");
    launch(out, plan_conv_backward_weights<T>(target, p, m.of_weights(), epilogue::none{}, {.split_k = 1}));
    m.expect(out, "dw", m.of_dw), m.expect(out, "db", m.of_db), out.close();
}

/// Channels in whole steps, in runs, and one by one; strides that cut x into parts; groups and a dilation.
inline void capture_convs(capture_target target, const fs::path& at, std::mt19937_64& random) {
    const int some = 9 + int(random() % 5);
    capture_conv<f16>(
        target, at, "conv-whole",  // backward data has 64 columns: narrow tiles, where there are any
        {.channels = 64, .filters = 96, .input = {1, some, some}, .filter = {1, 3, 3}, .pad = {0, 1, 1}},
        random);
    capture_conv<f16>(target, at, "conv-strided",
                      {.batch = 3,  // of more pixels than a page of their table has
                       .channels = 24,
                       .filters = 32,
                       .input = {3, some, 8},
                       .filter = {2, 3, 2},
                       .stride = {1, 2, 3},
                       .dilation = {2, 1, 1},
                       .pad = {1, 2, 0},
                       .groups = 1},
                      random);
    capture_conv<f16>(target, at, "conv-elements",
                      {.batch = 2,
                       .channels = 6,
                       .filters = 10,
                       .input = {1, 5, some},
                       .filter = {1, 3, 4},
                       .pad = {0, 1, 2},
                       .groups = 2},
                      random);
}

/// Algorithms that lay matrices or transformed tiles out in a workspace, of which each launch reads what the
/// one before it left there.
template <class T>
void capture_conv_by(capture_target target, const fs::path& at, conv_algorithm algorithm,
                     const conv_problem& p, std::mt19937_64& random) {
    constexpr conv_algorithms compiled{.im2col = true, .winograd = true};
    conv_memory_of_case<T> m(p, random);
    std::vector<std::byte> workspace(1 << 20);
    const conv_options options{.split_k = 1,
                               .algorithm = algorithm,
                               .workspace = workspace.data(),
                               .workspace_bytes = workspace.size()};
    const std::string name = std::string("conv-") + fade::name(algorithm);
    const auto launch = [&](capture& out, const conv_plan& plan) {
        out.memory("workspace", workspace.data(), plan.workspace_bytes, "inout");
        for (const auto& l : plan.launches) out.launch(target.row(), l);
    };
    {
        capture out(at / (name + "-forward"));
        m.keep(out, "x", m.x, "in"), m.keep(out, "w", m.w, "in"), m.keep(out, "y", m.y, "inout");
        launch(out, plan_conv_forward<T, T, compiled>(target, p,
                                                      {.x = m.x.data(), .w = m.w.data(), .y = m.y.data()},
                                                      epilogue::none{}, options));
        m.expect(out, "y", m.of_y), out.close();
    }
    if (is_winograd(algorithm)) {
        capture out(at / (name + "-backward-weights"));
        m.keep(out, "x", m.x, "in"), m.keep(out, "dy", m.dy, "in"), m.keep(out, "dw", m.dw, "inout");
        launch(out, plan_conv_backward_weights<T, T, compiled>(
                        target, p, {.x = m.x.data(), .dy = m.dy.data(), .dw = m.dw.data()}, epilogue::none{},
                        options));
        m.expect(out, "dw", m.of_dw), out.close();
    }
    capture out(at / (name + "-backward-data"));
    m.keep(out, "dy", m.dy, "in"), m.keep(out, "w", m.w, "in"), m.keep(out, "dx", m.dx, "inout");
    launch(out, plan_conv_backward_data<T, T, compiled>(
                    target, p, {.dy = m.dy.data(), .w = m.w.data(), .dx = m.dx.data()}, epilogue::none{},
                    options));
    m.expect(out, "dx", m.of_dx), out.close();
}

/// Whole numbers with zero points of x and of each filter, before the sums are stored as they are; more
/// channels than a step has, and groups whose copies have zeros behind their channels.
inline void capture_zero_points(capture_target target, const fs::path& at, std::mt19937_64& random) {
    for (const bool padded : {false, true}) {
        const conv_problem p{.batch = 2,
                             .channels = padded ? 10 : 80,
                             .filters = padded ? 6 : 40,
                             .input = {1, 7, 6 + int(random() % 4)},
                             .filter = {1, 3, 3},
                             .stride = {1, 1, 2},
                             .pad = {0, 1, 2},
                             .groups = padded ? 2 : 1};
        std::uniform_int_distribution<int> byte(-128, 127);
        std::vector<i8> x(std::size_t(p.batch * p.input.volume() * p.channels)),
            w(std::size_t(p.filter.volume() * (p.channels / p.groups) * p.filters));
        std::vector<i32> zeros(std::size_t(p.filters)),
            y(std::size_t(p.batch * p.output().volume() * p.filters));
        for (auto* of : {&x, &w})
            for (i8& v : *of) v = i8(byte(random));
        for (i32& v : zeros) v = byte(random);
        const int zero = byte(random);
        std::vector<double> of_y(y.size());
        const test::conv_places places{p};
        places.each_product([&](std::size_t i, std::size_t f, std::size_t o) {
            of_y[o] += double(x[i] - zero) * (w[f] - zeros[std::size_t(places.filter(f))]);
        });
        std::vector<std::byte> workspace(1 << 16);
        const auto plan = plan_conv_forward<i8, i32>(
            target, p, {.x = x.data(), .w = w.data(), .y = y.data(), .x_zero = zero, .w_zero = zeros.data()},
            epilogue::none{},
            {.split_k = 1,
             .algorithm = conv_algorithm::implicit_gemm,
             .workspace = workspace.data(),
             .workspace_bytes = workspace.size()});
        capture out(at / (padded ? "conv-zero-points-padded" : "conv-zero-points"));
        out.memory("x", x.data(), x.size(), "in"), out.memory("w", w.data(), w.size(), "in");
        out.memory("zeros", zeros.data(), zeros.size() * sizeof(i32), "in");
        out.memory("y", y.data(), y.size() * sizeof(i32), "inout");
        out.memory("workspace", workspace.data(), plan.workspace_bytes, "inout");
        for (const auto& l : plan.launches) out.launch(target.row(), l);
        out.expect("y", fade::name(dtype_v<i32>), of_y, 0), out.close();
    }
}

/// Strided backward data of few channels: pixels of x lie beside each other.
inline void capture_beside(capture_target target, const fs::path& at, std::mt19937_64& random) {
    const conv_problem p{.batch = 2,
                         .channels = 3,
                         .filters = 32,
                         .input = {1, 11, 10 + int(random() % 6)},
                         .filter = {1, 5, 6},
                         .stride = {1, 2, 2},
                         .pad = {0, 2, 3}};
    conv_memory_of_case<f16> m(p, random);
    std::vector<std::byte> workspace(1 << 18);
    const conv_plan plan = plan_conv_backward_data<f16>(
        target, p, {.dy = m.dy.data(), .w = m.w.data(), .dx = m.dx.data()}, epilogue::none{},
        {.split_k = 2, .workspace = workspace.data(), .workspace_bytes = workspace.size()});
    capture out(at / "conv-beside-backward-data");
    m.keep(out, "dy", m.dy, "in"), m.keep(out, "w", m.w, "in"), m.keep(out, "dx", m.dx, "inout");
    out.memory("workspace", workspace.data(), plan.workspace_bytes, "inout");
    for (const auto& l : plan.launches) out.launch(target.row(), l);
    m.expect(out, "dx", m.of_dx), out.close();
}

/// Images of colours by mec: the forward pass reads them pixel by pixel, backward weights plane by plane.
template <class T>
void capture_mec(capture_target target, const fs::path& at, std::mt19937_64& random) {
    conv_problem p{.batch = 2,
                   .channels = 3,
                   .filters = 24,
                   .input = {1, 17, 21 + 2 * int(random() % 4)},
                   .filter = {1, 3, 5},
                   .stride = {1, 1, 2},
                   .pad = {0, 1, 2}};
    std::vector<std::byte> workspace(1 << 20);
    const auto options = [&](int split_k) {
        return conv_options{.split_k = split_k,
                            .algorithm = conv_algorithm::mec,
                            .workspace = workspace.data(),
                            .workspace_bytes = workspace.size()};
    };
    const auto launch = [&](capture& out, const conv_plan& plan) {
        out.memory("workspace", workspace.data(), plan.workspace_bytes, "inout");
        for (const auto& l : plan.launches) out.launch(target.row(), l);
    };
    {
        conv_memory_of_case<T> m(p, random);
        capture out(at / "conv-mec-forward");
        m.keep(out, "x", m.x, "in"), m.keep(out, "w", m.w, "in"), m.keep(out, "y", m.y, "inout");
        launch(out, plan_conv_forward<T>(target, p, {.x = m.x.data(), .w = m.w.data(), .y = m.y.data()}, {},
                                         options(1)));
        m.expect(out, "y", m.of_y), out.close();
    }
    p.layout = conv_layout::channels_first;
    conv_memory_of_case<T> m(p, random);
    capture out(at / "conv-mec-backward-weights");
    m.keep(out, "x", m.x, "in"), m.keep(out, "dy", m.dy, "in"), m.keep(out, "dw", m.dw, "inout");
    m.keep(out, "db", m.db, "inout");
    launch(out, plan_conv_backward_weights<T>(target, p, m.of_weights(), {}, options(2)));
    m.expect(out, "dw", m.of_dw), m.expect(out, "db", m.of_db), out.close();
}

template <class T>
void capture_convs_by_algorithm(capture_target target, const fs::path& at, std::mt19937_64& random) {
    conv_problem p{.batch = 2,
                   .channels = 16,
                   .filters = 24,
                   .input = {1, 6 + int(random() % 4), 7},
                   .filter = {1, 3, 3},
                   .pad = {0, 1, 1}};
    for (const auto algorithm :
         {conv_algorithm::im2col, conv_algorithm::winograd_f2, conv_algorithm::winograd_f4})
        capture_conv_by<T>(target, at, algorithm, p, random);
    capture_mec<T>(target, at, random);
    capture_zero_points(target, at, random);
    capture_beside(target, at, random);
}

}  // namespace fade::replay
