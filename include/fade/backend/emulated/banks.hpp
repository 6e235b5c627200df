// Counts shared-memory bank conflicts of one verb: the n-th access of all lanes of a wave is one instruction.
#pragma once
#include <cstdint>
#include <fade/backend/emulated/monitor.hpp>
#include <fade/core/call/list.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::backend::emulated {

/// Lanes are served in groups that together ask for at most 128 bytes; a bank is 4 bytes wide and serves one
/// address a cycle.
class bank_counter {
public:
    static constexpr int max_banks = 64;
    explicit bank_counter(int banks) : banks_(std::uint32_t(min_of(banks, max_banks))) {}

    /// Lanes come in ascending order, each with all that it asks for.
    void note(int lane, std::uint32_t offset, std::uint32_t size) {
        round_ = log_.size() && log_[log_.size() - 1].lane == lane ? round_ + 1 : 0;
        rounds_ = max_of(rounds_, round_ + 1);
        log_.push_back({lane, round_, offset, size});
    }

    /// Ends a wave's verb and books its accesses.
    void close(monitor& m) {
        for (int round = 0; round < rounds_; ++round) close_round(round);
        m.count_shared(accesses_, extra_);
        log_.clear();
        accesses_ = extra_ = 0, rounds_ = 0;
    }

private:
    struct access {
        int lane, round;
        std::uint32_t offset, size;
    };
    void close_round(int round) {
        int group = -1;
        for (const access& a : log_) {
            if (a.round != round) continue;
            const int own = a.lane / int(128 / max_of<std::uint32_t>(a.size, 4));
            if (own != group) close_group();
            group = own;
            touch(a);
        }
        close_group();
    }
    /// Books the words that a group of lanes asked for.
    void close_group() {
        if (words_.size() == 0) return;
        int busy[max_banks] = {}, worst = 1;
        for (const std::uint32_t w : words_) worst = max_of(worst, ++busy[w % banks_]);
        ++accesses_;
        extra_ += std::uint64_t(worst - 1);
        words_.clear();
    }
    void touch(const access& a) {
        for (std::uint32_t w = a.offset / 4; w < (a.offset + a.size + 3) / 4; ++w)
            if (!asked(w)) words_.push_back(w);
    }
    bool asked(std::uint32_t word) {
        for (const std::uint32_t w : words_)
            if (w == word) return true;
        return false;
    }

    std::uint32_t banks_;
    int round_ = 0, rounds_ = 0;
    list<access> log_;
    list<std::uint32_t> words_;
    std::uint64_t accesses_ = 0, extra_ = 0;
};

}  // namespace FADE_NAMESPACE::backend::emulated
