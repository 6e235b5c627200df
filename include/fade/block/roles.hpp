// Waves with work of their own: some bring tiles to shared memory, the others walk over what comes. Where
// there are no waves to spare both are one flow of control; emulated, the producer runs as early as releases
// allow.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::block {

/// Registers of a lane once waves have their roles; 0: as many as before.
struct role_registers {
    int producer = 0, consumer = 0;
};

/// Four waves that produce leave theirs to `groups` of four that walk, out of what the workgroup was launched
/// with: the 512 of a lane of each SIMD (CUDA C++ Programming Guide: 65536 a multiprocessor), in equal parts
/// of whole 8. One group has as many as instructions can name.
constexpr role_registers registers_for(int groups) {
    if (groups < 2) return {};
    const int producer = groups == 2  ? 40
                         : groups < 5 ? 32
                                      : 24,
              launched = 512 / (groups + 1) / 8 * 8 * (groups + 1);
    return {producer, (launched - producer) / groups / 8 * 8};
}

/// A producer asks for one batch after the other: more(), next(block), which waits for room, drain(block)
/// behind the last, where others of a cluster read what it brought, and has_room(block) and
/// produce_all(block), which emulation calls.
template <class Producer>
struct producer_role {
    /// As far as there is room.
    template <class Block>
    void produce_all(Block& block) {
        auto& producer = static_cast<Producer&>(*this);
        while (producer.more() && producer.has_room(block)) producer.next(block);
    }
};

/// Runs a producer beside walk(). All waves call it.
template <role_registers Registers, class Block, class Producer, class Walk>
FADE_FN void roles(Block& block, Producer& producer, Walk walk) {
    if constexpr (Block::emulated) {
        block.produce_by(producer);
        walk();
    } else if (block.produces()) {
        if constexpr (Registers.producer > 0) block.template leave_registers<Registers.producer>();
        block.one_producer([&] {
            while (producer.more()) producer.next(block);
            if constexpr (requires { producer.drain(block); }) producer.drain(block);
        });
    } else {
        if constexpr (Registers.consumer > 0) block.template take_registers<Registers.consumer>();
        walk();
    }
}

/// Producers, which have done, take part where a cluster meets and where it ends.
template <class Block>
FADE_FN void producers_leave_cluster(Block& block) {
    if constexpr (!Block::emulated)
        if (block.produces()) block.meet_cluster(), block.leave_cluster();
}

}  // namespace FADE_NAMESPACE::block
