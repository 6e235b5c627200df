// Which kernel a problem must get: checked without running one.
#pragma once
#include <fade/gemm.hpp>
#include <string>

namespace fade::test {

/// An aligned problem of 64^3 with one thing changed, and how it must be read.
struct access_case {
    const char* what;
    gemm_layout layout;
    void (*change)(gemm_problem&, std::uintptr_t& a, std::uintptr_t& b);
    operand_access access;
};

using address = std::uintptr_t;
inline const access_case access_cases[] = {
    {"aligned nn", gemm_layout::nn, [](gemm_problem&, address&, address&) {}, operand_access::nn},
    {"aligned nt", gemm_layout::nt, [](gemm_problem&, address&, address&) {}, operand_access::nt},
    {"aligned tn", gemm_layout::tn, [](gemm_problem&, address&, address&) {}, operand_access::tn},
    {"aligned tt", gemm_layout::tt, [](gemm_problem&, address&, address&) {}, operand_access::tt},
    {"a begins between", gemm_layout::nn, [](gemm_problem&, address& a, address&) { a += 2; },
     operand_access::strided},
    {"b begins between", gemm_layout::nn, [](gemm_problem&, address&, address& b) { b += 8; },
     operand_access::strided},
    {"rows of A begin between", gemm_layout::nn, [](gemm_problem& p, address&, address&) { p.lda = 68; },
     operand_access::strided},
    {"rows of B begin between", gemm_layout::nt, [](gemm_problem& p, address&, address&) { p.ldb = 65; },
     operand_access::strided},
    {"rows of A end between", gemm_layout::nn, [](gemm_problem& p, address&, address&) { p.k = 63; },
     operand_access::strided},
    {"rows of A end between, transposed", gemm_layout::tn,
     [](gemm_problem& p, address&, address&) { p.m = 60; }, operand_access::strided},
    {"rows of B end between", gemm_layout::nn, [](gemm_problem& p, address&, address&) { p.n = 63; },
     operand_access::strided},
    {"rows of B end between, transposed", gemm_layout::nt,
     [](gemm_problem& p, address&, address&) { p.k = 60; }, operand_access::strided},
    {"n is no matter where B is transposed", gemm_layout::nt,
     [](gemm_problem& p, address&, address&) { p.n = 61, p.m = 3; }, operand_access::nt},
    {"batches of A begin between", gemm_layout::nt,
     [](gemm_problem& p, address&, address&) { p.batch = 2, p.stride_a = 64 * 64 + 4; },
     operand_access::strided},
    {"batches of B begin between", gemm_layout::nt,
     [](gemm_problem& p, address&, address&) { p.batch = 2, p.stride_b = 64 * 64 + 1; },
     operand_access::strided},
    {"one matrix for all batches", gemm_layout::nt,
     [](gemm_problem& p, address&, address&) { p.batch = 3, p.stride_a = 0, p.stride_b = 0; },
     operand_access::nt},
    {"batches of one need no stride", gemm_layout::nt,
     [](gemm_problem& p, address&, address&) { p.stride_a = 3, p.stride_b = 5; }, operand_access::nt},
    {"no depth", gemm_layout::nt, [](gemm_problem& p, address&, address&) { p.k = 0; },
     operand_access::strided},
};

/// The same where runs begin at multiples of 4 bytes.
inline const access_case word_cases[] = {
    {"aligned", gemm_layout::nn, [](gemm_problem&, address&, address&) {}, operand_access::nn},
    {"a begins at a word", gemm_layout::nn, [](gemm_problem&, address& a, address&) { a += 4; },
     operand_access::nn},
    {"a begins between words", gemm_layout::nn, [](gemm_problem&, address& a, address&) { a += 2; },
     operand_access::strided},
    {"b begins at a word", gemm_layout::tt, [](gemm_problem&, address&, address& b) { b += 12; },
     operand_access::tt},
    {"rows of A begin at words", gemm_layout::nt, [](gemm_problem& p, address&, address&) { p.lda = 66; },
     operand_access::nt},
    {"rows of B begin between words", gemm_layout::nt,
     [](gemm_problem& p, address&, address&) { p.ldb = 65; }, operand_access::strided},
    {"rows of A end between runs", gemm_layout::nt, [](gemm_problem& p, address&, address&) { p.k = 62; },
     operand_access::strided},
    {"batches of A begin at words", gemm_layout::tn,
     [](gemm_problem& p, address&, address&) { p.batch = 2, p.stride_a = 64 * 64 + 2; }, operand_access::tn},
    {"batches of B begin between words", gemm_layout::tn,
     [](gemm_problem& p, address&, address&) { p.batch = 2, p.stride_b = 64 * 64 + 1; },
     operand_access::strided},
};

/// What is wrong with the choice for a case on f16; empty where nothing is.
inline std::string wrong_choice(const access_case& c, int alignment = 16) {
    gemm_problem p{.m = 64, .n = 64, .k = 64, .layout = c.layout, .lda = 64, .ldb = 64, .ldc = 64, .ldd = 64};
    address a = 4096, b = 8192;
    c.change(p, a, b);
    p = kernel::checked(p);
    constexpr tune::gemm_row row = tune::gemm_rows<arch::gfx942, f16>::row;
    const auto choice = tune::select_gemm(row, p, reinterpret_cast<const void*>(a),
                                          reinterpret_cast<const void*>(b), {2, alignment}, 64);
    if (choice.access != c.access) return std::string(c.what) + ": " + name(choice.access);
    if (choice.fallback != (c.access == operand_access::strided && p.k > 0))
        return std::string(c.what) + ": a fallback is not called one, or the other way";
    return choice.why.empty() ? "a choice without a reason" : "";
}

}  // namespace fade::test
