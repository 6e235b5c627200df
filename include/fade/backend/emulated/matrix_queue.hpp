// Products that run beside their wave: what was started is done when it is waited for.
#pragma once
#include <deque>
#include <functional>
#include <vector>

namespace fade::backend::emulated {

class matrix_queue {
public:
    void start(std::function<void()> product) { open_.push_back(std::move(product)); }
    /// Closes a batch.
    void commit() { batches_.push_back(std::move(open_)), open_.clear(); }
    /// Until at most `pending` batches are under way.
    void wait(int pending) {
        for (; int(batches_.size()) > pending; batches_.pop_front())
            for (auto& product : batches_.front()) product();
    }

private:
    std::vector<std::function<void()>> open_;
    std::deque<std::vector<std::function<void()>>> batches_;
};

}  // namespace fade::backend::emulated
