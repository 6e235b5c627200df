// Every row operator against double precision, on one device.
#pragma once
#include "common/row_case.hpp"
#include <fade/norm.hpp>
#include <fade/reduce.hpp>
#include <fade/softmax.hpp>

namespace rows {

template <class T, class Out, class Device>
void check_norms(Device& device, const size& s) {
    CAPTURE(s.rows);
    CAPTURE(s.columns);
    const bool packed = drawn(0, 1), adds = drawn(0, 1), layer = drawn(0, 1), weighs = drawn(0, 3);
    matrix<T> x(s.rows, s.columns, packed), residual(s.rows, s.columns, packed),
        sum(s.rows, s.columns, packed), weight(1, s.columns, true), bias(1, s.columns, true);
    matrix<Out> y(s.rows, s.columns, packed);
    x.fill(1, layer ? 5 : 0), residual.fill(), weight.fill(), bias.fill();
    std::vector<float> mean(std::size_t(s.rows), 7.0f), root(std::size_t(s.rows), 7.0f);
    const fade::norm_problem p{.rows = s.rows,
                               .columns = s.columns,
                               .epsilon = 1e-3,
                               .x_stride = x.stride(),
                               .residual_stride = residual.stride(),
                               .sum_stride = sum.stride(),
                               .y_stride = y.stride()};
    fade::norm_operands<T, Out> o{.x = x.data(), .y = y.data(), .inverse_root = root.data()};
    if (adds) o.residual = residual.data(), o.sum = sum.data();
    if (weighs) o.weight = weight.data();
    if (layer) {
        o.bias = bias.data(), o.mean = mean.data();
        fade::layer_norm<T, Out>(device, p, o);
    } else {
        fade::rms_norm<T, Out>(device, p, o);
    }
    distance off, sum_off, root_off;
    for (fade::index r = 0; r < s.rows; ++r) {
        std::vector<double> h;
        double total = 0, squares = 0;
        for (fade::index c = 0; c < s.columns; ++c) {
            const double both = x.at(r, c) + (adds ? residual.at(r, c) : 0);
            if (adds) sum_off.add(sum.at(r, c), both);
            h.push_back(adds ? sum.at(r, c) : both), total += h.back();
        }
        const double middle = layer ? total / double(s.columns) : 0;
        for (double v : h) squares += (v - middle) * (v - middle);
        const double inverse = 1 / std::sqrt(squares / double(s.columns) + 1e-3);
        root_off.add(root[std::size_t(r)], inverse);
        for (fade::index c = 0; c < s.columns; ++c)
            off.add(y.at(r, c), (h[std::size_t(c)] - middle) * inverse * (weighs ? weight.at(0, c) : 1) +
                                    (layer ? bias.at(0, c) : 0));
    }
    CHECK(off.relative() < bound<Out>());
    CHECK(sum_off.relative() < 1.01 * rounding<T>());
    CHECK(root_off.relative() < 4e-6);
    CHECK(y.gaps_are_poison());
    CHECK(sum.gaps_are_poison());
}

/// A norm in 8 bits: every element within half a step of its type, in units of its row's scale.
template <class T, class Out, class Device>
void check_narrow_norm(Device& device, const size& s) {
    CAPTURE(s.rows);
    CAPTURE(s.columns);
    matrix<T> x(s.rows, s.columns, drawn(0, 1));
    x.fill(2);
    for (fade::index c = 0; c < s.columns; ++c) x.data()[c] = fade::convert<T>(0.0f);  // a row of zeros
    std::vector<Out> y(std::size_t(s.rows * s.columns));
    std::vector<float> scales(std::size_t(s.rows), -7.0f);
    fade::rms_norm<T, Out>(device, {.rows = s.rows, .columns = s.columns, .x_stride = x.stride()},
                           {.x = x.data(), .y = y.data(), .scales = scales.data()});
    bool near = true;
    for (fade::index r = 0; r < s.rows; ++r) {
        double squares = 0, max = 0;
        for (fade::index c = 0; c < s.columns; ++c)
            squares += x.at(r, c) * x.at(r, c), max = std::max(max, std::abs(x.at(r, c)));
        const double inverse = 1 / std::sqrt(squares / double(s.columns) + 1e-5);
        const double largest = double(fade::kernel::largest_of<Out>());
        const double scale = max > 0 ? max * inverse / largest : 1;
        near = near && std::abs(double(scales[std::size_t(r)]) - scale) <= 1e-5 * scale;
        for (fade::index c = 0; c < s.columns; ++c) {
            const double right = x.at(r, c) * inverse;
            const double got = double(fade::convert<float>(y[std::size_t(r * s.columns + c)])) * scale;
            const double step = sizeof(Out) == 1 && std::is_same_v<Out, fade::i8>
                                    ? scale / 2
                                    : std::max(std::abs(right) / 16, scale / 512);
            near = near && std::abs(got - right) <= step * 1.001 + 1e-5 * std::abs(right);
        }
    }
    CHECK(near);
    const auto any_nan = std::bit_cast<float>(std::uint32_t(0x7fc00000 + drawn(0, 127)));
    x.data()[drawn(0, s.columns - 1)] = fade::convert<T>(any_nan);
    fade::rms_norm<T, Out>(device, {.rows = 1, .columns = s.columns},
                           {.x = x.data(), .y = y.data(), .scales = scales.data()});
    bool lost = false;
    for (fade::index c = 0; c < s.columns; ++c)
        lost = lost || !std::isnan(fade::convert<float>(y[std::size_t(c)]) * scales[0]);
    CHECK(!lost);
}

template <class T, class Out, class Device>
void check_softmax(Device& device, const size& s, bool logarithm) {
    CAPTURE(s.rows);
    CAPTURE(s.columns);
    CAPTURE(logarithm);
    const bool packed = drawn(0, 1);
    matrix<T> x(s.rows, s.columns, packed);
    matrix<Out> y(s.rows, s.columns, packed);
    x.fill(float(drawn(1, 8)));
    const fade::softmax_problem p{s.rows, s.columns, x.stride(), y.stride()};
    logarithm ? fade::log_softmax<T, Out>(device, p, x.data(), y.data())
              : fade::softmax<T, Out>(device, p, x.data(), y.data());
    distance off;
    bool sums_to_one = true;
    for (fade::index r = 0; r < s.rows; ++r) {
        double largest = -1e300, total = 0, got = 0;
        for (fade::index c = 0; c < s.columns; ++c) largest = std::max(largest, x.at(r, c));
        for (fade::index c = 0; c < s.columns; ++c) total += std::exp(x.at(r, c) - largest);
        for (fade::index c = 0; c < s.columns; ++c) {
            const double log = x.at(r, c) - largest - std::log(total);
            off.add(y.at(r, c), logarithm ? log : std::exp(log)), got += y.at(r, c);
        }
        if (!logarithm && sizeof(Out) == 4) sums_to_one = sums_to_one && std::abs(got - 1) < 0x1p-20;
    }
    CHECK(sums_to_one);
    CHECK(off.relative() < bound<Out>());
    CHECK(y.gaps_are_poison());
}

template <class T, class Device>
void check_cross_entropy(Device& device, const size& s, bool packed = drawn(0, 1)) {
    CAPTURE(s.rows);
    CAPTURE(s.columns);
    matrix<T> x(s.rows, s.columns, packed), dx(s.rows, s.columns, drawn(0, 1));
    x.fill(3);
    const double smoothing = drawn(0, 1) ? 0.1 : 0;
    std::vector<int> labels;
    for (fade::index r = 0; r < s.rows; ++r)
        labels.push_back(drawn(0, 4) == 0 ? -100 : int(drawn(0, s.columns - 1)));
    std::vector<float> loss(labels.size(), 7.0f), log_sum(loss), dloss(loss);
    for (float& d : dloss) d = float(drawn(-4, 4)) / 4;
    const fade::cross_entropy_problem p{.rows = s.rows,
                                        .columns = s.columns,
                                        .smoothing = smoothing,
                                        .x_stride = x.stride(),
                                        .dx_stride = dx.stride()};
    fade::cross_entropy<T>(device, p, {x.data(), labels.data(), loss.data(), log_sum.data()});
    fade::cross_entropy_gradient<T>(device, p,
                                    {x.data(), labels.data(), log_sum.data(), dloss.data(), dx.data()});
    distance off, gradient_off;
    for (fade::index r = 0; r < s.rows; ++r) {
        const auto label = labels[std::size_t(r)];
        double largest = -1e300, total = 0, all = 0;
        for (fade::index c = 0; c < s.columns; ++c)
            largest = std::max(largest, x.at(r, c)), all += x.at(r, c);
        for (fade::index c = 0; c < s.columns; ++c) total += std::exp(x.at(r, c) - largest);
        const double lse = largest + std::log(total);
        const double right =
            label < 0 ? 0 : lse - (1 - smoothing) * x.at(r, label) - smoothing * all / double(s.columns);
        off.add(loss[std::size_t(r)], right, 1 + right);
        for (fade::index c = 0; c < s.columns; ++c) {
            const double target = (c == label ? 1 - smoothing : 0) + smoothing / double(s.columns);
            gradient_off.add(dx.at(r, c), label < 0 ? 0
                                                    : (std::exp(x.at(r, c) - lse) - target) *
                                                          double(dloss[std::size_t(r)]));
        }
    }
    CHECK(off.relative() < bound_of_sums(s.columns));
    CHECK(gradient_off.relative() < bound<T>() + 2e-5);
    CHECK(dx.gaps_are_poison());
}

/// Losses of logits that are far from 0: their differences are small beside them, or as large as f32 knows.
template <class Device>
void check_large_logits(Device& device) {
    const std::vector<std::pair<double, double>> rows{{3e4, 1}, {-7e6, 4}, {2e9, 200}, {3e38, 1e37}};
    matrix<float> x(fade::index(rows.size()), 700, true);
    x.fill(1);
    std::vector<int> labels(rows.size(), 5);
    std::vector<float> loss(rows.size());
    for (fade::index r = 0; r < fade::index(rows.size()); ++r)
        for (fade::index c = 0; c < 700; ++c) {
            float& here = x.data()[r * x.stride() + c];
            const auto [mean, deviation] = rows[std::size_t(r)];
            here = float(mean + deviation * double(std::clamp(here, -2.0f, 2.0f)));
        }
    fade::cross_entropy<float>(device, {.rows = fade::index(rows.size()), .columns = 700},
                               {x.data(), labels.data(), loss.data(), nullptr});
    for (fade::index r = 0; r < fade::index(rows.size()); ++r) {
        CAPTURE(r);
        double largest = -1e300, total = 0;
        for (fade::index c = 0; c < 700; ++c) largest = std::max(largest, x.at(r, c));
        for (fade::index c = 0; c < 700; ++c) total += std::exp(x.at(r, c) - largest);
        const double right = largest - x.at(r, 5) + std::log(total);
        CHECK(std::abs(double(loss[std::size_t(r)]) - right) < bound_of_sums(700) * (1 + right));
    }
}

template <class T, class Out, class Device>
void check_reductions(Device& device, const size& s, fade::along direction) {
    CAPTURE(s.rows);
    CAPTURE(s.columns);
    CAPTURE(int(direction));
    matrix<T> x(s.rows, s.columns, drawn(0, 1));
    x.fill(1, 0.5f);
    const bool by_rows = direction == fade::along::rows;
    const fade::index results = by_rows ? s.rows : s.columns, folded = by_rows ? s.columns : s.rows;
    if (folded > 3) x.data()[by_rows ? 2 : 2 * x.stride()] = fade::convert<T>(std::nanf(""));
    std::vector<Out> sums(std::size_t(results) + 1), means(sums), largest(sums);
    std::vector<int> places(sums.size(), -7);
    const fade::reduce_problem p{s.rows, s.columns, direction, x.stride()};
    fade::sum(device, p, x.data(), sums.data());
    fade::mean(device, p, x.data(), means.data());
    fade::max(device, p, x.data(), largest.data(), places.data());
    distance sum_off, mean_off;
    bool exact = true;
    for (fade::index i = 0; i < results; ++i) {
        double total = 0, magnitude = 0;
        fade::index best = 0;
        const auto at = [&](fade::index j) { return by_rows ? x.at(i, j) : x.at(j, i); };
        for (fade::index j = 0; j < folded; ++j) {
            total += at(j), magnitude += std::abs(at(j));
            if (std::isnan(at(best))) continue;
            if (std::isnan(at(j)) || at(j) > at(best)) best = j;
        }
        const auto got = [&](const std::vector<Out>& v) {
            return double(fade::convert<float>(v[std::size_t(i)]));
        };
        sum_off.add(got(sums), total), mean_off.add(got(means), total / double(folded));
        exact = exact && places[std::size_t(i)] == int(best) &&
                (std::isnan(at(best))
                     ? std::isnan(got(largest))
                     : got(largest) == double(fade::convert<float>(fade::convert<Out>(float(at(best))))));
    }
    CHECK(sum_off.relative() < bound<Out>() + 2e-6);
    CHECK(mean_off.relative() < bound<Out>() + 2e-6);
    CHECK(exact);
    CHECK(places.back() == -7);
}

template <class T, class Device>
void check_top_k(Device& device, const size& s, fade::along direction, int most) {
    CAPTURE(s.rows);
    CAPTURE(s.columns);
    CAPTURE(int(direction));
    const bool by_rows = direction == fade::along::rows;
    const fade::index lists = by_rows ? s.rows : s.columns, searched = by_rows ? s.columns : s.rows;
    matrix<T> x(s.rows, s.columns, drawn(0, 1));
    x.fill();
    if (drawn(0, 1))  // many equal elements
        for (fade::index r = 0; r < s.rows; ++r)
            for (fade::index c = 0; c < s.columns; ++c)
                x.data()[r * x.stride() + c] = fade::convert<T>(float(drawn(-2, 2)));
    if (searched > 3) x.data()[by_rows ? 2 : 2 * x.stride()] = fade::convert<T>(std::nanf(""));
    const int k = int(drawn(1, std::min<fade::index>(searched, most)));
    CAPTURE(k);
    std::vector<T> values(std::size_t(lists * k));
    std::vector<int> places(values.size() + 1, -7);
    fade::top_k(
        device,
        {.rows = s.rows, .columns = s.columns, .k = k, .x_stride = x.stride(), .direction = direction},
        x.data(), values.data(), places.data());
    bool exact = places.back() == -7;
    for (fade::index l = 0; l < lists; ++l) {
        const auto at = [&](fade::index j) { return by_rows ? x.at(l, j) : x.at(j, l); };
        std::vector<int> order(static_cast<std::size_t>(searched));
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = int(i);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
            return std::isnan(at(a)) ? !std::isnan(at(b)) : at(a) > at(b);
        });
        for (int i = 0; i < k; ++i) {
            const auto out = std::size_t(by_rows ? l * k + i : i * lists + l);
            const double right = at(order[std::size_t(i)]), got = double(fade::convert<float>(values[out]));
            exact = exact && places[out] == order[std::size_t(i)] &&
                    (std::isnan(right) ? std::isnan(got) : got == right);
        }
    }
    CHECK(exact);
}

/// The gradients of norms against their formulas, sum by sum in double precision. `packed`: in rows of whole
/// aligned runs, else by chance. `alike`: all tensors of rows begin where h does.
template <class T, class Device>
fade::report check_norm_gradients(Device& device, const size& s, bool layer, bool packed,
                                  bool alike = false) {
    CAPTURE(s.rows);
    CAPTURE(s.columns);
    CAPTURE(layer);
    matrix<T> h(s.rows, s.columns, packed || drawn(0, 1));
    const auto another = [&] { return alike ? h : matrix<T>(s.rows, s.columns, packed || drawn(0, 1)); };
    matrix<T> dy = another(), dx = another(), weight(1, s.columns, true), dweight(1, s.columns, true),
              dbias(1, s.columns, true), y(s.rows, s.columns, true);
    h.fill(2, layer ? 3 : 0), dy.fill(), weight.fill();
    std::vector<float> mean(std::size_t(s.rows)), root(mean);
    const fade::norm_problem forward{.rows = s.rows, .columns = s.columns, .x_stride = h.stride()};
    const fade::norm_gradient_problem p{.rows = s.rows,
                                        .columns = s.columns,
                                        .h_stride = h.stride(),
                                        .dy_stride = dy.stride(),
                                        .dx_stride = dx.stride()};
    fade::norm_operands<T> o{
        .x = h.data(), .weight = weight.data(), .y = y.data(), .inverse_root = root.data()};
    fade::norm_gradient_operands<T> g{.h = h.data(),
                                      .dy = dy.data(),
                                      .weight = weight.data(),
                                      .inverse_root = root.data(),
                                      .dx = dx.data(),
                                      .dweight = dweight.data()};
    fade::report said;
    if (layer) {
        o.mean = mean.data(), g.mean = mean.data(), g.dbias = dbias.data();
        fade::layer_norm<T>(device, forward, o), said = fade::layer_norm_gradient<T>(device, p, g);
    } else {
        fade::rms_norm<T>(device, forward, o), said = fade::rms_norm_gradient<T>(device, p, g);
    }
    distance off, weight_off, bias_off;
    std::vector<double> dw(std::size_t(s.columns)), db(dw);
    const double n = double(s.columns);
    for (fade::index r = 0; r < s.rows; ++r) {
        double total = 0, squares = 0, plain = 0, along = 0;
        for (fade::index c = 0; c < s.columns; ++c) total += h.at(r, c);
        const double middle = layer ? total / n : 0;
        for (fade::index c = 0; c < s.columns; ++c) squares += std::pow(h.at(r, c) - middle, 2);
        const double inverse = 1 / std::sqrt(squares / n + 1e-5);
        const auto z = [&](fade::index c) { return (h.at(r, c) - middle) * inverse; };
        const auto gradient = [&](fade::index c) { return dy.at(r, c) * weight.at(0, c); };
        for (fade::index c = 0; c < s.columns; ++c) {
            plain += gradient(c), along += gradient(c) * z(c);
            dw[std::size_t(c)] += dy.at(r, c) * z(c), db[std::size_t(c)] += dy.at(r, c);
        }
        for (fade::index c = 0; c < s.columns; ++c)
            off.add(dx.at(r, c), (gradient(c) - (layer ? plain / n : 0) - z(c) * along / n) * inverse,
                    gradient(c) * inverse);
    }
    for (fade::index c = 0; c < s.columns; ++c) {
        weight_off.add(dweight.at(0, c), dw[std::size_t(c)]);
        if (layer) bias_off.add(dbias.at(0, c), db[std::size_t(c)]);
    }
    CHECK(off.relative() < bound<T>() + 1e-5);
    CHECK(weight_off.relative() < bound<T>() + 1e-5);
    CHECK(bias_off.relative() < bound<T>() + 1e-5);
    CHECK(dx.gaps_are_poison());
    return said;
}

/// A stride of 0 repeats one row, along either direction.
template <class T, class Device>
void check_repeated_row(Device& device) {
    const size s{drawn(2, 40), drawn(2, 700)};
    CAPTURE(s.rows);
    CAPTURE(s.columns);
    matrix<T> x(1, s.columns, true);
    x.fill(1, 2);
    std::vector<float> of_columns(std::size_t(s.columns)), of_rows(std::size_t(s.rows));
    fade::sum(device, {s.rows, s.columns, fade::along::columns, 0}, x.data(), of_columns.data());
    fade::sum(device, {s.rows, s.columns, fade::along::rows, 0}, x.data(), of_rows.data());
    distance columns_off, rows_off;
    double total = 0;
    for (fade::index c = 0; c < s.columns; ++c) {
        total += x.at(0, c);
        columns_off.add(double(of_columns[std::size_t(c)]), double(s.rows) * x.at(0, c));
    }
    for (float sum : of_rows) rows_off.add(double(sum), total);
    CHECK(columns_off.relative() < bound<float>() + 2e-6);
    CHECK(rows_off.relative() < bound<float>() + 2e-6);
}

template <class T, class Out, class Device>
void check_all(Device& device) {
    for (const size& s : sizes()) {
        check_norms<T, Out>(device, s);
        for (const bool logarithm : {false, true}) check_softmax<T, Out>(device, s, logarithm);
        check_reductions<T, Out>(device, s, fade::along::rows);
    }
    for (const size& s : {size{3, 100}, size{2, drawn(2, 3000)}}) {
        check_narrow_norm<T, fade::i8>(device, s);
        check_narrow_norm<T, fade::f8e4m3>(device, s);
    }
    for (const size& s : {size{1, 1}, size{300, 70}, size{drawn(2, 200), drawn(2, 300)}, size{130, 512}})
        check_reductions<T, Out>(device, s, fade::along::columns);
}

/// What has one type.
template <class T, class Device>
void check_all_of(Device& device) {
    check_repeated_row<T>(device);
    for (const size& s : sizes()) check_cross_entropy<T>(device, s);
    if constexpr (std::is_same_v<T, float>) check_large_logits(device);
    for (const size& s : sizes()) check_top_k<T>(device, s, fade::along::rows, 9);
    // Of rows of any begin, of rows that share a wave, and of whole runs that waves share.
    for (const size& s : {size{3, drawn(64, 3000)}, size{5, 8 * drawn(8, 64)}, size{3, 8 * drawn(64, 1200)}})
        check_top_k<T>(device, s, fade::along::rows, 64);
    for (const size& s : {size{1, 1}, size{40, drawn(1, 200)}, size{drawn(200, 3000), drawn(1, 70)}})
        for (const int most : {8, 64}) check_top_k<T>(device, s, fade::along::columns, most);
    for (const bool layer : {false, true}) {
        for (const size& s : {size{1, 1}, size{200, 96}, size{drawn(2, 90), drawn(2, 700)}, size{3, 9000}})
            if (!(layer && s.columns == 1)) check_norm_gradients<T>(device, s, layer, false);
        // More rows than workgroups take at once, and rows that 128, 256 and 512 lanes share, the last with
        // most registers.
        for (const size& s : {size{4000, 16}, size{7, 1024}, size{5, 8 * drawn(300, 500)}, size{3, 8192},
                              size{2, 24576 / fade::index(sizeof(T))}})
            check_norm_gradients<T>(device, s, layer, true);
    }
}

}  // namespace rows
