// What kernels use of the standard library, for compilers at run time: NVRTC has none of its own, and
// hipRTC's own header declares parts of one. It is in a namespace of its own, which such a source text calls
// std.
#pragma once

#if defined(__CUDACC_RTC__) || defined(__HIPCC_RTC__)
#define FADE_RUN_TIME_FN __device__ inline
#else
#define FADE_RUN_TIME_FN inline
#endif
#if defined(__CUDACC_RTC__)  // which knows them by their own names
#define FADE_RUN_TIME_BUILTIN(name) ::name
#else
#define FADE_RUN_TIME_BUILTIN(name) __builtin_##name
#endif

#if (defined(__CUDACC_RTC__) || defined(__HIPCC_RTC__)) && !defined(UINTPTR_MAX)
#define UINTPTR_MAX 0xfffffffffffffffful
#endif

#if defined(__HIPCC_RTC__)
// Lists between braces are of this type, which compilers look for in the true std.
#pragma push_macro("std")
#undef std
namespace std {
template <class T>
class initializer_list {
    const T* begin_ = nullptr;
    decltype(sizeof(0)) size_ = 0;

public:
    constexpr initializer_list() = default;
    constexpr const T* begin() const { return begin_; }
    constexpr const T* end() const { return begin_ + size_; }
    constexpr decltype(sizeof(0)) size() const { return size_; }
};
}  // namespace std
#pragma pop_macro("std")
#endif

namespace fade_std {

using size_t = decltype(sizeof(0));
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));
using nullptr_t = decltype(nullptr);
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long;
using intptr_t = long;
using uintptr_t = unsigned long;
static_assert(sizeof(long) == 8, "FADE's kernels are compiled for 64-bit addresses");
enum class byte : unsigned char {};

// <type_traits>
template <class T, T Value>
struct integral_constant {
    static constexpr T value = Value;
    using value_type = T;
    constexpr operator T() const { return Value; }
    constexpr T operator()() const { return Value; }
};
template <bool B>
using bool_constant = integral_constant<bool, B>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;
template <class A, class B>
struct is_same : bool_constant<is_same_v<A, B>> {};

template <class T>
struct type_identity {
    using type = T;
};
template <class T>
struct remove_reference : type_identity<T> {};
template <class T>
struct remove_reference<T&> : type_identity<T> {};
template <class T>
struct remove_reference<T&&> : type_identity<T> {};
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
struct remove_const : type_identity<T> {};
template <class T>
struct remove_const<const T> : type_identity<T> {};
template <class T>
using remove_const_t = typename remove_const<T>::type;
template <class T>
struct remove_cv : type_identity<T> {};
template <class T>
struct remove_cv<const T> : type_identity<T> {};
template <class T>
struct remove_cv<volatile T> : type_identity<T> {};
template <class T>
struct remove_cv<const volatile T> : type_identity<T> {};
template <class T>
using remove_cv_t = typename remove_cv<T>::type;
template <class T>
using remove_cvref_t = remove_cv_t<remove_reference_t<T>>;
template <class T>
struct remove_pointer : type_identity<T> {};
template <class T>
struct remove_pointer<T*> : type_identity<T> {};
template <class T>
using remove_pointer_t = typename remove_pointer<T>::type;

template <bool B, class T, class F>
struct conditional : type_identity<T> {};
template <class T, class F>
struct conditional<false, T, F> : type_identity<F> {};
template <bool B, class T, class F>
using conditional_t = typename conditional<B, T, F>::type;

template <class T>
inline constexpr bool is_void_v = is_same_v<remove_cv_t<T>, void>;
template <class T>
inline constexpr bool is_const_v = false;
template <class T>
inline constexpr bool is_const_v<const T> = true;
template <class T>
inline constexpr bool is_pointer_v = false;
template <class T>
inline constexpr bool is_pointer_v<T*> = true;
template <class T>
inline constexpr bool is_lvalue_reference_v = false;
template <class T>
inline constexpr bool is_lvalue_reference_v<T&> = true;
template <class T, class... Others>
inline constexpr bool is_any_of_v = (is_same_v<remove_cv_t<T>, Others> || ...);
template <class T>
inline constexpr bool is_integral_v =
    is_any_of_v<T, bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                unsigned long, long long, unsigned long long>;
template <class T>
inline constexpr bool is_floating_point_v = is_any_of_v<T, float, double, long double>;
template <class T>
inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <class T>
inline constexpr bool is_signed_v = is_arithmetic_v<T> && T(-1) < T(0);
template <class T>
inline constexpr bool is_unsigned_v = is_integral_v<T> && T(-1) > T(0);
template <class T>
inline constexpr bool is_enum_v = __is_enum(T);
template <class T>
inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);
template <class Base, class Derived>
inline constexpr bool is_base_of_v = __is_base_of(Base, Derived);

template <class T>
struct make_unsigned;
template <>
struct make_unsigned<signed char> : type_identity<unsigned char> {};
template <>
struct make_unsigned<short> : type_identity<unsigned short> {};
template <>
struct make_unsigned<int> : type_identity<unsigned> {};
template <>
struct make_unsigned<long> : type_identity<unsigned long> {};
template <class T>
using make_unsigned_t = typename make_unsigned<T>::type;

constexpr bool is_constant_evaluated() noexcept { return __builtin_is_constant_evaluated(); }

// <utility>
template <class T>
T&& declval() noexcept;
template <class T>
constexpr remove_reference_t<T>&& move(T&& x) noexcept {
    return static_cast<remove_reference_t<T>&&>(x);
}
template <class T>
constexpr T&& forward(remove_reference_t<T>& x) noexcept {
    return static_cast<T&&>(x);
}
template <class T>
constexpr void swap(T& a, T& b) {
    T kept = a;
    a = b, b = kept;
}
template <class T, T... I>
struct integer_sequence {
    static constexpr size_t size() { return sizeof...(I); }
};
namespace detail {
template <class T, class First, class Second>
struct joined;
template <class T, T... I, T... J>
struct joined<T, integer_sequence<T, I...>, integer_sequence<T, J...>>
    : type_identity<integer_sequence<T, I..., T(T(sizeof...(I)) + J)...>> {};
template <class T, size_t Count>
struct counted
    : joined<T, typename counted<T, Count / 2>::type, typename counted<T, Count - Count / 2>::type> {};
template <class T>
struct counted<T, 0> : type_identity<integer_sequence<T>> {};
template <class T>
struct counted<T, 1> : type_identity<integer_sequence<T, T(0)>> {};
}  // namespace detail
template <class T, T Count>
using make_integer_sequence = typename detail::counted<T, size_t(Count)>::type;
template <size_t... I>
using index_sequence = integer_sequence<size_t, I...>;
template <size_t Count>
using make_index_sequence = make_integer_sequence<size_t, Count>;

template <class From, class To>
inline constexpr bool is_convertible_v = requires(void (*take)(To)) { take(declval<From>()); };
template <class F, class... Args>
inline constexpr bool is_invocable_v = requires { declval<F>()(declval<Args>()...); };

// <concepts>
template <class A, class B>
concept same_as = is_same_v<A, B> && is_same_v<B, A>;
template <class From, class To>
concept convertible_to = is_convertible_v<From, To> && requires { static_cast<To>(declval<From>()); };
template <class T>
concept integral = is_integral_v<T>;
template <class T>
concept floating_point = is_floating_point_v<T>;

// <bit>
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
    return __builtin_bit_cast(To, from);
}
template <class T>
constexpr int bit_width(T x) noexcept {
    int out = 0;
    for (; x; x >>= 1) ++out;
    return out;
}
template <class T>
constexpr T bit_floor(T x) noexcept {
    return x ? T(T(1) << (bit_width(x) - 1)) : T(0);
}
template <class T>
constexpr T bit_ceil(T x) noexcept {
    return x <= 1 ? T(1) : T(T(1) << bit_width(T(x - 1)));
}
template <class T>
constexpr bool has_single_bit(T x) noexcept {
    return x && !(x & (x - 1));
}
template <class T>
constexpr int countr_zero(T x) noexcept {
    int out = 0;
    for (; out < int(8 * sizeof(T)) && !(x >> out & 1); ++out) {
    }
    return out;
}

// <cstring>
FADE_RUN_TIME_FN void* memcpy(void* to, const void* from, size_t bytes) {
    return FADE_RUN_TIME_BUILTIN(memcpy)(to, from, bytes);
}
FADE_RUN_TIME_FN void* memset(void* to, int value, size_t bytes) {
    return FADE_RUN_TIME_BUILTIN(memset)(to, value, bytes);
}

// <limits>
template <class T>
struct numeric_limits {
    static constexpr T max() { return is_signed_v<T> ? T((T(1) << (8 * sizeof(T) - 2)) * 2u - 1u) : T(-1); }
    static constexpr T min() { return is_signed_v<T> ? T(-max() - 1) : T(0); }
    static constexpr T lowest() { return min(); }
};
template <>
struct numeric_limits<float> {
    static constexpr float infinity() { return bit_cast<float>(0x7f800000u); }
    static constexpr float quiet_NaN() { return bit_cast<float>(0x7fc00000u); }
    static constexpr float max() { return 3.40282346638528859811704183484516925e+38f; }
    static constexpr float lowest() { return -max(); }
};
template <>
struct numeric_limits<double> {
    static constexpr double infinity() { return bit_cast<double>(0x7ff0000000000000ul); }
    static constexpr double quiet_NaN() { return bit_cast<double>(0x7ff8000000000000ul); }
    static constexpr double max() { return 1.79769313486231570814527423731704357e+308; }
    static constexpr double lowest() { return -max(); }
};

// <array>
template <class T, size_t Count>
struct array {
    T elements[Count ? Count : 1];
    constexpr T& operator[](size_t i) { return elements[i]; }
    constexpr const T& operator[](size_t i) const { return elements[i]; }
    constexpr size_t size() const { return Count; }
    constexpr T* data() { return elements; }
    constexpr const T* data() const { return elements; }
    constexpr T* begin() { return elements; }
    constexpr T* end() { return elements + Count; }
    constexpr const T* begin() const { return elements; }
    constexpr const T* end() const { return elements + Count; }
};
template <class T, class... Others>
array(T, Others...) -> array<T, 1 + sizeof...(Others)>;

// <string_view>, as far as names of types are compared when kernels are compiled
struct string_view {
    static constexpr size_t npos = size_t(-1);
    constexpr string_view() = default;
    constexpr string_view(const char* t) : text_(t) {
        while (t[count_]) ++count_;
    }
    constexpr string_view(const char* t, size_t count) : text_(t), count_(count) {}
    constexpr size_t size() const { return count_; }
    constexpr bool empty() const { return count_ == 0; }
    constexpr const char* data() const { return text_; }
    constexpr const char* begin() const { return text_; }
    constexpr const char* end() const { return text_ + count_; }
    constexpr char operator[](size_t i) const { return text_[i]; }
    constexpr string_view substr(size_t at, size_t max = npos) const {
        return {text_ + at, max < count_ - at ? max : count_ - at};
    }
    constexpr bool starts_with(string_view other) const {
        return other.count_ <= count_ && substr(0, other.count_) == other;
    }
    constexpr size_t find(string_view other, size_t at = 0) const {
        for (; at + other.count_ <= count_; ++at)
            if (substr(at, other.count_) == other) return at;
        return npos;
    }
    constexpr size_t find(char c, size_t at = 0) const { return find(string_view(&c, 1), at); }
    constexpr size_t find_first_of(string_view any, size_t at = 0) const {
        for (; at < count_; ++at)
            for (const char c : any)
                if (c == text_[at]) return at;
        return npos;
    }
    friend constexpr bool operator==(string_view a, string_view b) {
        if (a.count_ != b.count_) return false;
        for (size_t i = 0; i < a.count_; ++i)
            if (a[i] != b[i]) return false;
        return true;
    }

private:
    const char* text_ = "";
    size_t count_ = 0;
};

// What the host's functions beside kernels name: declared, and nowhere defined, since nobody calls it.
struct string {
    string();
    string(const char*);
    explicit string(string_view);
    string(const string&);
    string& operator=(const string&);
    string& operator+=(const string&);
    bool empty() const;
    size_t size() const;
    const char* c_str() const;
    string substr(size_t, size_t = string_view::npos) const;
    operator string_view() const;
};
string operator+(const string&, const string&);
bool operator==(const string&, const string&);
template <class T>
string to_string(T);
struct exception {};
struct runtime_error : exception {
    explicit runtime_error(const string&);
};
template <class T>
struct vector {
    vector();
    T* begin() const;
    T* end() const;
    T* data() const;
    T& operator[](size_t) const;
    T& front() const;
    T& back() const;
    size_t size() const;
    bool empty() const;
    void push_back(const T&);
};
template <class T, class... Order>
void sort(T, T, Order...);
namespace ranges {
template <class T>
inline constexpr bool enable_borrowed_range = false;
}

}  // namespace fade_std
