#include "products.hpp"
#include "../list.hpp"
#include "../operation.hpp"
#include "peer.hpp"
#include "run.hpp"
#include <cstdio>
#include <nlohmann/json.hpp>

namespace fade::bench {
namespace {

class product_problem_run : public problem_run {
public:
    explicit product_problem_run(product_request r)
        : request_(std::move(r)), device_(find_device(request_.device, keys_of_runners<product_runner>())) {}

    const request& asked() const override { return request_; }
    const device_choice& device() const override { return device_; }
    nlohmann::ordered_json echo() const override { return problem_of(request_); }

    void check_possible() const override {
        std::vector<matrix> all = matrices_of(request_);
        std::uint64_t workspace = std::uint64_t(choice_of(request_, device_).workspace_bytes);
        if (request_.peer) check_dense_peer(request_, device_, all);
        check_memory_of(request_, device_, all, workspace);
    }
    answer planned() const override {
        return {
            .op = "products", .asked = &request_, .device = device_, .choice = choice_of(request_, device_)};
    }
    answer run(const on_step& step) const override { return run_product(request_, device_, step); }

private:
    product_request request_;
    device_choice device_;
};

}  // namespace

nlohmann::ordered_json problem_of(const product_request& r) {
    nlohmann::ordered_json out{{"op", name_of(r.op)}, {"m", r.m}, {"n", r.n}, {"k", r.k}};
    if (r.format) out["format"] = name_of(*r.format);
    if (r.op == product_kind::weight_gemm)
        out["split_k"] = r.split_k ? nlohmann::ordered_json(r.split_k) : nlohmann::ordered_json("auto");
    if (r.gate) out["gate"] = name_of(*r.gate);
    if (r.op == product_kind::batched_gemm) out["batch"] = r.batch;
    if (r.has_groups()) out["groups"] = r.groups, out["rows_of_groups"] = name_of(r.rows);
    if (r.top_k) out["top_k"] = r.top_k;
    if (r.strict) out["strict"] = true;
    return out;
}

int products(std::span<const std::string_view> words) {
    problem_runs problems;
    for (product_request& r : parse_products(words))
        problems.push_back(std::make_unique<product_problem_run>(std::move(r)));
    return answer_all(problems);
}

void print_products_list() {
    const auto words = [](const std::vector<std::string_view>& v) {
        return std::vector<std::string>(v.begin(), v.end());
    };
    std::puts("products");
    print_held(keys_of_runners<product_runner>(), names_of(dense_peers()));
    print_line("operators", words(product_names()));
    print_line("formats", words(weight_names()));
    print_line("gates", words(gate_names()));
}

void print_products_help() {
    std::printf(
        "fade-bench products --op NAME --device DEV --dtype TYPE --m N --n N --k N [options]\n\n"
        "Runs a relative of gemm and says what ran, how long it took and whether it is right: products with "
        "quantised weights\n"
        "(weight_gemm), of 8-bit floats with a scale for every 128 k (scaled_gemm), of groups of rows with a "
        "B each\n"
        "(grouped_gemm) or quantised weights each (grouped_weight_gemm), of groups along k (grouped_k_gemm), "
        "of "
        "matrices that tables of pointers name (batched_gemm), with gated columns "
        "(gated_gemm), and a\n"
        "mixture of experts from its router to the sum (moe).\n\n%s\n"
        "A is m x k and B n x k, as they lie; of grouped_k_gemm k x m and k x n. --check compares D with a "
        "reference in double precision, and a "
        "mixture's tables\n"
        "with a sort of this program's; weights are read by code that is not FADE's. Where the reference "
        "would "
        "take more than\n"
        "some seconds it compares rows chosen at random, and says how many. --vs dense is FADE's gemm of "
        "matrices of as many\n"
        "elements, of 16 bits where the types are smaller; other peers multiply the same. tflops counts two "
        "operations a\n"
        "product, gbps each matrix once.\n"
        "Exit code: 0 done, 1 a check failed, 2 what was asked for cannot be.\n",
        tools::help_lines(product_options_known()).c_str());
}

}  // namespace fade::bench
