// What the words of --layout mean. It is said here, and not asked of the library: a reference that read A as
// the library does would find nothing wrong where the library mistakes one layout for another.
#pragma once
#include <fade/kernel/gemm/problem.hpp>
#include <string_view>

namespace fade::bench {

struct layout_word {
    std::string_view name;
    gemm_layout layout;
    bool turned_a, turned_b;  ///< the matrix lies transposed
};

inline constexpr layout_word layout_words[] = {{"nn", gemm_layout::nn, false, false},
                                               {"nt", gemm_layout::nt, false, true},
                                               {"tn", gemm_layout::tn, true, false},
                                               {"tt", gemm_layout::tt, true, true}};

constexpr const layout_word& word_of(gemm_layout layout) {
    for (const layout_word& w : layout_words)
        if (w.layout == layout) return w;
    return layout_words[0];
}

constexpr bool turned_a(gemm_layout layout) { return word_of(layout).turned_a; }
constexpr bool turned_b(gemm_layout layout) { return word_of(layout).turned_b; }

}  // namespace fade::bench
