// The tables of pointers that calls take: to elements of one type, or of another type for the same numbers.
#pragma once
#include <fade/core/call/element_pointer.hpp>

namespace FADE_NAMESPACE {

/// A table of pointers to Element. Made of a table of pointers to other numbers it does not compile, and says
/// so in one sentence.
template <class Element>
class pointer_table {
public:
    constexpr pointer_table() = default;
    constexpr pointer_table(Element* const* at) : at_(at) {}
    template <class Other>
    constexpr pointer_table(Other* const* at) {
        element_pointer<Element> checked(static_cast<Other*>(nullptr));  // refuses other numbers
        static_cast<void>(checked);
        if constexpr (std::is_convertible_v<Other* const*, Element* const*>)
            at_ = at;
        else
            at_ = reinterpret_cast<Element* const*>(at);
    }

    constexpr Element* const* get() const { return at_; }
    constexpr operator Element* const*() const { return at_; }

private:
    Element* const* at_ = nullptr;
};

}  // namespace FADE_NAMESPACE
