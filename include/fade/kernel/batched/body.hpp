// Products whose matrices lie where tables of pointers in the device's memory say.
#pragma once
#include <fade/kernel/gemm/panels.hpp>
#include <fade/kernel/gemm/ring.hpp>

namespace FADE_NAMESPACE::kernel {

/// Tables of the matrices of a batch; those that are not read are null.
template <class In, class Out>
struct matrix_tables {
    const In* const* a;
    const In* const* b;
    const Out* const* c;
    Out* const* d;
};

/// One product of a batch, whose stages stay where they are: a copy of what is looked up while the kernel
/// runs would lie in scratch memory.
template <class In, class Out, class Epilogue>
using one_product = gemm_arguments<
    In, Out, std::conditional_t<std::is_same_v<Epilogue, epilogue::none>, epilogue::none, const Epilogue&>>;

/// With tables in place of pointers and strides.
template <class In, class Out, class Epilogue>
struct batched_arguments : gemm_arguments<In, Out, Epilogue> {
    using element = In;
    matrix_tables<In, Out> tables;

    /// Product number `batch`. A table that is not there is not read.
    FADE_FN one_product<In, Out, Epilogue> product(int batch) const {
        return {.a = tables.a ? tables.a[batch] : nullptr,
                .b = tables.b ? tables.b[batch] : nullptr,
                .c = tables.c ? tables.c[batch] : nullptr,
                .d = tables.d[batch],
                .m = this->m,
                .n = this->n,
                .k = this->k,
                .a_row = this->a_row,
                .a_k = this->a_k,
                .b_column = this->b_column,
                .b_k = this->b_k,
                .ldc = this->ldc,
                .ldd = this->ldd,
                .stride_a = 0,
                .stride_b = 0,
                .stride_c = 0,
                .stride_d = 0,
                .alpha = this->alpha,
                .beta = this->beta,
                .tile_rows = this->tile_rows,
                .tile_columns = this->tile_columns,
                .splits = 1,
                .k_split = this->k,
                .partial = nullptr,
                .epilogue = this->epilogue};
    }
};

template <gemm_policy Policy, gemm_access Access, wave_workgroup Block, class Args>
FADE_FN void batched_tiles(Block& block, const Args& args) {
    for (const block::work_item& work : block::tile_schedule(block, walk_over_tiles<Policy, Block>(args)))
        epilogue::observed(args, [&](const Args& own) FADE_LAMBDA {
            const auto product = own.product(work.layer);
            const output_tile at =
                tile_of_output<Policy>(product, work.tile, work.layer, 0, {index(0), product.k});
            multiply_sources<Policy, Access>(block, product, at,
                                             block::sources(operand_a(product, at), operand_b(product, at)));
        });
}

template <gemm_policy Policy, workgroup Block, class Args>
void batched_panels(Block& block, const Args& args) {
    using traits = gemm_traits<typename Block::arch, typename Args::element, Policy>;
    for (const block::work_item& work :
         block::tile_schedule(block, block::walk_by_columns(args.tile_rows, args.tile_columns))) {
        const auto product = args.product(work.layer);
        panels_of_share<traits>(block.shared, product, work.tile, work.layer, 0, {0, product.k});
    }
}

}  // namespace FADE_NAMESPACE::kernel
