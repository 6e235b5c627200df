// One call of a pooling or its gradient: checked, launched, reported.
#pragma once
#include <fade/device/image/common.hpp>
#include <fade/kernel/pool/check.hpp>
#include <fade/tune/image/entry.hpp>

namespace FADE_NAMESPACE {

template <tune::pool_kind Kind, class T>
class pool_operation {
    static constexpr int run = 16 / int(sizeof(T));
    static constexpr bool gradient =
        Kind == tune::pool_kind::max_gradient || Kind == tune::pool_kind::avg_gradient;

public:
    /// `indices` are read, `places` are written; either may be null.
    template <class Device>
    pool_operation(const Device& device, const pool_problem& problem, const T* from, T* to,
                   const int* indices, int* places)
        : p_(kernel::checked(problem)), from_(from), to_(to), indices_(indices), places_(places) {
        const index of_x = p_.batch * p_.channels * p_.input.volume(),
                    of_y = p_.batch * p_.channels * p_.output().volume(), size = sizeof(T);
        const bool max = Kind == tune::pool_kind::max_gradient;
        kernel::check_images(
            kernel::image_memory{gradient ? "dy" : "x", from, (gradient ? of_y : of_x) * size},
            kernel::image_memory{gradient ? "dx" : "y", to, (gradient ? of_x : of_y) * size, true},
            kernel::image_memory{"indices", max ? indices : places, of_y * index(sizeof(int)), !max, !max});
        const kernel::image_layout layout(p_.batch, p_.channels, p_.layout);
        whole_ = takes_channel_runs(layout, run, from, to);
        constexpr const char* names[] = {"max_pool ", "max_pool gradient ", "avg_pool ",
                                         "avg_pool gradient "};
        said_ = report_of_images(device,
                                 names[int(Kind)] + image_words(p_.batch, p_.channels, p_.input) + " to " +
                                     image_words(p_.batch, p_.channels, p_.output()) + ", " +
                                     fade::name(dtype_v<T>),
                                 p_.layout, whole_);
    }
    const report& said() const { return said_; }

    template <class F>
    void each_launch(F f) const {
        if (p_.batch == 0 || p_.channels == 0) return;
        if (whole_)
            launch<run>(f);
        else
            launch<1>(f);
    }

private:
    template <int Run, class F>
    void launch(F& f) const {
        const kernel::pool_windows windows = kernel::windows_of(p_, Run);
        f(tune::pool_entry<Kind, T, Run>{}, grid_of_items(gradient ? windows.x : windows.y),
          kernel::pool_arguments<T>{from_, to_, indices_, places_, windows});
    }

    pool_problem p_;
    const T* from_;
    T* to_;
    const int* indices_;
    int* places_;
    bool whole_ = false;
    report said_;
};

}  // namespace FADE_NAMESPACE
