// One call of a convolution as an implicit product: checked, chosen, and the list of its launches.
#pragma once
#include <fade/arch/host.hpp>
#include <fade/device/conv/copies.hpp>
#include <fade/device/conv/plan.hpp>
#include <fade/device/conv/tuned.hpp>
#include <fade/device/conv/words.hpp>
#include <fade/device/run_on.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/kernel/conv/check.hpp>
#include <fade/tune/conv/boxes.hpp>
#include <fade/tune/conv/combine_entry.hpp>
#include <fade/tune/conv/evidence.hpp>
#include <fade/tune/conv/select.hpp>
#include <optional>

namespace FADE_NAMESPACE {

template <conv_pass Pass, class In, class Out, class Device, class Epilogue>
class conv_operation {
    using acc = accumulator_t<In>;
    using value = epilogue::value_t<acc, Out, Epilogue>;
    using arguments_type = kernel::conv_arguments<In, Out, Epilogue>;
    static constexpr bool on_host = std::is_same_v<Device, host_device>,
                          may_use_boxes = has_tensor_maps<Device> && tune::comes_in_boxes<In, Pass>;
    using tma_arguments_type = kernel::tma_conv_arguments<In, Out, Epilogue>;
    using parts_type = kernel::tma_parts_arguments<In, Out, Epilogue>;
    template <class Entry>
    static constexpr bool has_maps = std::is_base_of_v<tma_arguments_type, typename Entry::arguments>;

public:
    /// All is checked. `why`: this algorithm and no other; empty where none other was thought of. `tuned`:
    /// what a database says of it. `lowered`: sizes of what is left where another algorithm has laid operands
    /// out; it has bound the epilogue.
    conv_operation(const Device& device, const conv_problem& problem, const conv_memory<In, Out>& memory,
                   const Epilogue& epilogue, const conv_options& options, const std::string& why,
                   const conv_tuning& tuned = {}, const std::optional<kernel::conv_sizes>& lowered = {})
        : problem_(problem), sizes_(lowered ? *lowered : kernel::sizes_of(problem)),
          copies_(problem.layout, memory), epilogue_(epilogue), options_(options), tuned_(tuned) {
        if (!empty() && !lowered) epilogue::bind(epilogue_, {rows(), columns(), 1});
        with_multiplying_arch<In>(device, [&](auto arch) {
            decide<decltype(arch)>(device);
            if (compiled_) missing_ = missing_kernels(device, *this);
            if (!missing_.empty()) tuned_ = tuned, decide<decltype(arch)>(device);
        });
        if (!why.empty()) report_.why += "; " + why;
    }

    const report& said() const { return report_; }
    /// The epilogue, of which a forward pass of i8 gets the terms of its zero points once they have a place.
    Epilogue& stages() { return epilogue_; }
    const gemm_policy& policy() const { return policy_; }
    int splits() const { return splits_; }
    /// The policies of kernels of a GPU's program that read as this one's does.
    std::vector<gemm_policy> policies_beside(const Device& device) const {
        std::vector<gemm_policy> out;
        if (empty()) return out;
        with_multiplying_arch<In>(device, [&](auto arch) {
            const tune::conv_request request{Pass, sizes(), memory().a.at, memory().b.at, int(sizeof(In))};
            out = tune::policies_beside<decltype(arch), In>(request, choice_);
        });
        return out;
    }
    /// What a database said; without a policy where that is not used.
    const conv_tuning& tuned() const { return tuned_; }
    conv_algorithm algorithm() const { return conv_algorithm::implicit_gemm; }

    /// The launch of the product itself.
    std::size_t main_launch() const { return copies_.launches_before(reads_c()); }

    std::size_t workspace_bytes() const {
        const std::size_t sums = std::size_t(rows()) * std::size_t(columns()) * std::size_t(splits_);
        return copies_.bytes() + (splits_ > 1 ? sums * sizeof(acc) : 0);
    }
    std::string what_needs() const {
        const std::string sums = "sharing k among " + std::to_string(splits_) + " workgroups";
        if (!copies_.any()) return sums + " needs";
        return "copies with channels last" + (splits_ > 1 ? ", and " + sums + "," : "") + " need";
    }
    void place(void* memory) { partial_ = static_cast<acc*>(copies_.place(memory)); }

    /// Only a launch has maps: the pointers of a plan may be of no memory, which drivers refuse.
    void before_launches(Device& device) {
        if constexpr (may_use_boxes)
            if (!empty() && choice_.kernel.access == boxes) make_tensor_maps(device);
    }

    template <class F>
    void each_launch(F f) const {
        if (empty()) return;
        copies_.launch_before(f, reads_c());
        launch_product(f);
        launch_sums(f);
        copies_.launch_after(f);
    }

    /// Of those launches the product alone, which leaves sums where several workgroups share k.
    template <class F>
    void launch_product(F& f) const {
        const arguments_type args = arguments();
        const int parts = choice_.kernel.strided ? args.sizes.residues() : 1;
        const grid_shape grid{args.tile_rows * args.tile_columns, 1, parts * args.sizes.groups * splits_};
        dispatch([&](auto entry) {
            if constexpr (has_maps<decltype(entry)>) {
                const auto with_boxes = arguments_with_maps<typename decltype(entry)::arguments>(args);
                f(entry_by<Device>(entry, policy_, compiled_), grid_shape{with_boxes.workgroups}, with_boxes);
            } else
                f(entry_by<Device>(entry, policy_, compiled_), grid, args);
        });
    }
    /// And the one that adds them up.
    template <class F>
    void launch_sums(F& f) const {
        const arguments_type args = arguments();
        if (splits_ == 1) return;
        const auto& sums = static_cast<const kernel::gemm_arguments<In, Out, Epilogue>&>(args);
        const index count = rows() * columns();
        if constexpr (may_use_boxes && Pass == conv_pass::backward_weights) {
            using in_groups = tune::group_combine_entry<In, Out, Epilogue>;
            if (choice_.kernel.access == boxes && in_groups::takes(sums))
                return void(f(in_groups{}, in_groups::grid(sums), sums));
        }
        f(tune::combine_entry<In, Out, Epilogue>{}, block::combine_grid(count, args.splits, 1), sums);
    }
    acc* sums() const { return partial_; }

private:
    using enum kernel::channel_access;
    bool empty() const { return memory().d.elements() == 0; }
    bool reads_c() const { return problem_.beta != 0; }
    const conv_memory<In, Out>& memory() const { return copies_.seen(); }

    const kernel::conv_sizes& sizes() const { return sizes_; }

    /// Of the result as a matrix, of all groups.
    index columns() const {
        if constexpr (Pass == conv_pass::forward) return problem_.filters;
        if constexpr (Pass == conv_pass::backward_data) return problem_.channels;
        return sizes().filter_row();
    }
    index rows() const { return memory().d.elements() / max_of<index>(columns(), 1); }

    template <class Arch>
    void decide(const Device& device) {
        const tune::conv_request request{Pass, sizes(), memory().a.at, memory().b.at, int(sizeof(In))};
        const gemm_problem product = tune::product_of(request);
        report_.requested = conv_words(Pass, problem_, dtype_v<In>, dtype_v<Out>, name_of(epilogue_));
        report_.device = device.name(), report_.arch = std::string(Arch::traits.name);
        report_.evidence = "none: nobody audited or measured convolutions on " + report_.arch;
        if (empty()) {
            report_.chosen = "nothing", report_.evidence = "none is needed";
            report_.why = "the result has no elements, so nothing is launched";
            return;
        }
        if constexpr (std::is_same_v<Arch, arch::host>) {
            choice_ = {{Pass, Pass == conv_pass::backward_data && request.sizes.residues() > 1},
                       tune::size_class::large,
                       "windows are gathered strip by strip; the result is cut into even shares for " +
                           std::to_string(device.compute_units()) + " threads",
                       false};
            policy_ = tune::host_policy<In>(product, device.compute_units());
        } else {
            choose<Arch>(request, device.compute_units());
        }
        const int split_k = apply_tuned<Arch>(request);
        if (!choice_.kernel.strided)
            splits_ = tune::splits_for(policy_, padded(product), split_k, device.compute_units());
        else if (options_.split_k > 1)
            choice_.why += "; parts of x that see different taps share no k, so split_k is 1";
        report_.chosen = "conv " + conv_chosen(choice_, policy_, splits_, on_host);
        report_.why = choice_.why;
        report_.why += copies_.why();
        report_.fallback = choice_.fallback;
        check_grid();
    }

    template <class Arch>
    void choose(const tune::conv_request& request, int compute_units) {
        compute_units_ = compute_units;
        std::string by_lanes;
        if constexpr (may_use_boxes && tune::convolves_by_boxes<Arch, In, Pass>) {
            const std::string obstacle = tune::boxes_obstacle(request);
            if (obstacle.empty()) {
                choice_ = tune::select_boxes<Arch, In>(request, options_.split_k, compute_units);
                policy_ = tune::boxes_policy<Arch, In>(choice_.size, choice_.kernel);
                report_.evidence = tune::evidence_of_boxes<In>();
                return;
            }
            by_lanes = "; lanes copy the windows, since " + obstacle;
        }
        if constexpr (Pass == conv_pass::backward_weights)
            choice_ = tune::select_weights<Arch, In>(request);
        else
            choice_ = tune::select_conv<Arch>(tune::windows_row<Arch, In>(), tune::narrow_policy<Arch, In>(),
                                              request, compute_units);
        choice_.why += by_lanes;
        policy_ = tune::conv_policy<Arch, In>(choice_.size, choice_.kernel);
        report_.evidence = tune::conv_evidence(Arch::traits.name, dtype_v<In>, choice_.kernel, policy_);
    }

    /// Puts a tuned row in the place of the model's choice; in how many parts k is cut then, where 0 leaves
    /// it to the selector.
    template <class Arch>
    int apply_tuned(const tune::conv_request& request) {
        const int asked = options_.split_k;
        if (tuned_.found.policy) use<Arch>(request);
        choice_.why += tuned_.why;
        if (!tuned_.found.policy) return asked == 0 ? choice_.parts : asked;
        policy_ = tuned_.found.policy->policy, report_.evidence = tuned_.found.evidence;
        return asked == 0 ? tuned_.found.policy->split_k : asked;
    }
    /// The kernel of the row; a row without one is forgotten.
    template <class Arch>
    void use(const tune::conv_request& request) {
        const auto& [algorithm, policy, split_k] = *tuned_.found.policy;
        std::string obstacle = tune::split_obstacle(split_k);
        if constexpr (std::is_same_v<Arch, arch::host>) {
            const auto fit = tune::fit_host<In>(tune::product_of(request), policy, tuned_.found.exact);
            if (obstacle.empty()) obstacle = fit.obstacle;
        } else {
            const tune::conv_fit fit =
                tune::fit_conv<Arch, In>(request, choice_, policy, compiles_for<any_entry, Device>());
            if (obstacle.empty()) obstacle = fit.obstacle.empty() && fit.compiled ? missing_ : fit.obstacle;
            if (obstacle.empty()) choice_.kernel = fit.kernel, choice_.size = fit.size;
            compiled_ = obstacle.empty() && fit.compiled;
        }
        tuned_.why += tune::words_of_use(obstacle);
        if (!obstacle.empty()) tuned_.found = {};
    }

    /// As deep as the steps are: each tap has whole steps of channels.
    gemm_problem padded(gemm_problem product) const {
        if (!on_host && Pass != conv_pass::backward_weights) {
            const index channels = Pass == conv_pass::forward ? sizes().channels : sizes().filters;
            const int depth = policy_.block_tile.k;
            product.k = sizes().taps() * ceil_div<index>(channels, depth) * depth;
        }
        return product;
    }

    void check_grid() const {
        const arguments_type args = arguments();
        const index tiles = index(args.tile_rows) * args.tile_columns;
        require(tiles < (index(1) << 31), "batch", problem_.batch, "at most 2^31 - 1 tiles can be launched");
        const index layers =
            index(choice_.kernel.strided ? args.sizes.residues() : 1) * args.sizes.groups * splits_;
        require(layers <= 65535, "groups", problem_.groups,
                "groups, times parts of k, times the product of strides in backward data, are at most 65535");
    }

    arguments_type arguments() const {
        const tune::conv_request request{Pass, sizes(), memory().a.at, memory().b.at, int(sizeof(In))};
        const gemm_problem product = padded(tune::product_of(request));
        const index k_split = block::share_of<index>(product.k, splits_, policy_.block_tile.k);
        // Of the part with most pixels where strides make several.
        index m = product.m;
        if (choice_.kernel.strided)
            m = problem_.batch * kernel::backward_view(request.sizes, 0).rows_of_image();
        return {{.a = memory().a.at,
                 .b = memory().b.at,
                 .c = memory().c,
                 .d = memory().d.at,
                 .m = rows(),
                 .n = columns(),
                 .k = product.k,
                 .a_row = 0,
                 .a_k = 0,
                 .b_column = request.sizes.filter_row(),
                 .b_k = 1,
                 .ldc = columns(),
                 .ldd = columns(),
                 .stride_a = 0,
                 .stride_b = 0,
                 .stride_c = 0,
                 .stride_d = 0,
                 .alpha = value(problem_.alpha),
                 .beta = value(problem_.beta),
                 .tile_rows = int(ceil_div<index>(m, policy_.block_tile.m)),
                 .tile_columns = int(ceil_div<index>(product.n, policy_.block_tile.n)),
                 .splits = splits_,
                 .k_split = splits_ > 1 ? k_split : product.k,
                 .partial = partial_,
                 .epilogue = epilogue_},
                request.sizes,
                block::window_lookup(kernel::forward_view(request.sizes))};
    }

    template <class Arguments>
    Arguments arguments_with_maps(const arguments_type& args) const {
        const int parts = choice_.kernel.strided ? args.sizes.residues() : 1;
        const int workgroups = block::persistent_workgroups(args.tile_rows, args.tile_columns,
                                                            parts * splits_, policy_.cluster, compute_units_);
        tma_arguments_type out{{args, parts, workgroups, false, a_map_, b_map_, out_map_},
                               Pass == conv_pass::backward_data ? kernel::backward_view(args.sizes, 0)
                                                                : kernel::forward_view(args.sizes)};
        out.sees_pixels = !choice_.kernel.strided && out.view.is_plain();
        out.boxes_out = kernel::takes_boxes(kernel::stored_to_map(out));
        if constexpr (kernel::has_parts<Arguments>)
            return kernel::with_parts(out, part_maps_);
        else
            return out;
    }
    void make_tensor_maps(const Device& device) {
        if constexpr (requires(const tile_source& s) { device.map(s); }) {
            const auto args = arguments_with_maps<tma_arguments_type>(arguments());
            constexpr bool weights = Pass == conv_pass::backward_weights;
            const tile_shape& tile = policy_.block_tile;
            b_map_ = device.map(kernel::conv_b_to_map<Pass>(args, args.view, tile, policy_.cluster));
            if (choice_.kernel.strided) return map_parts(device, args);
            a_map_ = device.map(kernel::conv_a_to_map<Pass>(args, args.view, tile));
            if (args.sees_pixels)
                (weights ? b_map_ : a_map_) = device.map(kernel::pixels_to_box(
                    args.view, weights ? args.b : args.a, args.sizes.batch, weights ? tile.k : tile.m));
            if (args.boxes_out) out_map_ = device.map(kernel::stored_to_map(args));
        }
    }
    void map_parts(const Device& device, const tma_arguments_type& args) {
        const auto views = kernel::views_of_parts(args.sizes);
        for (std::size_t i = 0; i < views.size(); ++i) {
            if (views[i].rows_of_image() == 0) continue;
            auto& [windows, pixels] = part_maps_[i];
            if (views[i].taps().volume() > 0)
                windows = device.map(kernel::conv_a_to_map<Pass>(args, views[i], policy_.block_tile));
            if (args.boxes_out) pixels = device.map(kernel::pixels_to_map(args, views[i]));
        }
    }

    template <class F>
    void dispatch(F f) const {
        if constexpr (on_host)
            f(entry_of<chunks, tune::size_class::large, false>{});
        else
            try_strides<false>(f) || try_strides<true>(f);
    }
    template <bool Strided, class F>
    bool try_strides(F& f) const {
        if constexpr (!Strided || Pass == conv_pass::backward_data) {
            if (choice_.kernel.strided != Strided) return false;
            if (try_access<chunks, Strided>(f) || try_access<runs, Strided>(f) ||
                try_access<elements, Strided>(f))
                return true;
            if constexpr (may_use_boxes) return try_boxes<Strided>(f);
        }
        return false;
    }
    template <kernel::channel_access Access, bool Strided, class F>
    bool try_access(F& f) const {
        constexpr bool weights = Pass == conv_pass::backward_weights;
        if (choice_.kernel.access != Access) return false;
        if constexpr (Access != elements && !weights)
            if (choice_.size == tune::size_class::large)
                return f(entry_of<Access, tune::size_class::large, Strided>{}), true;
        if constexpr ((Access == chunks || (Access == runs && may_use_boxes && sizeof(In) == 2)) && !weights)
            if (choice_.size == tune::size_class::narrow)
                return f(entry_of<Access, tune::size_class::narrow, Strided>{}), true;
        f(entry_of<Access, tune::size_class::small, Strided>{});
        return true;
    }
    template <bool Strided, class F>
    bool try_boxes(F& f) const {
        using enum tune::size_class;
        if (choice_.size == large) return f(tma_entry_of<large, Strided>{}), true;
        if (choice_.size == small) return f(tma_entry_of<small, Strided>{}), true;
        if (choice_.size == narrow) return f(tma_entry_of<narrow, Strided>{}), true;
        if constexpr (tune::has_size<In>(medium, {Pass, Strided, boxes}))
            if (choice_.size == medium) return f(tma_entry_of<medium, Strided>{}), true;
        if constexpr (tune::has_size<In>(wide, {Pass, Strided, boxes}))
            if (choice_.size == wide) return f(tma_entry_of<wide, Strided>{}), true;
        if constexpr (tune::has_size<In>(clustered, {Pass, Strided, boxes}))
            if (choice_.size == clustered) return f(tma_entry_of<clustered, Strided>{}), true;
        if constexpr (tune::has_size<In>(flat, {Pass, Strided, boxes}))
            if (choice_.size == flat) return f(tma_entry_of<flat, Strided>{}), true;
        return false;
    }
    template <tune::size_class Size, bool Strided>
    using tma_entry_of =
        tune::tma_conv_entry<In, Out, tune::conv_kernel{Pass, Strided, boxes}, Size, Epilogue>;
    template <kernel::channel_access Access, tune::size_class Size, bool Strided>
    using entry_of = tune::conv_entry<In, Out, tune::conv_kernel{Pass, Strided, Access}, Size, Epilogue>;
    using any_entry = entry_of<runs, tune::size_class::small, false>;

    conv_problem problem_;
    kernel::conv_sizes sizes_;
    conv_copies<In, Out> copies_;
    Epilogue epilogue_;
    conv_options options_;
    conv_tuning tuned_;
    report report_;
    tune::conv_choice choice_;
    gemm_policy policy_{};
    int splits_ = 1, compute_units_ = 1;
    bool compiled_ = false;  // is the policy none of the program's?
    std::string missing_{};  // why the device cannot have the row's kernel; empty where it can
    acc* partial_ = nullptr;
    tensor_map a_map_{}, b_map_{}, out_map_{};
    kernel::maps_of_parts part_maps_{};
};

}  // namespace FADE_NAMESPACE
