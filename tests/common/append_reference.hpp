// Appends in f64, element by element, sharing nothing with the kernel.
#pragma once
#include "common/append_case.hpp"
#include <cstring>

namespace fade::test {

/// What a buffer should hold: its elements as they were, but for those that are written.
template <class T>
struct expected_buffer {
    std::vector<T> before;
    struct write {
        index at;
        double value;
        bool copied;  // not turned: the bits of what `value` came from, where types agree
    };
    std::vector<write> writes{};
};

struct append_error {
    double off = 0, all = 0;
    index disturbed = 0, wrong_copies = 0, unwritten = 0;
};

template <class T>
void compare_buffer(const expected_buffer<T>& want, const std::vector<T>& got, append_error& e) {
    std::vector<T> rest = want.before, now = got;
    for (const auto& [at, value, copied] : want.writes) {
        const T x = got[std::size_t(at)];
        e.unwritten += is_poison(x), e.wrong_copies += copied && value_of(x) != value_of(nearest<T>(value));
        e.off += (value_of(x) - value) * (value_of(x) - value), e.all += value * value;
        now[std::size_t(at)] = rest[std::size_t(at)];
    }
    for (std::size_t i = 0; i < now.size(); ++i)
        e.disturbed += std::memcmp(&now[i], &rest[i], sizeof(T)) != 0;
}

/// Element e of a head after its turn at `position`; `x` is the head as it was.
template <class In, class Cache, class Table>
double rotated_element(const append_data<In, Cache, Table>& d, const In* x, index position, index e) {
    const index r = d.problem.rotary_dim, half = r / 2;
    if (e >= r) return value_of(x[e]);
    const bool pairs = d.problem.style == rotary_style::interleaved, first = pairs ? e % 2 == 0 : e < half;
    const index shuffle_xor = pairs ? e + (first ? 1 : -1) : (e + half) % r, angle = pairs ? e / 2 : e % half;
    const double c = value_of(d.angles[std::size_t(d.angle_at(position, angle, false))]),
                 s = value_of(d.angles[std::size_t(d.angle_at(position, angle, true))]);
    return value_of(x[e]) * c + (first ? -1 : 1) * value_of(x[shuffle_xor]) * s;
}

/// What an append should leave behind.
template <class In, class Cache, class Table = float>
struct append_reference {
    expected_buffer<In> fresh;
    expected_buffer<Cache> cache, rotated;

    explicit append_reference(const append_data<In, Cache, Table>& d)
        : fresh{d.fresh}, cache{d.cache}, rotated{d.rotated} {
        for (index b = 0; b < d.problem.batch; ++b)
            for (index i = 0; i < std::min(d.count(b), d.problem.new_positions); ++i) add_token(d, b, i);
    }

    /// What is wrong with `d` after the call; empty where nothing is.
    std::string wrong_with(const append_data<In, Cache, Table>& d) const {
        append_error e;
        compare_buffer(fresh, d.fresh, e), compare_buffer(cache, d.cache, e),
            compare_buffer(rotated, d.rotated, e);
        const double error = e.all > 0 ? std::sqrt(e.off / e.all) : e.off,
                     bound = unit_roundoff<Cache> + power_of_two(-22);
        if (e.disturbed) return std::to_string(e.disturbed) + " elements are disturbed";
        if (e.unwritten) return std::to_string(e.unwritten) + " elements are not written";
        if (e.wrong_copies) return std::to_string(e.wrong_copies) + " elements are no copies";
        return error <= bound
                   ? ""
                   : "relative error " + std::to_string(error) + ", at most " + std::to_string(bound);
    }

private:
    void add_token(const append_data<In, Cache, Table>& d, index b, index i) {
        const append_problem& p = d.problem;
        const index position = d.first_position(b) + i;
        for (index h = 0; h < p.kv_heads && d.has_place(b, position); ++h) {
            add_head(d, cache, d.cached(b, d.k, position, h), d.token(b, d.new_k, i, h), position, true);
            add_head(d, cache, d.cached(b, d.v, position, h), d.token(b, d.new_v, i, h), position, false);
        }
        for (index h = 0; h < p.heads && position >= 0 && position < p.capacity; ++h) {
            if (d.rotated.empty())
                add_head(d, fresh, d.token(b, d.q_out, i, h), d.token(b, d.q, i, h), position, true);
            else
                add_head(d, rotated, d.token(b, d.q_out, i, h), d.token(b, d.q, i, h), position, true);
        }
    }
    template <class T>
    static void add_head(const append_data<In, Cache, Table>& d, expected_buffer<T>& to, index at, index from,
                         index position, bool rotates) {
        for (index e = 0; e < d.problem.head_dim; ++e) {
            const In* x = d.fresh.data() + from;
            to.writes.push_back({at + e, rotates ? rotated_element(d, x, position, e) : value_of(x[e]),
                                 !rotates || e >= d.problem.rotary_dim});
        }
    }
};

/// What is wrong with a case; empty where nothing is.
template <class In, class Cache = In, class Table = float, class Device>
std::string wrong_append(Device& device, const append_case& c) {
    append_data<In, Cache, Table> x(c);
    const append_reference<In, Cache, Table> want(x);
    append_kv<In, Cache, Table>(device, x.problem, x.operands());
    return want.wrong_with(x);
}

}  // namespace fade::test
