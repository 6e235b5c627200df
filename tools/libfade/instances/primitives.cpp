// Primitives over lists of each type (FADE_C_TYPES). Emulated devices take this CPU's.
#include "types.hpp"
#include <fade/primitives.hpp>

namespace fade::c {
namespace {

template <class T>
struct sort_runner {
    using arguments = fade_sort_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        return made(how, [&](const operation_options& o) {
            return sort(on, {.count = a.count, .descending = a.descending != 0},
                        static_cast<const T*>(a.keys), static_cast<T*>(a.sorted), o);
        });
    }
};

template <class T>
struct pairs_runner {
    using arguments = fade_sort_args;

    /// Values are moved, not looked at: V is a word of their size.
    template <class V>
    static outcome with(device& on, const arguments& a, const manner& how) {
        return made(how, [&](const operation_options& o) {
            return sort_pairs(on, {.count = a.count, .descending = a.descending != 0},
                              static_cast<const T*>(a.keys), static_cast<const V*>(a.values),
                              static_cast<T*>(a.sorted), static_cast<V*>(a.sorted_values), o);
        });
    }
    static outcome run(device& on, const arguments& a, const manner& how) {
        if (a.value_bytes == 4) return with<std::uint32_t>(on, a, how);
        if (a.value_bytes == 8) return with<std::uint64_t>(on, a, how);
        throw error("value_bytes", std::to_string(a.value_bytes),
                    "values of 4 or 8 bytes are carried: sort places, and fetch larger values by them");
    }
};

template <class T, operation Op>
struct scan_runner {
    using arguments = fade_scan_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        const scan_problem p{.count = a.count, .any_order = a.any_order != 0};
        const auto* x = static_cast<const T*>(a.x);
        auto* out = static_cast<T*>(a.out);
        return made(how, [&](const operation_options& o) {
            if constexpr (Op == operation::inclusive_scan) {
                if (a.first != 0)
                    throw error("first", std::to_string(a.first),
                                "an inclusive scan begins with its first element: call fade_exclusive_scan");
                return inclusive_scan(on, p, x, out, o);
            } else {
                return exclusive_scan(on, p, x, out, first_of(a), o);
            }
        });
    }

private:
    static T first_of(const arguments& a) {
        if constexpr (std::is_integral_v<T>)
            if (!(a.first >= std::numeric_limits<T>::lowest() && a.first <= std::numeric_limits<T>::max()) ||
                a.first != double(T(a.first)))
                throw error("first", std::to_string(a.first), "the elements' type must hold it");
        return T(a.first);
    }
};

template <class T>
struct select_runner {
    using arguments = fade_select_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        return made(how, [&](const operation_options& o) {
            return select(on, {.count = a.count}, static_cast<const T*>(a.x), a.flags, static_cast<T*>(a.out),
                          a.selected, o);
        });
    }
};

template <class T, operation Op>
struct reduce_list_runner {
    using arguments = fade_reduce_list_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        const auto* x = static_cast<const T*>(a.x);
        auto* out = static_cast<reduced_t<T>*>(a.out);
        return made(how, [&](const operation_options& o) {
            if constexpr (Op == operation::reduce)
                return reduce(on, reduce_list_problem{.count = a.count, .op = reduce_op(a.op)}, x, out, o);
            else
                return segmented_reduce(on, {.count = a.count, .segments = a.segments, .op = reduce_op(a.op)},
                                        x, a.offsets, out, o);
        });
    }
};

template <class T>
struct histogram_runner {
    using arguments = fade_histogram_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        return made(how, [&](const operation_options& o) {
            return histogram(on, {.count = a.count, .bins = a.bins, .lower = a.lower, .upper = a.upper},
                             static_cast<const T*>(a.x), a.counts, o);
        });
    }
};

template <class T>
struct list_top_k_runner {
    using arguments = fade_list_top_k_args;
    static outcome run(device& on, const arguments& a, const manner& how) {
        return made(how, [&](const operation_options& o) {
            return list_top_k(on, {.count = a.count, .k = a.k}, static_cast<const T*>(a.x),
                              static_cast<T*>(a.values), a.places, o);
        });
    }
};

template <operation Op, class T, class Runner>
void add_one() {
    add_caller<Op, T, T, Runner>();
}
template <class T>
void add() {
    using enum operation;
    add_one<sort, T, sort_runner<T>>(), add_one<sort_pairs, T, pairs_runner<T>>();
    add_one<select, T, select_runner<T>>();
    if constexpr (!is_storage<T>) {
        add_one<inclusive_scan, T, scan_runner<T, inclusive_scan>>();
        add_one<exclusive_scan, T, scan_runner<T, exclusive_scan>>();
    }
    add_one<reduce, T, reduce_list_runner<T, reduce>>();
    add_one<segmented_reduce, T, reduce_list_runner<T, segmented_reduce>>();
    add_one<histogram, T, histogram_runner<T>>(), add_one<list_top_k, T, list_top_k_runner<T>>();
}
const bool added = of_each_type([]<class T>(type_of<T>) { add<T>(); });

}  // namespace
}  // namespace fade::c
