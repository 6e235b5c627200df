// Sorts, scans and other primitives over lists: rocPRIM on AMD GPUs, CUB on NVIDIA's, the standard library
// here.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/primitive_call.hpp>
#include <fade/kernel/primitives/check.hpp>
#include <fade/kernel/primitives/problem.hpp>
#include <fade/kernel/primitives/types.hpp>

namespace FADE_NAMESPACE {

namespace detail {

inline std::string counted(const char* operation, index count) {
    return std::string(operation) + " " + std::to_string(count) + " elements";
}

template <class T>
const char* order_of_sums(reduce_op op) {
    return op == reduce_op::sum && !std::is_integral_v<T> ? "; sums are added in a fixed order" : "";
}

template <class T, class Device>
report scan(Device& device, const scan_problem& p, const scan_arguments<T>& args,
            const operation_options& options) {
    kernel::check_scanned_type<T>();
    kernel::check_count("count", p.count);
    if (std::is_floating_point_v<T> && !p.any_order)
        throw error("any_order", "not set",
                    "GPUs scan floats in an order that may differ from call to call, so a scan of floats "
                    "asks for it");
    kernel::check_lists(
        std::array{kernel::list_of("x", args.x, p.count), kernel::list_of("out", args.out, p.count)}, true);
    const char* name = args.exclusive ? "exclusive_scan" : "inclusive_scan";
    return run_primitive(device,
                         {counted(name, p.count), std::is_floating_point_v<T> ? "; sums in any order" : ""},
                         args, options);
}

}  // namespace detail

/// sorted = keys in order. Equal keys keep theirs; both zeros are equal; a NaN comes last, or first where its
/// sign is set.
/// K: whole numbers of 32 and 64 bits, f64, f32, f16, bf16. Work is queued on the device's stream; host and
/// emulated devices are done on return. The same bits on every device. Throws fade::error with nothing
/// written for sizes, pointers, overlaps or a workspace that cannot be.
template <class K, class Device>
report sort(Device& device, const sort_problem& p, const K* keys, K* sorted,
            const operation_options& options = {}) {
    kernel::check_key_type<K>();
    kernel::check_count("count", p.count);
    kernel::check_lists(
        std::array{kernel::list_of("keys", keys, p.count), kernel::list_of("sorted", sorted, p.count)});
    const sort_arguments<K> args{keys, sorted, p.count, p.descending};
    return run_primitive(device, {detail::counted("sort", p.count), ""}, args, options);
}

/// sorted = keys in order, as sort() has it, and sorted_values the values that stood beside them: of 4 or 8
/// bytes each.
template <class K, class V, class Device>
report sort_pairs(Device& device, const sort_problem& p, const K* keys, const V* values, K* sorted,
                  V* sorted_values, const operation_options& options = {}) {
    kernel::check_key_type<K>();
    kernel::check_value_type<V>();
    kernel::check_count("count", p.count);
    kernel::check_lists(std::array{kernel::list_of("keys", keys, p.count),
                                   kernel::list_of("values", values, p.count),
                                   kernel::list_of("sorted", sorted, p.count),
                                   kernel::list_of("sorted_values", sorted_values, p.count)});
    const sort_pairs_arguments<K, V> args{keys, values, sorted, sorted_values, p.count, p.descending};
    return run_primitive(device, {detail::counted("sort_pairs", p.count), ""}, args, options);
}

/// out[i] = x[0] + ... + x[i]; out may be x.
/// T: whole numbers of 32 and 64 bits, which wrap, f64 and f32, which are summed in their own type and want
/// any_order. Otherwise as sort().
template <class T, class Device>
report inclusive_scan(Device& device, const scan_problem& p, const T* x, T* out,
                      const operation_options& options = {}) {
    return detail::scan<T>(device, p, scan_arguments<T>{x, out, p.count, false, T(0)}, options);
}

/// out[i] = first + x[0] + ... + x[i - 1]; otherwise as inclusive_scan().
template <class T, class Device>
report exclusive_scan(Device& device, const scan_problem& p, const T* x, T* out,
                      std::type_identity_t<T> first = T(0), const operation_options& options = {}) {
    return detail::scan<T>(device, p, scan_arguments<T>{x, out, p.count, true, first}, options);
}

/// out = the elements whose flag is not 0, in their order, and *selected how many there are. out has room for
/// all; what lies behind the selected ones is left as it was.
/// T: at most 16 bytes. Otherwise as sort().
template <class T, class Device>
report select(Device& device, const select_problem& p, const T* x, const std::uint8_t* flags, T* out,
              int* selected, const operation_options& options = {}) {
    kernel::check_selected_type<T>();
    kernel::check_count("count", p.count);
    kernel::check_lists(std::array{kernel::list_of("x", x, p.count), kernel::list_of("flags", flags, p.count),
                                   kernel::list_of("out", out, p.count),
                                   kernel::list_of("selected", selected, 1)});
    const select_arguments<T> args{x, flags, out, selected, p.count};
    return run_primitive(device, {detail::counted("select", p.count), ""}, args, options);
}

/// *out = the sum, the smallest or the largest of a list. The sum of nothing is 0; of nothing none is the
/// smallest. A NaN makes all three NaN.
/// T: whole numbers of 32 and 64 bits, which wrap, f64, f32, f16 and bf16; these are summed in f32 on GPUs,
/// in f64 here, in a fixed order: the same bits on the same device. Otherwise as sort().
template <class T, class Device>
report reduce(Device& device, const reduce_list_problem& p, const T* x,
              std::type_identity_t<reduced_t<T>>* out, const operation_options& options = {}) {
    kernel::check_reduced_type<T>();
    kernel::check_count("count", p.count);
    require(p.count > 0 || p.op == reduce_op::sum, "count", p.count, "of no elements none is the largest");
    kernel::check_lists(std::array{kernel::list_of("x", x, p.count), kernel::list_of("out", out, 1)});
    const reduce_arguments<T> args{x, out, p.count, p.op};
    return run_primitive(
        device, {detail::counted("reduce", p.count) + ", " + name(p.op), detail::order_of_sums<T>(p.op)},
        args, options);
}

/// out[s] = reduce() of the elements [offsets[s], offsets[s + 1]); of none it is 0, or the end of the type's
/// range: infinities for floats. Offsets outside the list are taken for its ends.
template <class T, class Device>
report segmented_reduce(Device& device, const segmented_reduce_problem& p, const T* x, const int* offsets,
                        std::type_identity_t<reduced_t<T>>* out, const operation_options& options = {}) {
    kernel::check_reduced_type<T>();
    kernel::check_count("count", p.count);
    kernel::check_count("segments", p.segments);
    kernel::check_lists(std::array{kernel::list_of("x", x, p.count),
                                   kernel::list_of("offsets", offsets, p.segments > 0 ? p.segments + 1 : 0),
                                   kernel::list_of("out", out, p.segments)});
    const segmented_reduce_arguments<T> args{x, offsets, out, p.count, p.segments, p.op};
    return run_primitive(device,
                         {detail::counted("segmented_reduce", p.count) + " in " + std::to_string(p.segments) +
                              " segments, " + name(p.op),
                          detail::order_of_sums<T>(p.op)},
                         args, options);
}

/// counts[b] = how many elements lie in bin b of `bins` equal ones in [lower, upper): the bin of x is
/// (x - lower) / (upper - lower) * bins, cut off. NaN and what lies outside is not counted.
/// T: whole numbers of at most 32 bits, f64, f32, f16, bf16. Otherwise as sort().
template <class T, class Device>
report histogram(Device& device, const histogram_problem& p, const T* x, int* counts,
                 const operation_options& options = {}) {
    kernel::check_counted_type<T>();
    kernel::check_count("count", p.count);
    const histogram_arguments<T> args{x, counts, p.count, kernel::checked_bins<T>(p)};
    kernel::check_lists(
        std::array{kernel::list_of("x", x, p.count), kernel::list_of("counts", counts, p.bins)});
    return run_primitive(
        device, {detail::counted("histogram", p.count) + " in " + std::to_string(p.bins) + " bins", ""}, args,
        options);
}

/// values[i] and places[i]: the i-th largest element of a list and where it stands, i from 0 to k - 1, in the
/// order of sort(); of equal elements the first comes first. Either result may be left out. GPUs sort the
/// whole list. K as of sort().
template <class K, class Device>
report list_top_k(Device& device, const list_top_k_problem& p, const K* x, std::type_identity_t<K>* values,
                  int* places, const operation_options& options = {}) {
    kernel::check_key_type<K>();
    kernel::check_count("count", p.count);
    require(p.k >= 0 && p.k <= p.count, "k", p.k,
            "it must be between 0 and the " + std::to_string(p.count) + " elements of the list");
    if (!values && !places && p.k > 0) throw error("values", "null", "so is places, and nothing is found");
    kernel::check_lists(std::array{kernel::list_of("x", x, p.count),
                                   kernel::list_of("values", values, p.k, true),
                                   kernel::list_of("places", places, p.k, true)});
    const top_k_arguments<K> args{x, values, places, p.count, p.k};
    return run_primitive(device, {detail::counted("list_top_k", p.count) + ", k " + std::to_string(p.k), ""},
                         args, options);
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>
