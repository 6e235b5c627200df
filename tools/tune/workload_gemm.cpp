#include "tune/tensor.hpp"
#include "tune/workload.hpp"
#include <fade/gemm.hpp>

namespace fade::tools {

namespace {
class product final : public workload {
public:
    product(host_device& device, const product_work& p)
        : device_(device), problem_(p), split_k_(p.split_k.value_or(1)), a_(p.m * p.k * p.batch),
          b_(p.k * p.n * p.batch), d_(p.m * p.n * p.batch) {}

    void fill() override { a_.fill(), b_.fill(); }
    report plan(const tuned_policies& source) override {
        return plan_gemm<float>(device_, problem_, operands(), {}, {.split_k = split_k_, .tuned = &source})
            .report;
    }
    found_policy find(tuning_database& rows, const find_options& options) override {
        return find_gemm<float>(device_, problem_, operands(), rows, options, {}, split_k_);
    }
    verification verify(const tune::tuning_row& row) override {
        return verify_gemm<float>(device_, problem_, operands(), row, {}, split_k_);
    }

private:
    host_device& device_;
    gemm_operands<float> operands() const { return {.a = a_.data(), .b = b_.data(), .d = d_.data()}; }

    gemm_problem problem_;
    int split_k_;
    tensor a_, b_, d_;
};
}  // namespace

std::unique_ptr<workload> make_workload(host_device& device, const product_work& p) {
    return std::make_unique<product>(device, p);
}

}  // namespace fade::tools
