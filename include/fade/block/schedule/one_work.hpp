// A schedule of one item, or of none.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::block {

/// That a loop over it ends behind the first item is a constant, which compilers find out late: until then
/// they move what the body computes to before the loop. Bodies that have no register for that take `each`.
template <class Work>
struct one_work {
    Work work;
    bool exists = true;

    struct iterator {
        const Work& work;
        bool done;
        FADE_FN const Work& operator*() const { return work; }
        FADE_FN iterator& operator++() { return done = true, *this; }
        FADE_FN bool operator!=(const iterator& end) const { return done != end.done; }
    };
    FADE_FN iterator begin() const { return {work, !exists}; }
    FADE_FN iterator end() const { return {work, true}; }

    /// Calls f(work) where there is one.
    template <class F>
    FADE_FN void each(F f) const {
        if (exists) f(work);
    }
};

}  // namespace FADE_NAMESPACE::block
