"""What is broken, one thing at a time: (program that must fail, header, text, what it becomes).

The text must stand in the header exactly once, so that an edit whose place has changed is an error and no silent pass.
"""
PIPELINE, COPY, STORE = 'block/pipeline.hpp', 'block/copy.hpp', 'kernel/gemm/store.hpp'
LOAD, BODY, CHOICE, AHEAD = 'wave/load.hpp', 'kernel/gemm/body.hpp', 'tune/gemm/select.hpp', 'block/read_ahead.hpp'
NOTHING = ''

BARRIERS = [
    ('gemm', PIPELINE, 's + 2, steps.count, depth);\n    block.sync();', 's + 2, steps.count, depth);'),
    ('gemm', PIPELINE, '1, steps.count, depth);\n        block.sync();', '1, steps.count, depth);'),
    ('gemm', PIPELINE, 'block.sync();\n            multiply(tiles(0));', 'multiply(tiles(0));'),
    ('gemm', PIPELINE, 'multiply(tiles(0));\n            block.sync();', 'multiply(tiles(0));'),
    ('gemm', AHEAD, 'depth);\n        block_.sync();', 'depth);'),
    ('gemm', AHEAD, 'if constexpr (last) block_.sync();', NOTHING),
]

BOUNDS = [
    ('gemm', COPY, '!from_.holds(patch::row(n), patch::depth(n)) || ', NOTHING),
    ('gemm', COPY, '(depth == Layout::depth || k < depth) && ', NOTHING),
    ('gemm', COPY, 'if (busy(p, i)) store_patch', 'store_patch'),
    ('gemm', STORE, 'at.inside ? std::uint32_t((row * args.ldd + column) * index(sizeof(out))) : backend::outside',
     'std::uint32_t((row * args.ldd + column) * index(sizeof(out)))'),
    ('gemm', STORE, 'tile.batch, row < rows && column < columns}', 'tile.batch, column < columns}'),
    ('gemm', STORE, 'tile.batch, row < rows && column < columns}', 'tile.batch, row < rows}'),
    ('gemm', STORE, 'memory.store(row < rows && column < columns ?', 'memory.store(column < columns ?'),
    ('gemm', STORE, 'memory.store(row < rows && column < columns ?', 'memory.store(row < rows ?'),
    ('gemm', 'kernel/gemm/combine.hpp', 'least<index>(first + combine_run, args.m * args.n)', 'first + combine_run'),
    ('parts', 'epilogue/position.hpp', 'inside ? at : 0', 'at'),
    ('parts', CHOICE, 'reinterpret_cast<std::uintptr_t>(p) % 16 == 0 && ', NOTHING),
    ('parts', CHOICE, 'contiguous * bytes % 16 == 0 && ', NOTHING),
    ('parts', CHOICE, 'ld * bytes % 16 == 0 && ', NOTHING),
    ('parts', CHOICE, ' && stride * bytes % 16 == 0', NOTHING),
]

TAILS = [
    ('gemm', PIPELINE, 'loaders.load_edge(block, steps.first);', 'loaders.load(block);'),
    ('gemm', PIPELINE, 'loaders.advance(steps.first);', 'loaders.advance(depth);'),
    ('gemm', PIPELINE, 'if (steps.count == 1) loaders.stop(block);', NOTHING),
    ('gemm', PIPELINE, 'if (s < steps.count) multiply(tiles(0));', NOTHING),
    ('gemm', PIPELINE, 'if (s >= count) loaders.advance(-index(depth));', NOTHING),
    ('gemm', PIPELINE, 's + 1 < steps.count; s += 2', 's < steps.count; s += 2'),
    ('gemm', PIPELINE, 'first(int(k - index(count - 1) * tile))', 'first(tile)'),
    ('gemm', AHEAD, 'loaders_.load_edge(block_, steps.first);', 'loaders_.load(block_);'),
    ('gemm', AHEAD, 'loaders_.advance(steps.first);', 'loaders_.advance(depth);'),
    ('gemm', AHEAD, 'if (steps.count == 1) loaders_.stop(block_);', NOTHING),
    ('gemm', AHEAD, 'if (s < steps.count) last_step(each_slice);', NOTHING),
    ('gemm', AHEAD, 'if (past) loader.advance(-index(depth));', NOTHING),
    ('gemm', AHEAD, 's + 1 < steps.count; s += 2', 's < steps.count; s += 2'),
    ('gemm', AHEAD, 'tiles_(last ? Stage ^ 1 : Stage)', 'tiles_(Stage)'),
    ('parts', 'block/grid_order.hpp', 'least(group, tile_rows - g * group)', 'group'),
    ('parts', 'block/grid_order.hpp', ' || workgroup >= count / round * round', NOTHING),
    ('gemm', BODY, '.k_count = least<index>(args.k - k_begin, args.k_split)', '.k_count = args.k_split'),
    ('gemm', BODY, 'args.a + at.batch * args.stride_a', 'args.a'),
    ('gemm', BODY, 'args.b + at.batch * args.stride_b', 'args.b'),
    ('gemm', 'kernel/gemm/combine.hpp', 'int s = 0; s < args.splits', 'int s = 1; s < args.splits'),
]

SCALARS = [
    ('gemm', STORE, 'args.alpha * acc', 'acc'),
    ('gemm', STORE, 'return product + args.beta *', 'return product +'),
    ('gemm', STORE, 'if (args.beta == Value(0)) return product;', 'return product;'),
    ('gemm', STORE, 'if (args.beta == Value(0)) return product;', NOTHING),
]

STAGES = [
    ('parts', 'epilogue/chain.hpp', 'second(first(v, at), at)', 'first(v, at)'),
    ('parts', 'epilogue/chain.hpp', 'second(first(v, at), at)', 'second(v, at)'),
    ('parts', 'epilogue/bias.hpp', 'v + at.load<Value>(values, at.column)', 'v'),
    ('parts', 'epilogue/bias.hpp', 'v + at.load<Value>(values, at.row)', 'v'),
    ('parts', 'epilogue/relu.hpp', 'v < Value(0) ? Value(0) : v', 'v'),
    ('parts', 'epilogue/gelu.hpp', 'return Value(0.5) * x *', 'return x; return Value(0.5) * x *'),
    ('parts', 'epilogue/gelu.hpp', 'return x * logistic(', 'return x; return x * logistic('),
    ('parts', 'epilogue/silu.hpp', 'return x * logistic(x)', 'return x'),
    ('parts', 'epilogue/silu.hpp', 'return logistic(x)', 'return x'),
    ('parts', 'epilogue/scale.hpp', 'return Value(v * factor)', 'return v'),
    ('parts', 'epilogue/scale.hpp', 'v < Value(low) ? Value(low) : ', NOTHING),
    ('parts', 'epilogue/scale.hpp', 'v > Value(high) ? Value(high) : v', 'v'),
    ('parts', 'epilogue/residual.hpp', 'return v + from.', 'return v; return v + from.'),
    ('parts', 'epilogue/residual.hpp', 'return v * from.', 'return v; return v * from.'),
    ('parts', 'epilogue/residual.hpp', 'p.batch * batch_stride + ', NOTHING),
    ('parts', 'epilogue/gradient.hpp', '> Value(0) ? v : Value(0)', '> Value(0) ? v : v'),
    ('parts', 'epilogue/gradient.hpp', 'return v * (distribution', 'return v; return v * (distribution'),
    ('parts', 'epilogue/gradient.hpp', 'return v * s * (Value(1)', 'return v; return v * s * (Value(1)'),
]

MAPS = [
    ('gemm', LOAD, 'Layout::offset(first(p.wave) + row, s * step + k + i * piece);',
     'Layout::offset(first(p.wave) + row, s * step + k + i * piece) ^ 16;'),                            # the swizzle of who reads
    ('gemm', LOAD, 'Layout::offset(first(p.wave) + row, s', 'Layout::offset(first(p.wave) + row ^ 1, s'),
    ('gemm', COPY, 'Layout::offset(patch::row(n) + r * piece_rows, patch', 'Layout::offset(patch::row(n) + r * piece_rows ^ 1, patch'),   # of who writes
    ('gemm', 'block/shared_layout.hpp', '^ slot_turn(row) * 16', '^ 0 * slot_turn(row)'),               # of both: bank conflicts
    ('gemm', 'block/shared_layout.hpp', '((row * pitch + k', '((row / 2 * 2 * pitch + k'),
    ('gemm', 'atom/mfma.hpp', 'int a_row(int lane, int) { return lane % M; }', 'int a_row(int lane, int) { return lane % M ^ 1; }'),
    ('gemm', 'atom/mfma.hpp', 'int k_group(int lane) { return lane / M; }', 'int k_group(int) { return 0; }'),
    ('gemm', 'atom/outer.hpp', 'int b_column(int lane, int c) { return lane % grid_columns', 'int b_column(int lane, int c) { return (lane ^ 1) % grid_columns'),
    ('compiler', 'atom/mfma.hpp', '4 * k_groups * (g / 4) + 4 * (lane / M) + g % 4', '4 * k_groups * (g / 4) + 4 * (lane / M)'),
    ('compiler', 'atom/outer.hpp', 'e / Pack, e % Pack}; }\n    FADE_FN static constexpr coordinate b_at', '0, e % Pack}; }\n    FADE_FN static constexpr coordinate b_at'),
    ('parts', 'core/half.hpp', '0xc8000fffu', '0xc8001000u'),
    ('parts', 'core/half.hpp', 'x + 0x7fffu', 'x + 0x8000u'),
]

# The position of D's registers is the same for who computes and who stores: only the instruction itself knows better.
# So these are killed by replaying the instruction.
INSTRUCTIONS = [
    ('gfx942', 'atom/mfma.hpp', '4 * k_groups * (g / 4) + 4 * (lane / M) + g % 4, lane % M}', '4 * k_groups * (g / 4) + 4 * (lane / M) + g % 4, M - 1 - lane % M}'),
    ('gfx1100', 'atom/wmma_gfx11.hpp', '{2 * g + lane / 16, lane % 16}', '{g + 8 * (lane / 16), lane % 16}'),
    ('gfx1201', 'atom/wmma_gfx12.hpp', '{8 * (lane / 16) + g, lane % 16}', '{2 * g + lane / 16, lane % 16}'),
]

GROUPS = {'barriers': BARRIERS, 'bounds': BOUNDS, 'tails': TAILS, 'scalars': SCALARS, 'stages': STAGES, 'maps': MAPS}
QUICK = {'barriers': BARRIERS, 'tails': TAILS[:2]}
