// Counts shared-memory bank conflicts of one verb: the n-th access of all lanes of a wave is one instruction.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>
#include <fade/backend/emulated/monitor.hpp>

namespace fade::backend::emulated {

/// Lanes are served in groups that together ask for at most 128 bytes; a bank is 4 bytes wide and serves one address a cycle.
class bank_counter {
public:
    explicit bank_counter(int banks) : banks_(std::uint32_t(banks)) {}

    void note(int lane, std::uint32_t offset, std::uint32_t size) { log_.push_back({lane, next(lane), offset, size}); }

    /// Ends a wave's verb and books its accesses.
    void close(monitor& m) {
        std::sort(log_.begin(), log_.end(), [](const access& a, const access& b) { return a.turn != b.turn ? a.turn < b.turn : a.lane < b.lane; });
        for (std::size_t i = 0; i < log_.size();) i = close_group(i);
        m.count_shared(accesses_, extra_);
        log_.clear(), turns_.clear();
        accesses_ = extra_ = 0;
    }

private:
    struct access {
        int lane, turn;
        std::uint32_t offset, size;
    };
    int next(int lane) {
        if (std::size_t(lane) >= turns_.size()) turns_.resize(std::size_t(lane) + 1);
        return turns_[std::size_t(lane)]++;
    }
    std::size_t close_group(std::size_t first) {
        const int lanes = int(128 / std::max<std::uint32_t>(log_[first].size, 4)), group = log_[first].lane / lanes;
        std::vector<std::vector<std::uint32_t>> words(banks_);
        std::size_t i = first;
        for (; i < log_.size() && log_[i].turn == log_[first].turn && log_[i].lane / lanes == group; ++i) touch(words, log_[i]);
        std::size_t worst = 1;
        for (const auto& w : words) worst = std::max(worst, w.size());
        ++accesses_;
        extra_ += worst - 1;
        return i;
    }
    void touch(std::vector<std::vector<std::uint32_t>>& words, const access& a) const {
        for (std::uint32_t w = a.offset / 4; w < (a.offset + a.size + 3) / 4; ++w) {
            auto& bank = words[w % banks_];
            if (std::find(bank.begin(), bank.end(), w) == bank.end()) bank.push_back(w);
        }
    }

    std::uint32_t banks_;
    std::vector<access> log_;
    std::vector<int> turns_;
    std::uint64_t accesses_ = 0, extra_ = 0;
};

}  // namespace fade::backend::emulated
