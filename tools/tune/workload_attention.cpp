#include "tune/tensor.hpp"
#include "tune/workload.hpp"
#include <fade/attention.hpp>

namespace fade::tools {

namespace {
class attended final : public workload {
public:
    attended(host_device& device, const attention_problem& p)
        : device_(device), problem_(p), q_(p.batch * p.seq_q * p.heads * p.head_dim),
          k_(p.batch * p.seq_k * p.kv_heads * p.head_dim), v_(p.batch * p.seq_k * p.kv_heads * p.head_dim_v),
          o_(p.batch * p.seq_q * p.heads * p.head_dim_v) {}

    void fill() override { q_.fill(), k_.fill(), v_.fill(); }
    report plan(const tuned_policies& source) override {
        return plan_attention<float>(device_, problem_, operands(), {.tuned = &source}).report;
    }
    found_policy find(tuning_database& rows, const find_options& options) override {
        return find_attention<float>(device_, problem_, operands(), rows, options);
    }
    verification verify(const tune::tuning_row& row) override {
        return verify_attention<float>(device_, problem_, operands(), row);
    }

private:
    host_device& device_;
    attention_operands<float> operands() const {
        return {.q = q_.data(), .k = k_.data(), .v = v_.data(), .o = o_.data()};
    }

    attention_problem problem_;
    tensor q_, k_, v_, o_;
};
}  // namespace

std::unique_ptr<workload> make_workload(host_device& device, const attention_problem& p) {
    return std::make_unique<attended>(device, p);
}

}  // namespace fade::tools
