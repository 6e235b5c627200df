// The pointers that calls take: to elements of one type, or of another type for the same numbers.
#pragma once
#include <cstddef>
#include <fade/core/same_number.hpp>
#include <type_traits>

namespace FADE_NAMESPACE {

/// A pointer to Element. Made of a pointer to other numbers it does not compile, and says so in one sentence.
template <class Element>
class element_pointer {
    template <class T>
    static constexpr bool is_half =
        std::is_same_v<std::remove_const_t<T>, f16> || std::is_same_v<std::remove_const_t<T>, bf16>;

public:
    constexpr element_pointer() = default;
    constexpr element_pointer(Element* at) : at_(at) {}
    template <class Other>
    constexpr element_pointer(Other* at) {
        constexpr bool writable = std::is_const_v<Element> || !std::is_const_v<Other>;
        constexpr bool floats = std::is_same_v<std::remove_const_t<Other>, float> && is_half<Element>;
        constexpr bool same = is_same_number<std::remove_const_t<Other>, std::remove_const_t<Element>>;
        static_assert(writable,
                      "this operand is written, but its pointer is to const elements: give it memory "
                      "that may be written");
        static_assert(!floats,
                      "a float* was given where the call's elements are fade::f16 or fade::bf16: name float "
                      "as the type of the call, as gemm<float> does, or convert them by to_f16 or to_bf16");
        static_assert(floats || is_same_number<std::remove_const_t<Other>, std::remove_const_t<Element>>,
                      "this pointer's elements have another type than those of the call: name their type "
                      "in the call, as gemm<float> does for float*, or convert them");
        if constexpr (std::is_convertible_v<Other*, Element*>)
            at_ = at;
        else if constexpr (writable && same)
            at_ = reinterpret_cast<Element*>(at);
    }

    template <class Other>
    constexpr element_pointer(element_pointer<Other> at) : element_pointer(at.get()) {}

    constexpr element_pointer& operator+=(std::ptrdiff_t elements) { return at_ += elements, *this; }
    constexpr Element* get() const { return at_; }
    constexpr operator Element*() const { return at_; }

private:
    Element* at_ = nullptr;
};

}  // namespace FADE_NAMESPACE
