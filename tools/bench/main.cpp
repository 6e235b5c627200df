// fade-bench: runs one operation on one device, and says what ran, how long it took and whether it is right.
#include "../common/command_line.hpp"
#include "attention/attention.hpp"
#include "conv/conv.hpp"
#include "gemm/gemm.hpp"
#include "images/images.hpp"
#include "primitives/primitives.hpp"
#include "products/products.hpp"
#include "rows/rows.hpp"
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace tools = fade::tools;
using words = std::vector<std::string_view>;

struct operation {
    std::string_view name;
    int (*run)(std::span<const std::string_view>);
    void (*help)();
    void (*list)();
};

constexpr operation operations[] = {
    {"gemm", fade::bench::gemm, fade::bench::print_gemm_help, fade::bench::print_gemm_list},
    {"attention", fade::bench::attention, fade::bench::print_attention_help,
     fade::bench::print_attention_list},
    {"conv", fade::bench::conv, fade::bench::print_conv_help, fade::bench::print_conv_list},
    {"rows", fade::bench::rows, fade::bench::print_rows_help, fade::bench::print_rows_list},
    {"images", fade::bench::images, fade::bench::print_images_help, fade::bench::print_images_list},
    {"primitives", fade::bench::primitives, fade::bench::print_primitives_help,
     fade::bench::print_primitives_list},
    {"products", fade::bench::products, fade::bench::print_products_help, fade::bench::print_products_list},
};

bool has(std::span<const std::string_view> w, std::string_view word) {
    return std::ranges::count(w, word) > 0;
}

int print(void (*text)()) {
    text();
    return fade::tools::done;
}

void print_help() {
    std::puts("fade-bench gemm|attention|conv|rows|images|primitives|products --device DEV --dtype TYPE "
              "[options]\n\n"
              "  fade-bench gemm --help        the options of gemm\n"
              "  fade-bench attention --help   the options of attention\n"
              "  fade-bench conv --help        the options of convolution\n"
              "  fade-bench rows --help        the options of the row operators\n"
              "  fade-bench images --help      pooling, batch normalisation and resampling\n"
              "  fade-bench primitives --help  sorts, scans and their kin over one list\n"
              "  fade-bench products --help    quantised weights, groups, gates and mixtures of experts\n"
              "  fade-bench --list             devices, types and more that this program holds\n"
              "  fade-bench --version          the version of FADE");
}

void print_list() {
    for (const operation& o : operations) o.list();
}

[[noreturn]] void refuse(std::string_view word) {
    throw fade::tools::refusal(fade::tools::quoted(word) +
                               " is no operation of fade-bench; it holds gemm, attention, conv, rows, "
                               "images, primitives and products.");
}

int run(std::span<const std::string_view> w) {
    if (w.empty())
        throw fade::tools::refusal("fade-bench needs an operation: gemm, attention, conv, rows, images, "
                                   "primitives or products; --help says more.");
    if (tools::asks_for_help(w.first(1))) return print(print_help);
    if (tools::asks_for_version(w)) return tools::print_version("fade-bench");
    if (w[0] == "--list") return print(print_list);
    const auto found = std::ranges::find(operations, w[0], &operation::name);
    if (found == std::end(operations)) refuse(w[0]);
    if (tools::asks_for_help(w)) return print(found->help);
    if (has(w, "--list")) return print(found->list);
    return found->run(w.subspan(1));
}

}  // namespace

int main(int argc, char** argv) {
    return fade::tools::run_program([&] { return run(words(argv + 1, argv + argc)); });
}
