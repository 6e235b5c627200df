// The tensors of a convolution, and copies of them with their channels last, in which order kernels read.
#pragma once
#include <cstddef>
#include <cstdint>
#include <fade/core/launch.hpp>
#include <fade/kernel/conv/check.hpp>
#include <fade/tune/conv/entry.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// What a pass reads (A, B and C) and writes (D), by the names of its operands.
template <class In, class Out>
struct conv_memory {
    using in = In;
    using out = Out;
    kernel::named_memory<const In> a, b;
    const Out* c;
    kernel::named_memory<Out> d;
};

template <class In, class Out>
class conv_copies {
public:
    /// With channels first, tensors of several channels and pixels lie in another order than kernels want.
    conv_copies(conv_layout layout, const conv_memory<In, Out>& given) : given_(given), seen_(given) {
        if (layout == conv_layout::channels_last || given.d.shape.elements() == 0) return;
        a_.wanted = copied(given.a.shape), b_.wanted = copied(given.b.shape),
        d_.wanted = copied(given.d.shape);
        see();
    }

    /// The tensors as kernels see them; copies lie at null until they have a place.
    const conv_memory<In, Out>& seen() const { return seen_; }
    bool any() const { return a_.wanted || b_.wanted || d_.wanted; }
    /// Launches before that of the product.
    std::size_t launches_before(bool reads_c) const { return a_.wanted + b_.wanted + (d_.wanted && reads_c); }

    std::size_t bytes() const {
        if (!any()) return 0;
        return room(a_, given_.a.shape) + room(b_, given_.b.shape) + room(d_, given_.d.shape) + alignment;
    }
    /// Finds room for copies at `memory`; what lies behind them. Null stays null.
    void* place(void* memory) {
        if (!any() || !memory) return memory;
        const auto address = reinterpret_cast<std::uintptr_t>(memory);
        auto* next = static_cast<std::byte*>(memory) + (alignment - address % alignment) % alignment;
        const auto take = [&](auto& tensor, const kernel::conv_shape& shape) {
            if (!tensor.wanted) return;
            tensor.at = reinterpret_cast<decltype(tensor.at)>(next), next += room(tensor, shape);
        };
        take(a_, given_.a.shape), take(b_, given_.b.shape), take(d_, given_.d.shape);
        see();
        return next;
    }

    /// For a report's `why`: what is copied, as "; channels come first, so that x and w are copied in another
    /// order". Empty where nothing is.
    std::string why() const {
        if (!any()) return "";
        std::string out = a_.wanted ? given_.a.name : "";
        if (b_.wanted) out += std::string(out.empty() ? "" : " and ") + given_.b.name;
        if (d_.wanted) out += std::string(out.empty() ? "" : ", and back ") + given_.d.name;
        return "; channels come first, so that " + out + " are copied in another order";
    }

    template <class F>
    void launch_before(F& f, bool reads_c) const {
        if (a_.wanted) to_last<In>(f, given_.a.at, a_.at, given_.a.shape);
        if (b_.wanted) to_last<In>(f, given_.b.at, b_.at, given_.b.shape);
        if (d_.wanted && reads_c) to_last<Out>(f, given_.c, d_.at, given_.d.shape);
    }
    template <class F>
    void launch_after(F& f) const {
        const kernel::conv_shape& s = given_.d.shape;
        if (d_.wanted) transpose<Out>(f, d_.at, given_.d.at, s.images, s.pixels, s.channels);
    }

private:
    static constexpr std::size_t alignment = 256;
    template <class T>
    struct copy {
        bool wanted = false;
        T* at = nullptr;
    };

    /// Where it is, its tiles must be few enough to be launched.
    static bool copied(const kernel::conv_shape& s) {
        if (s.images == 0 || s.pixels < 2 || s.channels < 2) return false;
        require(wide_index(kernel::transpose_tiles(s.channels, s.pixels)) * s.images < (index(1) << 31),
                "images", s.images, "at most 2^31 - 1 tiles of a tensor can be copied");
        return true;
    }
    template <class T>
    static std::size_t room(const copy<T>& c, const kernel::conv_shape& s) {
        const std::size_t bytes = c.wanted ? std::size_t(s.elements()) * sizeof(T) : 0;
        return ceil_div(bytes, alignment) * alignment;
    }
    void see() {
        if (a_.wanted) seen_.a.at = a_.at;
        if (b_.wanted) seen_.b.at = b_.at;
        if (d_.wanted) seen_.c = seen_.d.at = d_.at;
    }

    template <class T, class F>
    static void to_last(F& f, const T* from, T* to, const kernel::conv_shape& s) {
        transpose(f, from, to, s.images, s.channels, s.pixels);
    }
    template <class T, class F>
    static void transpose(F& f, const T* from, T* to, index images, index rows, index columns) {
        const auto args = kernel::transpose_of<T>(from, to, rows, columns);
        f(tune::transpose_entry<T>{}, grid_shape{int(args.tiles * images), 1, 1}, args);
    }

    conv_memory<In, Out> given_, seen_;
    copy<In> a_, b_;
    copy<Out> d_;
};

}  // namespace FADE_NAMESPACE
