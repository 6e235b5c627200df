// One call of a rotation: checked, launched, reported.
#pragma once
#include <fade/core/launch.hpp>
#include <fade/device/operation.hpp>
#include <fade/kernel/rows/rotary.hpp>
#include <fade/kernel/rows/rotary_problem.hpp>

namespace FADE_NAMESPACE {

/// `Pairs` of 1 takes heads at any address.
template <class In, class Out, class Table, int Pairs>
struct rotary_entry {
    using arguments = kernel::rotary_arguments<In, Out, Table>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = Arch::traits.wave_size == 1 ? 1 : 256 / Arch::traits.wave_size,
                .shared_bytes = 16,
                .waves_per_simd = Arch::traits.wave_size == 64 ? 4 : 8};
    }
    template <class Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        if constexpr (Block::wave_size == 1)
            atom::with_vectors<kernel::rotary_leaf<Pairs>>(&block, &args);
        else
            kernel::rotary_body<Pairs>(block, args);
    }
};

template <class In, class Out, class Table, class Device>
class rotary_operation {
    static constexpr int pairs = 16 / int(sizeof(In));

public:
    /// `direction`: 1, or -1 for the gradient.
    rotary_operation(const Device& device, const rotary_problem& p, const rotary_operands<In, Out, Table>& o,
                     int direction)
        : p_(kernel::completed(p)), o_(o), direction_(direction) {
        kernel::check_rotary(p_, o_);
        whole_ = has_whole_runs();
        said_.requested = std::string(direction < 0 ? "rotary gradient " : "rotary ") +
                          std::to_string(p_.tokens) + " tokens x " + std::to_string(p_.heads) +
                          " heads, head_dim " + std::to_string(p_.head_dim) + ", " + name(p_.style) + " of " +
                          std::to_string(p_.rotary_dim);
        said_.chosen = whole_ ? "rotary runs" : "rotary pairs";
        said_.device = device.name();
        with_arch_of(device, [&](auto arch) { said_.arch = std::string(arch.traits.name); });
        said_.fallback = !whole_ && !std::is_same_v<Device, host_device>;
        said_.why = whole_ ? "runs of 16 bytes turn together, and each element is read once"
                           : "heads are not whole aligned runs of 16 bytes, so pairs move alone";
        said_.evidence = "no measurement: it moves each element once";
    }

    const report& said() const { return said_; }

    template <class F>
    void each_launch(F f) const {
        if (kernel::empty(p_)) return;
        const index groups = min_of<index>(p_.tokens, index(1) << 20);
        const grid_shape grid{int(groups), 1, 1};
        if (whole_)
            f(rotary_entry<In, Out, Table, pairs>{}, grid, arguments(groups));
        else
            f(rotary_entry<In, Out, Table, 1>{}, grid, arguments(groups));
    }

private:
    /// Do all runs of a lane begin at multiples of their bytes, or of 16?
    bool has_whole_runs() const {
        const auto aligned = [](const void* data, std::initializer_list<index> strides, index bytes) {
            bool out = reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
            for (const index s : strides) out = out && s * bytes % 16 == 0;
            return out;
        };
        return p_.head_dim % (2 * pairs) == 0 && p_.rotary_dim % (2 * pairs) == 0 &&
               aligned(o_.x, {p_.x_stride, p_.x_head_stride}, sizeof(In)) &&
               aligned(o_.y, {p_.y_stride, p_.y_head_stride}, sizeof(Out)) &&
               aligned(o_.cos, {p_.table_stride}, sizeof(Table)) &&
               aligned(o_.sin, {p_.table_stride}, sizeof(Table));
    }
    kernel::rotary_arguments<In, Out, Table> arguments(index groups) const {
        return {.x = o_.x,
                .y = o_.y,
                .cos = o_.cos,
                .sin = o_.sin,
                .positions = o_.positions,
                .tokens = p_.tokens,
                .x_stride = p_.x_stride,
                .y_stride = p_.y_stride,
                .table_stride = p_.table_stride,
                .capacity = p_.capacity,
                .first_position = p_.first_position,
                .sequence = p_.sequence > 0 ? p_.sequence : p_.tokens,
                .groups = groups,
                .heads = {int(p_.heads), int(p_.head_dim), int(p_.rotary_dim),
                          p_.style == rotary_style::interleaved, int(p_.x_head_stride), int(p_.y_head_stride),
                          float(direction_)}};
    }

    rotary_problem p_;
    rotary_operands<In, Out, Table> o_;
    int direction_;
    bool whole_ = false;
    report said_;
};

}  // namespace FADE_NAMESPACE
