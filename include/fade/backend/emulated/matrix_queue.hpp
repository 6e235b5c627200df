// Products that run beside their wave: what was started is done when it is waited for.
#pragma once
#include <cstddef>
#include <cstring>
#include <fade/core/call/list.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::backend::emulated {

class matrix_queue {
    /// A function and what it captured. std::function would do, but its header costs every file that includes
    /// FADE a tenth of a second.
    struct product {
        int batch;
        void (*run)(std::byte*);
        alignas(8) std::byte captured[64];
    };

public:
    template <class F>
    void start(const F& f) {
        static_assert(std::is_trivially_copyable_v<F> && sizeof(F) <= sizeof(product::captured) &&
                          alignof(F) <= 8,
                      "a product captures a few references and numbers");
        product p{closed_, [](std::byte* captured) { (*reinterpret_cast<F*>(captured))(); }, {}};
        std::memcpy(p.captured, &f, sizeof f);
        products_.push_back(p);
    }
    /// Closes a batch.
    void commit() { ++closed_; }
    /// Until at most `pending` batches are under way.
    void wait(int pending) {
        for (; done_ < products_.size() && products_[done_].batch < closed_ - pending; ++done_)
            products_[done_].run(products_[done_].captured);
        if (done_ == products_.size()) products_.clear(), done_ = 0;
    }

private:
    list<product> products_;
    std::size_t done_ = 0;
    int closed_ = 0;
};

}  // namespace FADE_NAMESPACE::backend::emulated
