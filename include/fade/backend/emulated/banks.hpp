// Counts shared-memory bank conflicts of one verb: the n-th access of all lanes of a wave is one instruction.
#pragma once
#include <cstdint>
#include <vector>
#include <fade/backend/emulated/monitor.hpp>
#include <fade/core/shape.hpp>

namespace fade::backend::emulated {

/// Lanes are served in groups that together ask for at most 128 bytes; a bank is 4 bytes wide and serves one address a cycle.
class bank_counter {
public:
    explicit bank_counter(int banks) : banks_(std::uint32_t(banks)) {}

    /// Lanes come in ascending order.
    void note(int lane, std::uint32_t offset, std::uint32_t size) {
        const std::size_t turn = next(lane);
        if (turn >= turns_.size()) turns_.resize(turn + 1);
        turns_[turn].push_back({lane, offset, size});
    }

    /// Ends a wave's verb and books its accesses.
    void close(monitor& m) {
        for (const auto& turn : turns_)
            for (std::size_t i = 0; i < turn.size();) i = close_group(turn, i);
        m.count_shared(accesses_, extra_);
        turns_.clear(), taken_.clear();
        accesses_ = extra_ = 0;
    }

private:
    struct access {
        int lane;
        std::uint32_t offset, size;
    };
    std::size_t next(int lane) {
        if (std::size_t(lane) >= taken_.size()) taken_.resize(std::size_t(lane) + 1);
        return taken_[std::size_t(lane)]++;
    }
    std::size_t close_group(const std::vector<access>& turn, std::size_t first) {
        const int lanes = int(128 / most<std::uint32_t>(turn[first].size, 4)), group = turn[first].lane / lanes;
        std::vector<std::vector<std::uint32_t>> words(banks_);
        std::size_t i = first, worst = 1;
        for (; i < turn.size() && turn[i].lane / lanes == group; ++i) touch(words, turn[i]);
        for (const auto& w : words) worst = most(worst, w.size());
        ++accesses_;
        extra_ += worst - 1;
        return i;
    }
    void touch(std::vector<std::vector<std::uint32_t>>& words, const access& a) const {
        for (std::uint32_t w = a.offset / 4; w < (a.offset + a.size + 3) / 4; ++w) {
            auto& bank = words[w % banks_];
            bool known = false;
            for (const std::uint32_t other : bank) known = known || other == w;
            if (!known) bank.push_back(w);
        }
    }

    std::uint32_t banks_;
    std::vector<std::vector<access>> turns_;   // the first access of every lane, the second, ...
    std::vector<std::size_t> taken_;           // how many a lane has had
    std::uint64_t accesses_ = 0, extra_ = 0;
};

}  // namespace fade::backend::emulated
