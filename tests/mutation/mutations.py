"""What is broken, one thing at a time: (program that must fail, header, text, what it becomes).

The text must stand in the header exactly once, so that an edit whose place has changed is an error and no silent pass.
"""
import append_mutations
import attention_mutations

PIPELINE, COPY, STORE = 'block/pipeline.hpp', 'block/copy.hpp', 'kernel/gemm/store.hpp'
LOAD, BODY, CHOICE, AHEAD = 'wave/load.hpp', 'kernel/gemm/body.hpp', 'tune/gemm/select.hpp', 'block/read_ahead.hpp'
ASYNC, GROUP, COMBINE = 'block/async_copy.hpp', 'block/warpgroup.hpp', 'kernel/gemm/combine.hpp'
PANELS, PACK, MICRO, FINISH = 'kernel/gemm/panels.hpp', 'atom/cpu/pack.hpp', 'atom/cpu/micro.hpp', 'kernel/gemm/finish.hpp'
PACKED, DOT = 'atom/cpu/packed.hpp', 'atom/cpu/dot.hpp'
FLOAT8_PAIRS, BYTES, WIDEN = 'core/number/float8_pairs.hpp', 'backend/bytes.hpp', 'backend/hip/widen.hpp'
BOX_RING, BOX_STORE, BOXES, TMA = 'block/box/ring.hpp', 'block/box/store.hpp', 'kernel/gemm/boxes.hpp', 'kernel/gemm/tma_ring.hpp'
TMA_PRODUCER = 'kernel/gemm/tma_producer.hpp'
PERSISTENT = 'block/schedule/persistent.hpp'
NOTHING = ''

BARRIERS = [
    ('gemm', PIPELINE, 's + 2, steps.count, depth);\n    block.sync();', 's + 2, steps.count, depth);'),
    ('gemm', PIPELINE, 'loaders, 1, steps.count, depth);\n        block.sync();', 'loaders, 1, steps.count, depth);'),
    ('gemm', PIPELINE, 'block.sync();\n            multiply(tiles(0));', 'multiply(tiles(0));'),
    ('gemm', PIPELINE, 'multiply(tiles(0));\n            block.sync();', 'multiply(tiles(0));'),
    ('gemm', AHEAD, 'depth);\n        block_.sync();', 'depth);'),
    ('gemm', AHEAD, 'if constexpr (last) block_.sync();', NOTHING),
    ('ring', ASYNC, 'block.sync();', NOTHING),
    ('ring', ASYNC, 'wait_async<Stages - 2>', 'wait_async<Stages - 1>'),
    ('ring', ASYNC, 'block.commit_async();', NOTHING),
    ('ring', GROUP, 'block.sync();', NOTHING),
    ('ring', GROUP, 'wait_async<Stages - 3>', 'wait_async<Stages - 2>'),
    ('ring', GROUP, 'block.commit_async();', NOTHING),
    ('ring', GROUP, 'block.template wait_matrix<1>();', NOTHING),
    ('ring', GROUP, '    }\n    block.template wait_matrix<0>();', '    }'),
]

# Products of boxes, whose readers and producer meet at barriers of their own.
OF_BOXES = [
    ('boxes', BOX_RING, 'block.await_arrival(full(n), phase(n));', NOTHING),
    ('boxes', BOX_RING, 'block.has_arrived(empty(n), phase(n) - 1)', 'true'),
    ('boxes', BOX_RING, 'n < Stages ||', 'n <= Stages ||'),
    ('boxes', BOX_STORE, 'block.template await_boxes<1>(group)', 'block.template await_boxes<2>(group)'),
    ('boxes', BOX_STORE, 'at.column += pass * columns', 'at.column += 0'),
    ('boxes', BOX_STORE, 'at.position += group * staging.box_rows', 'at.position += 0'),
    ('boxes', BOX_STORE, '(run ^ line % 8) * 16', 'run * 16'),
    ('boxes', BOX_STORE, 'target.map && all != backend::outside', 'all != backend::outside'),
    ('boxes', BOX_STORE, 'f(row, column + i, sums[i])', 'f(row, column, sums[i])'),
    ('boxes', BOX_STORE, 'row < rows && column + count <= columns', 'column + count <= columns'),
    ('boxes', BOX_STORE, 'row < rows && column + count <= columns', 'row < rows'),
    ('boxes', BOXES, 'stride == 0 ? 1 : batches', 'batches'),
    ('boxes', BOXES, 'int(along_rows ? rows : k)', 'int(along_rows ? k : rows)'),
    ('boxes', BOXES, 'to.position * to.bytes % 16 == 0', 'true'),
    ('boxes', TMA, 'if (s > 0) ring.release', 'ring.release'),
    ('boxes', TMA, 'block.template wait_matrix<1>();', NOTHING),
    ('boxes', TMA, 'args.splits > 1', 'false'),
    ('boxes', TMA_PRODUCER, 'if (k_ >= k_end_)', 'if (k_ > k_end_)'),
    ('boxes', PERSISTENT, 'at.row * Cluster + rank', 'at.row * Cluster'),
]

BOUNDS = [
    ('gemm', COPY, '!from_.holds(patch::row(n), patch::depth(n)) || ', NOTHING),
    ('gemm', COPY, 'return depth == Layout::depth || k < depth;', 'return true;'),
    ('gemm', COPY, 'if (busy(p, i)) store_patch', 'store_patch'),
    ('gemm', STORE, 'at.inside ? std::uint32_t(((line - first) * args.ldd + column) * index(sizeof(out))) : backend::outside',
     'std::uint32_t(((line - first) * args.ldd + column) * index(sizeof(out)))'),
    ('gemm', STORE, 'tile.batch, row < tile.rows && column < tile.columns}', 'tile.batch, column < tile.columns}'),
    ('gemm', STORE, 'tile.batch, row < tile.rows && column < tile.columns}', 'tile.batch, row < tile.rows}'),
    ('gemm', STORE, 'memory.store(row < tile.rows && column < tile.columns ?', 'memory.store(column < tile.columns ?'),
    ('gemm', STORE, 'memory.store(row < tile.rows && column < tile.columns ?', 'memory.store(row < tile.rows ?'),
    ('gemm', COMBINE, 'min_of<index>(first + combine_run, args.m * args.n)', 'first + combine_run'),
    ('gemm', COPY, ' || n >= patch::per_tile', NOTHING),
    ('gemm', BODY, 'int(min_of<index>(args.m - row, Policy.block_tile.m))', 'Policy.block_tile.m'),
    ('gemm', BODY, 'int(min_of<index>(args.n - column, Policy.block_tile.n))', 'Policy.block_tile.n'),
    ('ring', ASYNC, 'row < from_.rows ? from_.offset', 'true ? from_.offset'),
    ('ring', ASYNC, '(patch::depth(patch_of(p, i)) < some) &', NOTHING),
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
    ('gemm', PIPELINE, 's + 1 < count; s += 2) steps', 's < count; s += 2) steps'),
    ('gemm', PIPELINE, 'first(int(k - index(count - 1) * tile))', 'first(tile)'),
    ('gemm', AHEAD, 'loaders_.load_edge(block_, steps.first);', 'loaders_.load(block_);'),
    ('gemm', AHEAD, 'loaders_.advance(steps.first);', 'loaders_.advance(depth);'),
    ('gemm', AHEAD, 'if (steps.count == 1) loaders_.stop(block_);', NOTHING),
    ('gemm', AHEAD, 'if (s < steps.count) last_step(each_slice);', NOTHING),
    ('gemm', AHEAD, 'if (past) advance(-index(depth));', NOTHING),
    ('gemm', AHEAD, 'tiles_(last ? Stage ^ 1 : Stage)', 'tiles_(Stage)'),
    ('parts', 'block/schedule/grid_order.hpp', 'min_of(group, tile_rows - g * group)', 'group'),
    ('parts', 'block/schedule/grid_order.hpp', ' || workgroup >= count / round * round', NOTHING),
    ('gemm', BODY, '.k_count = min_of<index>(args.k - k_begin, args.k_split)', '.k_count = args.k_split'),
    ('gemm', BODY, 'args.a + at.batch * args.stride_a', 'args.a'),
    ('gemm', BODY, 'args.b + at.batch * args.stride_b', 'args.b'),
    ('gemm', BODY, 'layer % args.splits * args.k_split', '0'),
    ('gemm', BODY, '.batch = layer / args.splits', '.batch = layer'),
    ('gemm', BODY, 'if (args.splits > 1) store_partial<Traits>(block, acc, args, at);\n    else store_output', 'store_output'),
    ('gemm', STORE, 'tile.layer * args.m * args.n', 'tile.batch * args.m * args.n'),
    ('gemm', STORE, 'base = args.d + tile.batch * args.stride_d + first', 'base = args.d + first'),
    ('gemm', STORE, 'at.batch * args.stride_c + ', NOTHING),
    ('gemm', COMBINE, 'int s = 0; s < args.splits', 'int s = 1; s < args.splits'),
    ('gemm', COMBINE, '(batch * args.splits + s)', 's'),
    ('gemm', COMBINE, 'args.d[batch * args.stride_d + ', 'args.d['),
    ('gemm', PIPELINE, 'max_of<index>(ceil_div<index>(k, tile), 1)', 'ceil_div<index>(k, tile)'),
    ('gemm', PIPELINE, 'loaders.store(block, tiles(now ^ 1));', 'loaders.store(block, tiles(now));'),
    ('gemm', AHEAD, 'tiles_(Stage ^ 1).a', 'tiles_(Stage).a'),
    ('gemm', AHEAD, 'tiles_(Stage ^ 1).b', 'tiles_(Stage).b'),
    ('gemm', AHEAD, 'turn_over(loaders_.a, tiles_(Stage ^ 1).a, depth, past,', 'turn_over(loaders_.a, tiles_(Stage ^ 1).a, depth, false,'),
    ('gemm', AHEAD, 'turn_over(loaders_.b, tiles_(Stage ^ 1).b, depth, past,', 'turn_over(loaders_.b, tiles_(Stage ^ 1).b, depth, false,'),
    ('ring', ASYNC, 's == 0 ? steps.first : depth', 'depth'),
    ('ring', ASYNC, 'if (s < steps.count) loaders.copy', 'loaders.copy'),
    ('ring', ASYNC, 'start(s + Stages - 1);', 'start(s + Stages - 2);'),
    ('ring', GROUP, 's == 0 ? steps.first : depth', 'depth'),
    ('ring', GROUP, 'if (s < steps.count) loaders.copy', 'loaders.copy'),
    ('ring', GROUP, 'copy(s + Stages - 2);', 'copy(s + Stages - 3);'),
]

# Verbs for kernels of one's own.
ACCUMULATOR, ROW_REDUCE, TILE_MMA, TILE_LOAD, TILE_STORE, TILES = (
    f'block/tile/{name}.hpp' for name in ('accumulator', 'row_reduce', 'mma', 'load', 'store', 'shared'))
VERBS = [
    ('verbs', ACCUMULATOR, 'p.wave * wave_rows + ', NOTHING),
    ('verbs', ACCUMULATOR, 'column <= row + diagonal', 'column < row + diagonal'),
    ('verbs', ACCUMULATOR, 'if (diagonal < Acc::tile_columns - 1)', 'if (diagonal < Acc::tile_columns - 2)'),
    ('verbs', ACCUMULATOR, 'keep(row, column) ? s : hidden_score', 's'),
    ('verbs', ROW_REDUCE, 'wave::share_columns<atom>(block, w, found, op);', NOTHING),
    ('verbs', ROW_REDUCE, 'wave::share_columns<atom>(block, w, found, [](float a, float b) { return a + b; });', NOTHING),
    ('verbs', ROW_REDUCE, 'n < Acc::row_atoms * Acc::slot_size', 'n < Acc::row_atoms * Acc::slot_size - 1'),
    ('verbs', ROW_REDUCE, 'at += lane & mask ? bit : 0, ', NOTHING),
    ('verbs', TILE_MMA, 'if constexpr (A::kept) keep(block);', NOTHING),
    ('verbs', TILE_MMA, 'copy(block, to, from); block.sync();', 'copy(block, to, from);'),
    ('verbs', TILE_MMA, '}); block.sync();', '});'),
    ('verbs', TILE_MMA, 'p.values.put(block, result);', NOTHING),
    ('verbs', TILE_LOAD, 'index(rows - 1) * ld + columns', 'index(rows + 1) * ld'),
    ('verbs', TILE_LOAD, '{{m.first, m.first, m.end(), m.ld, 1, unbounded}, m.columns};', '{{m.first, m.first, m.end(), m.ld, 1, unbounded}, unbounded};'),
    ('verbs', TILE_STORE, 'row < in.rows && column < in.columns', 'column < in.columns'),
    ('verbs', TILE_STORE, 'row < in.rows && column < in.columns', 'row < in.rows'),
    ('verbs', TILE_STORE, '(in.columns | in.ld) % run == 0', 'in.columns % run == 0'),
    ('verbs', TILES, 'next_ += lasting_bytes;', NOTHING),
]

# The kernel of the host: strips, panels, steps of k, shares of D.
HOST = [
    ('host', 'backend/host/thread_team.hpp', 'if (!swap(offered, idle)) wait_while(busy);', 'swap(offered, idle);'),   # a race: threads that get no core may lose it, so the quick tier leaves it out
    ('host', PANELS, 'min_of(blocking_.depth, at_.k_count - done_)', 'blocking_.depth'),
    ('host', PANELS, 'min_of(strip_rows(), rows_ - i)', 'strip_rows()'),
    ('host', PANELS, 'min_of(Traits::panel, columns_ - column)', 'Traits::panel'),
    ('host', PANELS, 'min_of(height, args.m - at.row)', 'height'),
    ('host', PANELS, 'min_of(width, args.n - at.column)', 'width'),
    ('host', PANELS, '.k_count = min_of(args.k - k_begin, args.k_split)', '.k_count = args.k_split'),
    ('host', PANELS, 'layer % args.splits * args.k_split', '0'),
    ('host', PANELS, 'done_ > 0 ? sums_at(row + r, column) : nullptr', 'nullptr'),
    ('host', PANELS, 'done_ + depth_ < at_.k_count', 'false'),
    ('host', PANELS, 'if (width(column) == Traits::panel)\n', NOTHING),
    ('host', PANELS, 'blocking_.in_place && width(column) == Traits::panel', 'blocking_.in_place'),
    ('host', PACK, 'c + lanes::count <= whole', 'c < whole'),
    ('host', PACK, 'for (; c * pack < columns; ++c) to[c] = taken<To>(from + c * pack, columns - c * pack);', NOTHING),
    ('host', PACK, 'i + lanes::count <= columns', 'i < columns'),
    ('host', PACK, 'for (; i < columns; ++i)', 'for (; false; )'),
    ('host', PACK, 'k < whole_k ? whole : 0', 'whole'),
    ('host', MICRO, 'rows >= micro_rows', 'rows > 4'),
    ('host', MICRO, 'rows >= 4', 'rows >= 3'),
    ('host', FINISH, 'if (args.splits > 1) return', 'if (false) return'),
    ('host', FINISH, 'args.alpha == T(1) && args.beta == T(0)', 'args.beta == T(0)'),
    ('host', FINISH, 'args.alpha == T(1) && args.beta == T(0)', 'args.alpha == T(1)'),
    ('host', FINISH, 'args.beta == Value(0) ? nullptr : ', NOTHING),
    ('host', FINISH, 'atom::with_vectors<atom::copy_rows>(row, index(0), sums.at, index(0), 1, columns);', NOTHING),
    ('host', FINISH, '++r, sums.at += sums.pitch', '++r'),
    ('host', FINISH, 'copy_rows>(to(line(r)),', 'copy_rows>(to(at),'),
    ('host', 'atom/cpu/activation.hpp', 'x > max ? vector<float, Bytes>{} + max : x', 'x'),
    ('host', 'atom/cpu/activation.hpp', 'const lanes minus = -x;', 'const lanes minus = x;'),
    ('host', 'atom/cpu/activation.hpp', '0.044715f * x * x * x', '0.044715f * x * x'),
    ('host', 'atom/cpu/activation.hpp', 'z < 0.0f ? -y : y', 'y'),
    ('host', 'atom/cpu/activation.hpp', 'i < count; i += lanes::count', 'i + lanes::count <= count; i += lanes::count'),
    ('host', 'epilogue/row.hpp', 'apply_to_row(c.first, row, columns, at), apply_to_row(c.second, row, columns, at);', 'apply_to_row(c.second, row, columns, at), apply_to_row(c.first, row, columns, at);'),
    ('host', 'epilogue/row.hpp', 'stage(row[i], position{at.row, at.column + i,', 'stage(row[i], position{at.row, at.column,'),
    ('host', 'epilogue/any_chain.hpp', 'for (int i = 0; i < count; ++i) with_stage<Value>(stages[i], [&](const auto& one) { apply_to_row', 'for (int i = 1; i < count; ++i) with_stage<Value>(stages[i], [&](const auto& one) { apply_to_row'),
]

# Sums of whole numbers: where they become reals, and where reals become whole numbers again.
WHOLE = [
    ('host', 'epilogue/value.hpp', 'requires(floating_element<Out>) struct value_of<i32, Out, Stage> { using type = std::conditional_t<std::is_same_v<Out, f64>, f64, f32>', 'requires(floating_element<Out>) struct value_of<i32, Out, Stage> { using type = i32'),
    ('host', 'epilogue/value.hpp', 'std::is_same_v<Out, f64>', 'false'),
    ('host', 'epilogue/value.hpp', 'is_floating<First> || is_floating<Second>', 'is_floating<First>'),
    ('host', 'epilogue/value.hpp', 'is_floating<First> || is_floating<Second>', 'is_floating<Second>'),
    ('host', 'epilogue/value.hpp', 'std::conditional_t<is_floating<Stage>, f32, i32>', 'f32'),
    ('host', 'epilogue/scale.hpp', 'floating = true', 'floating = false'),
    ('host', 'epilogue/bias.hpp', '"bias"; static constexpr bool floating = floating_element<T>', '"bias"; static constexpr bool floating = false'),
    ('host', 'core/dtype.hpp', 'From(__builtin_rintf(float(x)))', 'x'),
    ('host', 'core/dtype.hpp', 'whole <= min ? min_whole<T> :', NOTHING),
    ('host', 'core/dtype.hpp', 'whole >= end ? max_whole<T> :', NOTHING),
    ('host', 'core/dtype.hpp', 'x > max_whole<To> ? max_whole<To> :', NOTHING),
]

# Packs of k, where this CPU multiplies them.
PACKS = [
    ('host', PACKED, 'for (int i = 0; i < left; ++i)', 'for (int i = 0; i < To::k; ++i)'),
    ('host', PACKED, 'return {word ^ To::flip};', 'return {word};'),
    ('host', PACKED, 'all[i] ^ To::flip', 'all[i]'),
    ('host', PACKED, 'from) ^ Flip; }', 'from); }'),
    ('host', PACKED, 'if (k < depth) weave_line', 'if (false) weave_line'),
    ('host', PACKED, 'columns, depth - k)', 'columns, To::k)'),
    ('host', PACKED, 'c + lanes <= columns', 'c < columns'),
    ('host', PACKED, 'interleave(odd[0], odd[1], lines[2], lines[3])', 'interleave(odd[0], odd[1], lines[3], lines[2])'),
    ('host', DOT, 'if (product.less) sum.subtract(product.less);', NOTHING),
    ('host', DOT, '"vpdpbusd {%2, %1, %0', '"vpdpbusd {%1, %2, %0'),
    ('host', DOT, 'zero{left::flip}', 'zero{}'),
    ('host', DOT, 'rows >= 8', 'rows >= 7'),
    ('host', DOT, 'rows >= 2', 'rows >= 1'),
    ('host', PANELS, 'if constexpr (lifted) atom::execute', 'if constexpr (false) atom::execute'),
    ('host', PANELS, 'lifted && depth_ > 0 ?', 'lifted ?'),
    ('host', PANELS, 'int words() const { return ceil_div(depth_, pack); }', 'int words() const { return depth_ / pack; }'),
]

SCALARS = [
    ('gemm', STORE, 'wrapping_product(args.alpha, sum)', 'sum'),
    ('gemm', STORE, 'wrapping_product(args.beta, c)', 'c'),
    ('gemm', STORE, 'if (args.beta == value(0)) return product;', 'return product;'),
    ('gemm', STORE, 'if (args.beta == value(0)) return product;', NOTHING),
]

PAIRS = [
    ('parts', FLOAT8_PAIRS, 'moved & 0xbf80bf80u', 'moved & 0xbfc0bfc0u'),
    ('parts', FLOAT8_PAIRS, 'x | ((x + 0x00800080u) & 0x40004000u)', 'x'),
    ('parts', FLOAT8_PAIRS, 'x | fnuz_nan(x & float8_signs, x & ~float8_signs)', 'x'),
    ('parts', FLOAT8_PAIRS, 'nan - (nan >> 6)', 'nan'),
    ('parts', FLOAT8_PAIRS, 'sign & ~(magnitude + 0x7fff7fffu)', 'sign'),
    ('parts', FLOAT8_PAIRS, '0x78007800u', '0x7c007c00u'),
    ('parts', FLOAT8_PAIRS, '(h >> 1 & ~where)', '(h & ~where)'),
    ('parts', FLOAT8_PAIRS, '(large << 1) - (large >> 15)', '(large << 1) - (large >> 7)'),
    ('parts', FLOAT8_PAIRS, '15 - T::bias', '14 - T::bias'),
    ('parts', FLOAT8_PAIRS, 'halves & 0xff00ff00u', 'halves'),
    ('attention_narrow', COPY, '!narrow && patch::by_rows == in_lines', 'true'),
    ('attention_narrow', COPY, 'v[load_of(at_k)][at / registers::per_word], at % registers::per_word', 'v[load_of(at_k)][at / registers::per_word], 0'),
    ('attention_narrow', BYTES, 'one(a, at + 1) : one(b, at)', 'one(b, at) : one(b, at)'),
    ('attention_narrow', BYTES, 'one(a, at + 1) : one(b, at)', 'one(a, at + 1) : one(a, at)'),
]

STAGES = [
    ('parts', 'epilogue/chain.hpp', 'second(first(v, at), at)', 'first(v, at)'),
    ('parts', 'epilogue/chain.hpp', 'second(first(v, at), at)', 'second(v, at)'),
    ('parts', 'epilogue/bias.hpp', 'wrapping_sum(v, at.load<Value>(values, at.column))', 'v'),
    ('parts', 'epilogue/bias.hpp', 'wrapping_sum(v, at.load<Value>(values, at.row))', 'v'),
    ('parts', 'epilogue/relu.hpp', 'v < Value(0) ? Value(0) : v', 'v'),
    ('parts', 'epilogue/gelu.hpp', 'return Value(0.5) * x *', 'return x; return Value(0.5) * x *'),
    ('parts', 'epilogue/gelu.hpp', 'return x * logistic(', 'return x; return x * logistic('),
    ('parts', 'epilogue/silu.hpp', 'return x * logistic(x)', 'return x'),
    ('parts', 'epilogue/silu.hpp', 'return logistic(x)', 'return x'),
    ('parts', 'epilogue/scale.hpp', 'return Value(v * factor)', 'return v'),
    ('parts', 'epilogue/scale.hpp', 'v < min ? min : ', NOTHING),
    ('parts', 'epilogue/scale.hpp', 'v > max ? max : v', 'v'),
    ('parts', 'epilogue/residual.hpp', 'return wrapping_sum(v, from.', 'return v; return wrapping_sum(v, from.'),
    ('parts', 'epilogue/residual.hpp', 'return wrapping_product(v, from.', 'return v; return wrapping_product(v, from.'),
    ('parts', 'epilogue/memory.hpp', 'p.batch * batch_stride + ', NOTHING),
    ('parts', 'epilogue/gradient.hpp', '> Value(0) ? v : Value(0)', '> Value(0) ? v : v'),
    ('parts', 'epilogue/gradient.hpp', '> Value(0) ? v : Value(0)', '>= Value(0) ? v : Value(0)'),
    ('parts', 'epilogue/gradient.hpp', 'return v * (distribution', 'return v; return v * (distribution'),
    ('parts', 'epilogue/gradient.hpp', 'return v * s * (Value(1)', 'return v; return v * s * (Value(1)'),
]

# What is refused before anything runs, and what defaults of strides mean.
MEMORY, CHECK = 'epilogue/memory.hpp', 'kernel/gemm/check.hpp'
REFUSED = [
    ('refused_stages', MEMORY, 'if (!values) throw error(stage, "null", why);', NOTHING),
    ('refused_stages', MEMORY, 'count != any_length && count < needed', 'false'),
    ('refused_stages', MEMORY, 'count != any_length && count < needed', 'count != any_length && count + 1 < needed'),
    ('refused_stages', MEMORY, 'if (ld == 0) ld = d.columns;', NOTHING),
    ('refused_stages', MEMORY, 'ld >= d.columns &&', NOTHING),
    ('refused_stages', MEMORY, '&& ld <= index(1) << 40', NOTHING),
    ('refused_stages', MEMORY, 'check(batch_stride >= -1,', 'check(batch_stride >= -9,'),
    ('refused_stages', MEMORY, 'batch_stride < 0 ? packed', 'batch_stride <= 0 ? packed'),
    ('refused_stages', MEMORY, 'batch_stride = index(apart);', NOTHING),
    ('refused_stages', MEMORY, '(d.batch - 1) * apart +', NOTHING),
    ('refused_stages', MEMORY, 'needed < wide_index(1) << 59', 'true'),
    ('refused_stages', 'epilogue/chain.hpp', 'bind(both.first, d), bind(both.second, d);', 'bind(both.first, d);'),
    ('refused_stages', 'epilogue/chain.hpp', 'bind(both.first, d), bind(both.second, d);', 'bind(both.second, d);'),
    ('refused_stages', 'epilogue/any_chain.hpp', 's.kind >= stage_kind::residual', 's.kind > stage_kind::residual'),
    ('refused_stages', 'epilogue/any_chain.hpp', 'bias_stage<T>(s.source.values, s.source.count).bind', 'bias_stage<T>(s.source.values).bind'),
    ('refused_stages', 'epilogue/bias.hpp', 'count, d.rows, "rows"', 'count, d.columns, "rows"'),
    ('refused_stages', 'device/gemm_call.hpp', 'if (!asked_.empty()) epilogue::bind', 'epilogue::bind'),
    ('refused_stages', 'device/gemm_call.hpp', 'if (!asked_.empty()) epilogue::bind', 'if (false) epilogue::bind'),
    ('refused_sizes', CHECK, 'batch > 1 && stride < 0', 'batch > 1 && stride <= 0'),
    ('refused_sizes', CHECK, 'require(stride >= -1,', 'require(stride >= -2,'),
    ('refused_sizes', CHECK, 'p.stride_d != 0,', 'true,'),
]

MAPS = [
    ('gemm', LOAD, 'Layout::offset(first(p.wave) + row, s * step + k + i * piece);',
     'Layout::offset(first(p.wave) + row, s * step + k + i * piece) ^ 16;'),                            # the swizzle of who reads
    ('gemm', LOAD, 'Layout::offset(first(p.wave) + row, s', 'Layout::offset(first(p.wave) + row ^ 1, s'),
    ('gemm', COPY, 'Layout::offset(patch::row(n) + r * piece_rows, patch', 'Layout::offset(patch::row(n) + r * piece_rows ^ 1, patch'),   # of who writes
    ('gemm', 'block/shared_layout.hpp', '^ slot_swizzle(row) * 16', '^ 0 * slot_swizzle(row)'),               # of both: bank conflicts
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
    ('gfx1201', WIDEN, 'Neighbours ? at == 2 :', 'Neighbours ? at == 0 :'),
    ('gfx942', WIDEN, 'at < 2 ? 0x05010400u : 0x07030602u', '0x05010400u'),
    ('gfx950', WIDEN, '1.0f, High', '1.0f, !High'),
    ('gfx1100', WIDEN, '(odd ? a : a << 8)', '(a)'),
    ('gfx1030', WIDEN, 'at < 2 ? 0x05040100u : 0x07060302u', '0x05040100u'),
    ('gfx906', WIDEN, 'Neighbours ? a : odd', 'false ? a : odd'),
]

# Convolutions: windows, the walk over taps, parts of x, groups.
AXIS, WALK, WINDOW, FILTER, PIXELS, TABLE, STROLL, LINES = (f'block/source/{name}.hpp' for name in ('axis', 'tap_walk', 'window', 'filter', 'pixels', 'pixel_table', 'pixel_walk', 'lines'))
TRANSPOSE, COPIES = 'block/transpose.hpp', 'device/conv/copies.hpp'
CONV_BODY, CONV_ARGS, CONV_PANELS = (f'kernel/conv/{name}.hpp' for name in ('body', 'arguments', 'panels'))
DIRECT, DIRECT_ARGS, DIRECT_CALL = 'kernel/conv/direct.hpp', 'kernel/conv/direct_arguments.hpp', 'device/conv/direct.hpp'
CONV = [
    ('conv', AXIS, 'std::uint32_t(at) < std::uint32_t(image)', 'at < image'),
    ('conv', AXIS, 'std::uint32_t(at) < std::uint32_t(image)', 'at >= 0'),
    ('conv', AXIS, '(grid - 1) * step - (image - 1)', '0'),
    ('conv', AXIS, '.start = -s.pad', '.start = 0'),
    ('conv', AXIS, '.tap_step = s.dilation', '.tap_step = 1'),
    ('conv', AXIS, 'period = s.stride / common', 'period = s.stride'),
    ('conv', AXIS, '(residue + s.pad - first * s.dilation) % s.stride != 0', '(residue + s.pad) % s.stride != 0'),
    ('conv', AXIS, 'first < period && first < s.filter', 'first < period'),
    ('conv', AXIS, '-(s.dilation / common)', '-s.dilation'),
    ('conv', AXIS, '.filter_first = first', '.filter_first = 0'),
    ('conv', AXIS, '.filter_stride = period', '.filter_stride = 1'),
    ('conv', AXIS, '.out_stride = s.stride', '.out_stride = 1'),
    ('conv', WALK, '- row - back', '- back'),
    ('conv', WALK, '- plane - back', '- back'),
    ('conv', WALK, 'tail_(channels - (chunks_ - 1) * Depth)', 'tail_(Depth)'),
    ('conv', WALK, 'w_ -= row_ * ((1u << h_begin_) - 1);', NOTHING),
    ('conv', WALK, 'h_ -= plane_ * ((1u << d_begin_) - (1u << h_begin_));', NOTHING),
    ('conv', WALK, 'd_ <<= plane_;', NOTHING),
    ('conv', WALK, 'out = row_ != 0 ? +h : +out;', NOTHING),
    ('conv', WALK, 'out = plane_ != 0 ? +d : +out;', NOTHING),
    ('conv', WINDOW, '(missing & tap_) == 0', 'true'),
    ('conv', WINDOW, 'view_.h.missing(at.h) << view_.w.taps', 'view_.h.missing(at.h)'),
    ('conv', WINDOW, 'view_.d.missing(at.d) << (view_.w.taps + view_.h.taps)', '0u'),
    ('conv', WINDOW, 'tap_ = walk.tap_bits(), ', NOTHING),
    ('conv', WINDOW, ' - view_.overhang()', NOTHING),
    ('conv', WINDOW, 'min_of(depth, depth_)', 'depth'),
    ('conv', FILTER, 'min_of(depth, depth_)', 'depth'),
    ('conv', FILTER, 'a.filter_first + index(tap)', 'index(tap)'),
    ('conv', PIXELS, 'at >= 0 && ', NOTHING),
    ('conv', PIXELS, 'at < end_ && ', NOTHING),
    ('conv', PIXELS, 'column < columns_ && ', NOTHING),
    ('conv', PIXELS, 'view_.h.holds(h) &&', NOTHING),
    ('conv', TABLE, 'tile_ = next_tile_; make', 'make'),
    ('conv', TABLE, 'make(block, ++current_ + 1)', '++current_'),
    ('conv', TABLE, '(page & 1) * page_', '0'),
    ('conv', TABLE, 'position_ + Depth', 'position_'),
    ('conv', TABLE, '- v.overhang()', NOTHING),
    ('conv', TABLE, 'k < end_', 'true'),
    ('conv', TABLE, 'int(there) & int(v.w.holds(at_w))', 'int(there)'),
    ('conv', TABLE, '& int(v.h.holds(at_h))', NOTHING),
    ('conv', TABLE, '& int(v.d.holds(at_d))', NOTHING),
    ('conv', TABLE, 'h = plane ? 0 : +h', 'h = +h'),
    ('conv', TABLE, 'd += plane', 'd += 0'),
    ('conv', TABLE, 'page < 2', 'page < 1'),
    ('conv', STROLL, 'w >= r.w.end', 'w > r.w.end'),
    ('conv', STROLL, 'h >= r.h.end', 'h > r.h.end'),
    ('conv', STROLL, 'd >= r.d.end', 'd > r.d.end'),
    ('conv', STROLL, '(line ? +r.at_w : 0) +', NOTHING),
    ('conv', STROLL, '(plane ? +r.at_h : 0) +', NOTHING),
    ('conv', STROLL, 'lane.moved - by', 'lane.moved'),
    ('conv', STROLL, 'tile_ += ahead_ + by', 'tile_ += ahead_'),
    ('conv', STROLL, '(p.lane % pair < left_) &', NOTHING),
    ('conv', STROLL, 'view_.w.holds(lane.at.w + lane.tap.w) &', NOTHING),
    ('conv', STROLL, 'lane.at.h + lane.tap.h', 'lane.at.h'),
    ('conv', STROLL, 'position_ ^= Depth;', NOTHING),
    ('conv', 'block/pipeline.hpp', 'int end = page - 2;; end += page', 'int end = page;; end += page'),
    ('conv', CONV_BODY, 'group * view.channels, args.a,', '0, args.a,'),
    ('conv', CONV_BODY, 'group * group_filters + ', NOTHING),
    ('conv', CONV_BODY, 'if (at.rows <= 0) return;', NOTHING),
    ('conv', CONV_BODY, 'args.b + index(group) * s.channels', 'args.b'),
    ('conv', CONV_BODY, 'row + walk.first_step() * Depth', 'row'),
    ('conv', CONV_ARGS, 'index(of.out_first) + ', NOTHING),
    ('conv', TRANSPOSE, 'block.sync();', NOTHING),
    ('conv', TRANSPOSE, 'row + r < rows && ', NOTHING),
    ('conv', COPIES, ' && reads_c) to_last', ' && false) to_last'),
    ('conv', COPIES, 's.images, s.pixels, s.channels);', 's.images, s.channels, s.pixels);'),
    ('conv', DIRECT, 'channel * terms + term', 'channel * terms'),
    ('conv', DIRECT, 'view_.w.filter_first + t', 't'),
    ('conv', DIRECT, 'if (!view_.h.holds(h)) continue;', NOTHING),
    ('conv', DIRECT, 'view_.w.holds(at), from_order_', 'true, from_order_'),
    ('conv', DIRECT, 'meets && w + j < end && view', 'meets && view'),
    ('conv', DIRECT, 'bool there = meets && ', 'bool there = '),
    ('conv', DIRECT, 'block_.id_y() * args_.m * args_.n + at', 'at'),
    ('conv', DIRECT, 'image_ * to_order_.elements + first + e, {', 'first + e, {'),
    ('conv', DIRECT, 'if (w < view_.w.grid) store', 'store'),
    ('conv', DIRECT_ARGS, 'ceil_div(v.w.grid, direct_pixels)', 'v.w.grid / direct_pixels'),
    ('conv', DIRECT_CALL, 'taps_first_ ? sizes_.y_pixel() : 1', '1'),
    ('conv_host', LINES, 'channel = 0)', 'channel += 0)'),
    ('conv_host', LINES, 'view.w.holds(w) && ', NOTHING),
    ('conv_host', LINES, 'a.filter_first + ', NOTHING),
    ('conv_host', CONV_PANELS, 'part.group * (s.filters * s.filter_row() - s.channels)', '0'),
    ('conv_host', CONV_PANELS, 'row + (groups_are_rows ? group * all_rows : 0)', 'row'),
]

CONV_BOXES = 'kernel/conv/boxes.hpp'
OF_CONV_BOXES = [
    ('conv_boxes', CONV_BOXES, 'min_of(a.tap_step, 0) * (a.taps - 1)', '0'),
    ('conv_boxes', CONV_BOXES, 'a.tap_step < 0 ? j - (a.taps - 1) : j', 'j'),
    ('conv_boxes', CONV_BOXES, '.step = a.step', '.step = 1'),
    ('conv_boxes', CONV_BOXES, 'place.at.h * h.step + h.first', 'place.at.h + h.first'),
    ('conv_boxes', CONV_BOXES, 'int(tap) - int(h) * taps_w', 'int(tap)'),
    ('conv_boxes', CONV_BOXES, 'at - int(tap) * channels', '0'),
    ('conv_boxes', CONV_BOXES, 'tap.h * view.w.taps + tap.w', 'tap.w'),
    ('conv_boxes', CONV_BOXES, 'box_place{column, tap.channel, number, 0}', 'box_place{column, tap.channel, 0, 0}'),
    ('conv_boxes', CONV_BOXES, 'box_place{row_ + behind, k, 0, 0}', 'box_place{row_, k, 0, 0}'),
    ('conv_boxes', CONV_BOXES, 'min_of(column_ + behind, last)', 'min_of(column_, last)'),
    ('conv_boxes', CONV_BOXES, '.head = s.channels', '.head = s.filter_row()'),
]

GROUPED_SCHEDULE, LISTED, GROUPED_BODY, GROUPED_CALL = 'block/schedule/grouped.hpp', 'block/source/listed.hpp', 'kernel/grouped/body.hpp', 'device/grouped_call.hpp'
BUCKET, ROUTE, DISPATCH, EXPERT_SUM, MOE_CALL = 'block/counting_sort.hpp', 'kernel/moe/route.hpp', 'kernel/moe/dispatch.hpp', 'kernel/moe/combine.hpp', 'device/moe_call.hpp'
GROUPED = [
    ('grouped', GROUPED_SCHEDULE, 'rows / tile_rows + groups', 'rows / tile_rows + 1'),
    ('grouped', GROUPED_SCHEDULE, '(first + last + 1) / 2', '(first + last) / 2'),
    ('grouped', GROUPED_SCHEDULE, '/ tile_rows + middle <= at.row', '/ tile_rows + middle < at.row'),
    ('grouped', GROUPED_SCHEDULE, '/ tile_rows + middle <= at.row', '/ tile_rows <= at.row'),
    ('grouped', GROUPED_SCHEDULE, '(at.row - begin / tile_rows - first)', '(at.row - begin / tile_rows)'),
    ('grouped', GROUPED_SCHEDULE, 'min_of(groups.end(first) - row, tile_rows)', 'tile_rows'),
    ('grouped', GROUPED_SCHEDULE, 'group > 0 ? end(group - 1) : 0', '0'),
    ('grouped', LISTED, 'line >= 0 && line < lines ? operand<T>', 'line >= 0 ? operand<T>'),
    ('grouped', LISTED, 'if (!list) return operand<T>::offset(row, k);', NOTHING),
    ('grouped', LISTED, 'list[first + i]', 'list[i]'),
    ('grouped', GROUPED_BODY, '.batch = work.group', '.batch = 0'),
    ('grouped', GROUPED_BODY, 'args.row_list ? begin : begin + at.row * args.a_row', 'begin'),
    ('grouped', GROUPED_BODY, 'args.row_list + at.row', 'args.row_list'),
    ('grouped', GROUPED_BODY, 'args.row_list ? args.rows_of_a : args.m', 'args.m'),
    ('grouped', GROUPED_BODY, 'args.b + at.batch * args.stride_b', 'args.b'),
    ('grouped', GROUPED_CALL, '.ldd = p.ldd', '.ldd = p.ldc'),
    ('moe', BUCKET, 'lane < lane_of(p) ? +counted[1] : 0', '0'),
    ('moe', BUCKET, 'k >= 0 && k < bucket', 'k < bucket'),
    ('moe', BUCKET, 'min_of(first + run, count)', 'first + run'),
    ('moe', BUCKET, 'block.sync();', NOTHING),
    ('moe', BUCKET, 'all += counted[0] + counted[1]', 'all += counted[0]'),
    ('moe', ROUTE, 'x - n.largest', 'x'),
    ('moe', ROUTE, 'weight_scale / n.sum', 'weight_scale'),
    ('moe', ROUTE, 'factor = weight_scale / sum', 'factor = 1 / sum'),
    ('moe', DISPATCH, 'if (dropped && expert == 0) t.slots[item] = -1;', NOTHING),
    ('moe', DISPATCH, 'item / a.top_k', 'item'),
    ('moe', DISPATCH, ' || choice >= a.experts', NOTHING),
    ('moe', EXPERT_SUM, 'slot < 0 || ', NOTHING),
    ('moe', EXPERT_SUM, 'item % runs * Run', 'item % runs'),
    ('moe', MOE_CALL, 'p_.columns % run == 0 && ', NOTHING),
]

IMAGE_LAYOUT, POOL_WINDOW, POOL_BODY, NORM_ROWS, PLANES, TOTAL = 'kernel/image/layout.hpp', 'kernel/pool/window.hpp', 'kernel/pool/body.hpp', 'kernel/batch_norm/rows.hpp', 'kernel/batch_norm/planes.hpp', 'block/ranges.hpp'
SAMPLE_AXIS, GRID, FOLD, IMAGE_CALL = 'kernel/sample/axis.hpp', 'kernel/sample/grid.hpp', 'kernel/batch_norm/fold.hpp', 'device/image/common.hpp'
IMAGES = [
    ('image', IMAGE_LAYOUT, 'int(item - pixel * runs_.by()) * run_', 'int(item - pixel * runs_.by())'),
    ('image', IMAGE_LAYOUT, 'batch * channels)', 'batch)'),
    ('image', IMAGE_CALL, 'layout.inner % run == 0 &&', NOTHING),
    ('image', POOL_WINDOW, 'window * stride - before', 'window * stride'),
    ('image', POOL_WINDOW, '(taps - 1) * dilation', 'taps * dilation * 0'),
    ('image', POOL_WINDOW, '% dilation == 0', '% dilation >= 0'),
    ('image', POOL_WINDOW, '(with_room ? behind : 0)', '0'),
    ('image', POOL_BODY, '|| place[e] < 0 ||', '||'),
    ('image', POOL_BODY, '(x[e] != x[e] && largest[e] == largest[e])', 'false'),
    ('image', POOL_BODY, 'here.indices[window + e] == pixel ? +dy[e] : 0.0f', 'dy[e]'),
    ('image', POOL_BODY, 'sum[e] += dy[e] * share', 'sum[e] += dy[e]'),
    ('image', NORM_ROWS, 'squares / (count - 1)', 'squares / count'),
    ('image', NORM_ROWS, 'if (running_mean)', 'if (false)'),
    ('image', NORM_ROWS, '- dbias * share', NOTHING),
    ('image', NORM_ROWS, 'row.number() % channels); const float inverse', 'row.number() / channels); const float inverse'),
    ('image', PLANES, '(item - image * pixels)', 'item'),
    ('image', PLANES, '* inverse; }); block::each_of', '; }); block::each_of'),
    ('image', TOTAL, 'block.sync();  // before the memory is used again', NOTHING),
    ('image', FOLD, '* factor + shift', '+ shift'),
    ('image', SAMPLE_AXIS, 'max_of(float(o) * scale + offset, 0.0f)', 'float(o) * scale + offset + 1 - 1'),
    ('image', SAMPLE_AXIS, '2 * index(o) : 2 * index(o) + 1', '2 * index(o) : 2 * index(o)'),
    ('image', SAMPLE_AXIS, '0.5f * ratio - 0.5f', '0'),
    ('image', SAMPLE_AXIS, 'float(input)) - 2, 0)', 'float(input)) + 1, 0)'),
    ('image', SAMPLE_AXIS, 'return clipped(p);', 'return p;'),
    ('image', SAMPLE_AXIS, 'even ? rest : span - rest', 'rest'),
    ('image', SAMPLE_AXIS, 'p.at >= last ? grid_place{last, 0} : p', 'p.at >= last ? grid_place{last, p.slope} : p'),
    ('image', SAMPLE_AXIS, 'inside(pixel + 1) ? share : 0.0f', 'share'),
    ('image', GRID, 'c.image / here.inner_images * here.outputs', 'c.image * here.outputs'),
    ('image', GRID, '{slope_d, taps.h, taps.w}', '{slope_d, slope_h, taps.w}'),
    ('image', GRID, 'output.image / inner_images', 'output.image'),
]

GROUPS = {'barriers': BARRIERS, 'boxes': OF_BOXES, 'bounds': BOUNDS, 'tails': TAILS, 'verbs': VERBS, 'host': HOST, 'packs': PACKS, 'scalars': SCALARS, 'whole': WHOLE, 'refused': REFUSED, 'stages': STAGES, 'pairs': PAIRS, 'maps': MAPS, 'conv': CONV, 'conv-boxes': OF_CONV_BOXES, 'grouped': GROUPED, 'images': IMAGES, **attention_mutations.GROUPS, **append_mutations.GROUPS}
QUICK = {'barriers': BARRIERS, 'boxes': OF_BOXES[:3], 'tails': TAILS[:2]}
