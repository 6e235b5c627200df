// What a static model thinks that random convolutions of f16 take on an AMD GPU: bench/conv_scan.py compiles
// it for an architecture (MODEL_ARCH), and gives it a pass and a shape a line. Answers milliseconds, and what
// ran.
#include <cstdio>
#include <fade/conv.hpp>
#include <fade/device/emulated_device.hpp>

namespace {

using namespace fade;
using arch_type = arch::MODEL_ARCH;

/// Of data sheets: compute units, multiply-adds of f16 of one a cycle by its matrix unit, and in f32 by its
/// vector units; GHz, and bytes of memory a nanosecond.
constexpr struct {
    int units;
    double matrix, vector, clock, memory;
} chip = MODEL_CHIP;
constexpr double launch_ns = 3000;

/// What an audit of the kernel's main loop says it keeps the matrix unit busy. Where nobody read it, that of
/// runs; elements that are read one by one take MODEL_ELEMENTS, those of backward weights MODEL_PIXELS.
template <tune::conv_kernel Kernel>
double busy(const gemm_policy& policy) {
    using enum kernel::channel_access;
    if (Kernel.access == elements)
        return Kernel.pass == conv_pass::backward_weights ? MODEL_PIXELS : MODEL_ELEMENTS;
    for (const auto& a : tune::conv_audits)
        if (a.is_of(arch_type::traits.name, dtype::f16, Kernel, policy)) return a.sim / 100.0;
    return 0.95;
}

/// Nanoseconds of a launch beside what all take.
struct launch_cost {
    double ns = 0;

    template <tune::conv_kernel Kernel, tune::size_class Size, class Args>
    void operator()(tune::conv_entry<f16, f16, Kernel, Size, epilogue::none>, const grid_shape& grid,
                    const Args& args) {
        constexpr gemm_policy p = tune::conv_policy<arch_type, f16>(Size, Kernel);
        const int parts = Kernel.strided ? args.sizes.residues() : 1;
        const double steps = double(ceil_div<fade::index>(args.k_split, p.block_tile.k)) / parts,
                     rounds =
                         double(ceil_div<fade::index>(fade::index(grid.x) * grid.y * grid.z, chip.units)),
                     of_step = double(p.block_tile.m) * p.block_tile.n * p.block_tile.k;
        ns = rounds * steps * of_step / (chip.matrix * chip.clock * busy<Kernel>(p));
    }
    template <conv_pass Pass, int Run, class Args>
    void operator()(tune::direct_entry<f16, f16, Pass, Run, epilogue::none>, const grid_shape&,
                    const Args& args) {
        const double products = double(args.sizes.batch) * args.sizes.d.output * args.sizes.h.output *
                                args.sizes.w.output * args.sizes.y_pixel() * args.sizes.taps();
        // A lane of one channel loads each element of x by itself.
        ns = products * (Run == 1 ? 4 : 1.5) / (chip.vector * chip.clock * chip.units);
    }
    /// Others copy, or add sums up.
    template <class Entry, class Args>
    void operator()(Entry, const grid_shape& grid, const Args& args) {
        double bytes = 0;
        if constexpr (requires { args.of[0].layout; })
            for (const auto& of : args.of)
                bytes += 32.0 * double(of.to ? kernel::column_items_of<0>(of.layout) : 0);
        else if constexpr (requires { args.column_tiles; })
            bytes = 4.0 * double(args.rows) * double(args.columns) * double(grid.x) / double(args.tiles);
        else if constexpr (requires { args.partial; })
            bytes = double(args.m) * double(args.n) * (4.0 * args.splits + 2);
        ns = bytes / chip.memory;
    }
};

template <conv_pass Pass, class Operands>
void say(const conv_problem& p, const Operands& operands) {
    emulated_device<arch_type> device({.threads = 1, .compute_units = chip.units});
    const auto memory = detail::conv_memory_of(p, operands);
    const double bytes =
        2.0 * double(memory.a.shape.elements() + memory.b.shape.elements() + memory.d.shape.elements());
    with_conv_operation<conv_kernels{Pass}, f16, f16>(
        device, p, memory, epilogue::none{}, conv_options{}, [&](auto& operation) {
            double ns = 0;
            operation.each_launch([&](auto entry, const grid_shape& grid, const auto& args) {
                launch_cost cost;
                cost(entry, grid, args);
                ns += launch_ns + cost.ns;
            });
            std::printf("%.6f %s\n", std::max(ns, launch_ns + bytes / chip.memory) / 1e6,
                        operation.said().chosen.c_str());
        });
}

}  // namespace

int main() {
    int pass, s[20];
    const auto read = [](int& to) { return std::scanf("%d", &to) == 1; };
    while (read(pass)) {
        for (int& size : s)
            if (!read(size)) return 1;
        const auto three = [&](int at) { return spatial{s[at], s[at + 1], s[at + 2]}; };
        const conv_problem p{.batch = s[0],
                             .channels = s[1],
                             .filters = s[2],
                             .input = three(5),
                             .filter = three(8),
                             .stride = three(11),
                             .dilation = three(14),
                             .pad = {s[17], s[18], s[19]},
                             .groups = s[3],
                             .layout = conv_layout(s[4])};
        const auto at = [](int bit) { return reinterpret_cast<f16*>(std::uintptr_t(1) << bit); };
        try {
            if (pass == 0)
                say<conv_pass::forward>(p, conv_operands<f16>{.x = at(40), .w = at(42), .y = at(44)});
            if (pass == 1)
                say<conv_pass::backward_data>(
                    p, conv_data_operands<f16>{.dy = at(40), .w = at(42), .dx = at(44)});
            if (pass == 2)
                say<conv_pass::backward_weights>(
                    p, conv_weights_operands<f16>{.x = at(40), .dy = at(42), .dw = at(44)});
        } catch (const error& e) {
            std::printf("0 refused: %s\n", e.what());
        }
        std::fflush(stdout);
    }
}
