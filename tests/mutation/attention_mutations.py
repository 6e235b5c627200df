"""What is broken in attention: (program that must fail, header, text, what it becomes), as in mutations.py."""
BODY, PRODUCTS, RULES, SOFTMAX = (f'kernel/attention/{name}.hpp' for name in ('body', 'products', 'rules', 'softmax'))
STORE, ARGUMENTS, GATHER, PANELS = (f'kernel/attention/{name}.hpp' for name in ('store', 'arguments', 'gather', 'panels'))
DECODE, SPLITS, AHEAD, PIECES, STEADY = (f'kernel/attention/{name}.hpp' for name in ('decode', 'splits', 'ahead', 'softmax_pieces', 'steady'))
OPERAND, PACKED_GROUPS, SELECT = 'block/operand.hpp', 'kernel/attention/pack_groups.hpp', 'tune/attention/select.hpp'
TILE_ROWS, WIDE, ATTENTION_CALL = 'kernel/attention/tile_rows.hpp', 'kernel/attention/wide.hpp', 'device/attention_call.hpp'
CPU_SOFTMAX, SOFTEN = 'atom/cpu_softmax.hpp', 'atom/cpu_soften.hpp'
GROUP_WALK, GROUP_BODY, SPANS, CHAINED = 'kernel/attention/group_walk.hpp', 'kernel/attention/group.hpp', 'block/span_copy.hpp', 'block/warpgroup_chain.hpp'
NOTHING = ''

BARRIERS = [
    ('attention', BODY, 'block.sync();   // the keys are there', '// the keys are there'),
    ('attention', BODY, 'block.sync();   // the values are there', '// the values are there'),
    ('attention', PRODUCTS, 'Traits::tile_q());\n        block.sync();', 'Traits::tile_q());'),
    ('attention', PRODUCTS, 'block.sync();   // shared memory is free', '// shared memory is free'),
]

# Which keys a workgroup walks over, and which of them a query sees.
RANGES = [
    ('attention', BODY, 'int(begin / Traits::keys * Traits::keys)', 'int(begin / Traits::keys * Traits::keys) + Traits::keys'),
    ('attention', BODY, 'most<index>(index(first) - args.left, 0)', 'index(first) - args.left'),
    ('attention', BODY, 'args.left != all_keys ? 0 : ', NOTHING),
    ('attention', BODY, 'index(last) + args.right + 1', 'index(last) + args.right'),
    ('attention', BODY, 'index(first) + args.right + 1', 'index(last) + args.right + 1'),
    ('attention', BODY, 'full / Traits::keys * Traits::keys', 'full'),
    ('attention', BODY, 'return key + keys <= full_end;', 'return true;'),
    ('attention', BODY, 'for (; key < range.full_end;', 'for (; key < range.end;'),
    ('attention', BODY, 'for (; key < range.end;', 'for (; false;'),
    ('attention', BODY, 'if (!range.full(key, Keys)) mask_scores', 'if (false) mask_scores'),
    ('attention', BODY, 'e.query_count) - 1 + e.last;', 'e.query_count) - 1;'),
    ('attention', BODY, 'keys.advance_rows(Traits::keys);', NOTHING),
    ('attention', BODY, 'values.advance(Traits::keys);', NOTHING),
    ('attention', RULES, 'least(at.query + e.last + args.right + 1, e.key_count)', '(at.query + e.last + args.right + 1)'),
    ('attention', RULES, 'least(at.query + e.last + args.right + 1, e.key_count)', 'e.key_count'),
    ('attention', RULES, 'key < end ? s', 'true ? s'),
    ('attention', RULES, 'if (args.left == all_keys) return;', 'return;'),
]

BOUNDS = [
    ('attention', PRODUCTS, '1 << 30}, head_dim}', '1 << 30}, 1 << 30}'),
    ('attention', PRODUCTS, 'begin + at.first_column', 'begin'),
    ('attention', PRODUCTS, 'at.head / args.group * args.k_strides.head', 'at.head * args.k_strides.head'),
    ('attention', PRODUCTS, 'at.head / args.group * args.v_strides.head', 'at.head * args.v_strides.head'),
    ('attention', OPERAND, 'row < this->rows && k < depth', 'row < this->rows'),
    ('attention', STORE, 'exists && column < to.columns ?', 'column < to.columns ?'),
    ('attention', STORE, 'exists && column < to.columns ?', 'exists ?'),
    ('attention', PRODUCTS, 'args.value_dim - at.first_column', 'args.head_dim - at.first_column'),
    ('attention', SELECT, 'head_class_of(int(most(p.head_dim, p.head_dim_v)))', 'head_class_of(int(p.head_dim))'),
    ('attention', SELECT, 'head_class_of(int(most(p.head_dim, p.head_dim_v)))', 'head_class_of(int(p.head_dim_v))'),
    ('attention', STORE, 'if (exists && atom::', 'if (atom::'),
    ('attention', ARGUMENTS, 'if (args.bottom_right) e.last = e.key_count - e.query_count;', NOTHING),
    ('attention', ARGUMENTS, 'if (!args.packed_k) e.key_begin = 0;', NOTHING),
    ('attention', ARGUMENTS, 'args.packed_q ? e.output_begin : 0', 'e.output_begin'),
    ('attention', GATHER, 'column < a.head_dim ? gathered_row', 'true ? gathered_row'),
    ('attention', GATHER, 'least<index>(gather_rows, index(length) * a.heads - first)', 'gather_rows'),
    ('attention', GATHER, '(a.lengths ? a.lengths[batch] : 0)', '0'),
    ('attention', GATHER, 'page * a.batch_stride', '0 * a.batch_stride'),
]

FEATURES = [
    ('attention', RULES, 'args.rules.alibi ? args.rules.alibi[at.head] * log2_e : 0.0f', '0.0f'),
    ('attention', BODY, 'args.rules.sink ? args.rules.sink[head] * log2_e : minus_infinity', 'minus_infinity'),
    ('attention', BODY, 'if (args.rules.drop_below) drop_weights', 'if (false) drop_weights'),
    ('attention', BODY, 'if (head.bent) bend_scores', 'if (false) bend_scores'),
    ('attention', RULES, 'args.rules.softcap > 0 || ', NOTHING),
    ('attention', RULES, ' || args.scale_log2 < 0', NOTHING),
    ('attention', RULES, 'else all([&](float& s, const score_column&, int) { s = settled<Block>(s * head.scale); });', NOTHING),
    ('attention', RULES, 'settled<Block>(s * head.scale), args.rules', 's, args.rules'),
    ('attention', RULES, '__builtin_fabsf(', '('),
    ('attention', RULES, 'at.first_key - at.query - e.last', 'at.first_key - at.query'),
    ('attention', RULES, '0.0f : w * keep_scale', '0.0f : w'),
    ('attention', RULES, 'drawn < r.drop_below ? 0.0f', 'drawn < r.drop_below ? w'),
    ('attention', RULES, 'weight_block(r.seed, r.offset, ', 'weight_block(r.seed, 0, '),
    ('attention', RULES, 'if (!aligned || key % 4 == 0) random', 'if (key == 0) random'),
]

# Biases and the factors of tensors.
TENSORS = [
    ('attention', BODY, 'if (args.rules.bias_query >= 0) bias_scores', 'if (false) bias_scores'),
    ('attention', RULES, 'args.rules.bias_query >= 0 || ', NOTHING),
    ('attention', RULES, 'log2_e * head.bias[', 'head.bias['),
    ('attention', RULES, ' + at.batch * args.rules.bias_batch', NOTHING),
    ('attention', RULES, '(Rows::grouped ? 0 : at.head * args.rules.bias_head)', '0'),
    ('attention', SELECT, ' && !o.bias', NOTHING),
    ('attention', SELECT, ' && !o.scales.q && !o.scales.k && !o.scales.v', NOTHING),
    ('attention', RULES, 'scale(scale_here(args, at.head))', 'scale(args.scale_log2)'),
    ('attention', RULES, 'bent ? 1.0f : scale', 'scale'),
    ('attention', ARGUMENTS, ' * scale_at(args.scales.q, head * args.scales.step)', NOTHING),
    ('attention', ARGUMENTS, ' * scale_at(args.scales.k, head / args.group * args.scales.step)', NOTHING),
    ('attention', ARGUMENTS, 'args.scales.q, head * args.scales.step', 'args.scales.q, 0'),
    ('attention', ARGUMENTS, 'args.scales.k, head / args.group * args.scales.step', 'args.scales.k, head * args.scales.step'),
    ('attention', STORE, 'walk.value_scale / state.sum', '1.0f / state.sum'),
    ('attention', BODY, 'at.head / args.group * args.scales.step', 'at.head * args.scales.step'),
]

OWN_RULES = [
    ('attention_own', BODY, 'if constexpr (!std::is_same_v<rule, no_rule>) apply_own_rule', 'if (false) apply_own_rule'),
    ('attention_own', RULES, 'has_score_mod<decltype(args.rule)> || ', NOTHING),
    ('attention_own', RULES, 'if constexpr (has_score_mod<Rule>) s =', 'if constexpr (false) s ='),
    ('attention_own', RULES, 'if constexpr (has_mask_mod<Rule>) s =', 'if constexpr (false) s ='),
    ('attention_own', RULES, 's * ln_2, batch', 's, batch'),
    ('attention_own', RULES, ', query, key) * log2_e', ', query, key)'),
    ('attention_own', RULES, 'least(at.query, e.query_count - 1)', 'at.query'),
    ('attention_own', RULES, 'least(at.first_key + key, e.key_count - 1)', 'at.first_key + key'),
    ('attention_own', RULES, 'own_score(args.rule, s, tile.batch, at.head,', 'own_score(args.rule, s, 0, at.head,'),
    ('attention_own', RULES, 'own_score(args.rule, s, tile.batch, at.head,', 'own_score(args.rule, s, tile.batch, 0,'),
]

# Decoding: which keys a workgroup takes and where they lie.
DECODING = [
    ('attention_decode', DECODE, 'block.id_x() % args.splits.count', '0'),
    ('attention_decode', DECODE, 'block.id_x() / args.splits.count', 'block.id_x()'),
    ('attention_decode', DECODE, 'all.begin + split * share', 'split * share'),
    ('attention_decode', DECODE, 'least(first + share, end)', 'end'),
    ('attention_decode', DECODE, 'least(first + share, end), first}', 'least(first + share, end), end}'),
    ('attention_decode', DECODE, 'ceil_div(tiles, splits) * Traits::keys', 'tiles / splits * Traits::keys'),
    ('attention_decode', DECODE, 'args.rules.sink && split == 0', 'args.rules.sink'),
    ('attention_decode', DECODE, 'args.rules.sink && split == 0', 'false'),
    ('attention_decode', DECODE, 'if (args.splits.count == 1) store_groups', 'if (true) store_groups'),
    ('attention_decode', DECODE, 'pages[position / page_size]', 'position / page_size'),
    ('attention_decode', DECODE, 'position % page_size};', '0};'),
    ('attention_decode', DECODE, 'index(at.batch) * args.pages.width', '0'),
    ('attention_decode', DECODE, 'head + at.batch * s.batch +', 'head +'),
    ('attention_decode', DECODE, ' + index(at.extent.key_begin) * s.position', NOTHING),
    ('attention_decode', DECODE, 'at.head / args.group * s.head', 'at.head * s.head'),
    ('attention_decode', DECODE, 'args.v + at.first_column', 'args.v'),
    ('attention_decode', DECODE, 'args.value_dim - at.first_column', 'args.head_dim - at.first_column'),
    ('attention_decode', OPERAND, 'position < end && column', 'column'),
    ('attention_decode', OPERAND, ' && column < columns;', ';'),
    ('attention_decode', OPERAND, '{ (Transposed ? first : first_column) += int(steps); }', '{}'),
    ('attention_decode', OPERAND, '{ (Transposed ? first_column : first) += int(rows); }', '{}'),
    ('attention_decode', PACKED_GROUPS, 'p.seq_q = group, ', NOTHING),
    ('attention_decode', PACKED_GROUPS, 'p.causal = causal_kind::none, ', NOTHING),
    ('attention_decode', PACKED_GROUPS, ' && !o.sink', NOTHING),
    ('attention_decode', PACKED_GROUPS, ' && !o.bias', NOTHING),
    ('attention_decode', PACKED_GROUPS, ' && !(o.scales.q && o.scales.per_head)', NOTHING),
]

# Heads of a group in one tile: whose a row is, where it lies, and what is its own.
GROUPED = [
    ('attention_decode', TILE_ROWS, ' / std::uint32_t(heads);', ';'),
    ('attention_decode', TILE_ROWS, ' - query * heads;', ';'),
    ('attention_decode', TILE_ROWS, 'const bool next = rest >= heads', 'const bool next = rest > heads'),
    ('attention_decode', TILE_ROWS, 'return {query, head + rest};', 'return {query, head};'),
    ('attention_decode', TILE_ROWS, 'return e.query_count * heads;', 'return e.query_count;'),
    ('attention_decode', DECODE, 'index(n / of) * position', 'index(n) * position'),
    ('attention_decode', DECODE, ' + index(n % of) * head', NOTHING),
    ('attention_decode', DECODE, 'at.extent.query_count * args.tile_heads', 'at.extent.query_count'),
    ('attention_decode', DECODE, 'first = at.first_query / args.tile_heads', 'first = at.first_query'),
    ('attention_decode', DECODE, 'last - first + 1', '1'),
    ('attention_decode', DECODE, 'rows.template owner<atom>(p, j, c).head', 'rows.head'),
    ('attention_decode', BODY, 'block.id_y() * heads', 'block.id_y()'),
    ('attention_decode', BODY, 'ceil_div(args.seq_q * heads, Traits::queries)', 'ceil_div(args.seq_q, Traits::queries)'),
    ('attention_decode', STORE, 'base + index(first_query) * position', 'base'),
    ('attention_decode', STORE, ' + (of.head - first_head) * head', NOTHING),
    ('attention_decode', STORE, 'args.heads + of.head) * args.seq_q', 'args.heads) * args.seq_q'),
    ('attention_decode', SPLITS, ' * args.tile_heads + in_group', ' * args.tile_heads'),
    ('attention_decode', SPLITS, 'head - in_group, 0', 'head, 0'),
    ('attention_decode', SPLITS, 'index(query) * args.tile_heads', 'index(query)'),
    ('attention_decode', RULES, 'Rows::grouped ? at.head * args.rules.bias_head : 0', '0'),
    ('attention_decode', RULES, 'settled<Block>(s * args.scales.q[at.head])', 'settled<Block>(s * args.scales.q[0])'),
    ('attention_decode', RULES, 'lower(s, args.rules.alibi[at.head] * log2_e', 'lower(s, args.rules.alibi[0] * log2_e'),
    ('attention_decode', RULES, 'own_scales(args) ? args.scale_log2 *', 'false ? args.scale_log2 *'),
    ('attention_decode', RULES, 'bent(bends(args) || own_scales(args))', 'bent(bends(args))'),
    ('attention_decode', RULES, 'std::uint32_t(batch * args.heads + at.head)', 'std::uint32_t(batch * args.heads)'),
    ('attention_decode', ATTENTION_CALL, 'problem_.seq_q * choice_.tile_heads', 'problem_.seq_q'),
]

# Wide heads: spans of their dimensions one after the other, for each tile of keys again.
WIDE_HEADS = [
    ('attention_wide', WIDE, 'block.sync();   // nobody reads the span before', NOTHING),
    ('attention_wide', WIDE, 'block.sync();   // the span is there', NOTHING),
    ('attention_wide', WIDE, 'block.sync();   // the values are there', NOTHING),
    ('attention_wide', WIDE, 'queries.advance(-dimensions), ', NOTHING),
    ('attention_wide', WIDE, 'keys.advance(-dimensions), ', NOTHING),
    ('attention_wide', WIDE, ', keys.advance_rows(Traits::keys);', ';'),
    ('attention_wide', WIDE, 'queries.advance(Traits::span), ', NOTHING),
    ('attention_wide', WIDE, ', keys.advance(Traits::span);', ';'),
    ('attention_wide', WIDE, 'ceil_div(head_dim, Traits::span) * Traits::span', 'head_dim / Traits::span * Traits::span'),
    ('attention_wide', WIDE, 'values.advance(Traits::keys);', NOTHING),
    ('attention_wide', WIDE, 'wave::zero(block, scores);', NOTHING),
    ('attention_wide', OPERAND, 'column = first_column + ', 'column = '),
    ('attention_wide', SELECT, 'if (decode.span > 0) return true;', NOTHING),
]

COMBINATION = [
    ('attention_decode', SPLITS, ' + index(split) * args.tile_heads) * args.seq_q', ') * args.seq_q'),
    ('attention_decode', SPLITS, '(index(batch) * args.heads + head) * args.splits.count', 'index(head) * args.splits.count'),
    ('attention_decode', SPLITS, '(index(batch) * args.heads + head) * args.splits.count', 'index(batch) * args.splits.count'),
    ('attention_decode', SPLITS, 'if (query >= e.query_count) return;', NOTHING),
    ('attention_decode', SPLITS, 'largest == minus_infinity ? 0.0f : ', NOTHING),
    ('attention_decode', SPLITS, 'sum += Block::exp2(logarithms[s * next_split] - base)', 'sum += 1.0f'),
    ('attention_decode', SPLITS, 'sum == 0 ? 0.0f : ', NOTHING),
    ('attention_decode', SPLITS, 'o += Block::exp2(args.splits.logarithms[row] - base) * ', 'o += '),
    ('attention_decode', SPLITS, 'convert<out>(o * inverse)', 'convert<out>(o)'),
    ('attention_decode', SPLITS, 'index(e.output_begin + query)', 'index(query)'),
    ('attention_decode', SPLITS, '(base + Block::log2(sum)) * ln_2', 'Block::log2(sum) * ln_2'),
    ('attention_decode', SPLITS, '(base + Block::log2(sum)) * ln_2', 'base + Block::log2(sum)'),
]

SOFTMAX_STEPS = [
    ('attention', SOFTMAX, 'exp2(state.maximum - (maximum == minus_infinity ? 0.0f : maximum))', 'exp2(state.maximum - maximum)'),
    ('attention', SOFTMAX, 'base((maximum == minus_infinity ? 0.0f : maximum)', 'base(maximum'),
    ('attention', SOFTMAX, ' || atom::d_at(p.lane, c).major != 0', NOTHING),
    ('attention', SOFTMAX, 'outputs.at(p, i, j)[n * atom::lane_columns + c] *= shrink[n % 2];', ';'),
    ('attention', SOFTMAX, 'state.sum * both[0]', 'state.sum'),
    ('attention', SOFTMAX, 'state.sum += weights.total();', ';'),
    ('attention', SOFTMAX, 'wave::share_columns<atom>(block, w, largest', 'if (false) wave::share_columns<atom>(block, w, largest'),
    ('attention', STORE, 'state.sum == 0 ? 0.0f : ', NOTHING),
    ('attention', STORE, 'wave::share_columns<typename', 'if (false) wave::share_columns<typename'),
]

# Scores a tile ahead: its barriers, and what each tile must have had done to it.
SCORES_AHEAD = [
    ('attention', AHEAD, 'block_.sync();   // the last values are there', NOTHING),
    ('attention', AHEAD, 'block_.sync();   // the values are there, and nobody reads the keys', NOTHING),
    ('attention', AHEAD, 'block_.sync();   // the keys are there, and nobody reads the values', NOTHING),
    ('attention', AHEAD, 'next_keys();\n        block_.sync();', 'next_keys();'),
    ('attention', AHEAD, 'block_.sync();\n        walk_.keys.store', 'walk_.keys.store'),
    ('attention', AHEAD, 'block_.sync();\n        units_.read_keys(block_, 0);\n        pieces_', 'units_.read_keys(block_, 0);\n        pieces_'),
    ('attention', AHEAD, 'softmax_tile(block_, scores_[0], walk_.out, walk_.states, scale_log2_);', ';'),
    ('attention', AHEAD, 'walk_.product.weigh(block_, walk_.out, scores_[0]);', ';'),
    ('attention', AHEAD, 'scores_[0]);\n        next_values();', 'scores_[0]);'),
    ('attention', AHEAD, 'wave::zero(block_, scores_[1 - Now]);', ';'),
    ('attention', AHEAD, 'if (places::row(i) == u) pieces_.shrink_row(block_, walk_.out, i);', ';'),
    ('attention', PIECES, 'if (n == pair_count - 1) states', 'if (false) states'),
    ('attention', AHEAD, 'if (u == units::weighing - 2) pieces_.find_maximum', 'if (false) pieces_.find_maximum'),
    ('attention', AHEAD, 'if (u == units::weighing - 1) pieces_.share_maximum', 'if (false) pieces_.share_maximum'),
    ('attention', AHEAD, 'int odd = tiles - 1 + tiles % 2', 'int odd = tiles'),
    ('attention', AHEAD, 'if (odd < 3) return 0;', NOTHING),
    ('attention', AHEAD, 'return odd;', 'return tiles;'),
]

# Maxima that move late: which do, what shrinks with them, and every tile once.
STEADY_MAXIMA = [
    ('attention_steady', STEADY, 'while (!pieces_.must_move(block_, walk_.states, scale_log2_))', 'while (true)'),
    ('attention_steady', STEADY, 'if (--tiles == 0) return;', 'if (--tiles <= 1) return;'),
    ('attention_steady', STEADY, 'pieces_.find_maximum(block_, scores_);', ';'),
    ('attention_steady', STEADY, 'weigh();\n                if', 'if'),
    ('attention_steady', PIECES, 'share_maximum(block);\n        each_column', 'each_column'),
    ('attention_steady', PIECES, 'passes(largest, state, scale_log2) ? turn_to<Block>(state, largest, scale_log2)', 'true ? vec<float, 2>{1, 1}'),
    ('attention_steady', PIECES, '++i) shrink_row(block, outputs, i);', '++i) ;'),
    ('attention_steady', PIECES, 'state.maximum + 8', 'state.maximum + 800'),
    ('attention_steady', SOFTMAX, 'n == 0 ? weights : ', NOTHING),
    ('attention_steady', BODY, 'key += traits::keys * tiles;', ';'),
]

HOST = [
    ('attention_host', PANELS, 'least(args.tile_queries, extent_.query_count - first_query)', 'args.tile_queries'),
    ('attention_host', PANELS, 'if (rows_ <= 0) return;', NOTHING),
    ('attention_host', PANELS, 'most<index>(from - args_.left, 0)', '0'),
    ('attention_host', PANELS, 'most<index>(from - args_.left, 0)', 'from - args_.left'),
    ('attention_host', PANELS, 'least<index>(to + args_.right + 1, extent_.key_count)', 'extent_.key_count'),
    ('attention_host', PANELS, 'least<index>(to + args_.right + 1, extent_.key_count)', 'to + args_.right + 1'),
    ('attention_host', PANELS, 'least(Traits::keys, all.end - key)', 'Traits::keys'),
    ('attention_host', PANELS, 'clear(weights, 0, first), ', NOTHING),
    ('attention_host', PANELS, ', clear(weights, last, count);', ';'),
    ('attention_host', PANELS, 'std::fill(s + first, s + begin, minus_infinity), ', NOTHING),
    ('attention_host', PANELS, ', std::fill(s + end, s + last, minus_infinity);', ';'),
    ('attention_host', PANELS, 'return clear(weights, 0, count);', 'return;'),
    ('attention_host', PANELS, 'most(seen.begin - key, 0) / Traits::panel * Traits::panel', 'most(seen.begin - key, 0)'),
    ('attention_host', PANELS, 'weights_of(scores_) + first / pack', 'weights_of(scores_)'),
    ('attention_host', PANELS, 'key / pack * Traits::panel', '0'),
    ('attention_host', PANELS, 'args_.k_strides, args_.head_dim, key + first', 'args_.k_strides, args_.head_dim, key'),
    ('attention_host', PANELS, 's + first, key + first, end - first);', 's + first, key, end - first);'),
    ('attention_host', PANELS, 'tiles - 1 - block.id_x()', 'tiles - block.id_x()'),
    ('attention_host', PANELS, 'row_elements / (ceil_div<index>(width, panel) * panel)', 'row_elements'),
    ('attention_host', PANELS, ' || scale_ == 0', NOTHING),
    ('attention_host', PANELS, 'if (shrink != 1.0f) ', 'if (false) '),
    ('attention_host', CPU_SOFTMAX, 'state->sum *= shrink;', NOTHING),
    ('attention_host', PANELS, 'if (args_.rules.drop_below) drop(', 'if (false) drop('),
    ('attention_host', PANELS, '0.0f : s[i] * r.keep_scale', '0.0f : s[i]'),
    ('attention_host', PANELS, 'args.rules.alibi ? args.rules.alibi[head] * log2_e : 0.0f', '0.0f'),
    ('attention_host', PANELS, 'args_.rules.sink ? args_.rules.sink[head_] * log2_e : minus_infinity', 'minus_infinity'),
    ('attention_host', PANELS, 'sink == minus_infinity ? 0.0f : 1.0f', '0.0f'),
    ('attention_host', PANELS, 'state.sum == 0 ? 0.0f : ', NOTHING),
    ('attention_host', PANELS, 'head_ / args_.group * s.head', 'head_ * s.head'),
    ('attention_host', PANELS, 'if (!args_.pages.table) return', 'return'),
    ('attention_host', PANELS, 'if (args_.rules.bias_query >= 0) add_bias', 'if (false) add_bias'),
    ('attention_host', PANELS, 'log2_e * bias[i]', 'bias[i]'),
    ('attention_host', PANELS, ' + batch_ * args_.rules.bias_batch', NOTHING),
    ('attention_host', PANELS, ' + head_ * args_.rules.bias_head', NOTHING),
    ('attention_host', PANELS, 'index(query) * args_.rules.bias_query', '0'),
    ('attention_host', PANELS, 'bent_ ? 1.0f : scale_', 'scale_'),
    ('attention_host', PANELS, 'scale_at(args_.scales.v, head_ / args_.group * args_.scales.step)', '1.0f'),
    ('attention_host', PANELS, 'head_ / args_.group * args_.scales.step', 'head_ * args_.scales.step'),
    ('attention_host', PANELS, 's[i] = own_score(', 'own_score('),
    ('attention_host', PANELS, 'batch_, head_, first_ + row, key + i)', 'batch_, head_, row, key + i)'),
    ('attention_host', PANELS, 'batch_, head_, first_ + row, key + i)', 'batch_, head_, first_ + row, i)'),
    ('attention_host', PANELS, 'args_.v_strides, args_.value_dim', 'args_.v_strides, args_.head_dim'),
    ('attention_host', PANELS, ', 1, args_.output_dim)', ', 1, args_.head_dim)'),
]

# Four waves that share a matrix unit: rings of copies, and products that run beside the softmax.
BY_GROUP = [
    ('attention_group', GROUP_WALK, 'block.template wait_async<Traits::stages - 1>();\n        block.sync();', 'block.template wait_async<Traits::stages - 1>();'),
    ('attention_group', GROUP_WALK, 'block.template wait_async<Traits::stages - 1>();', NOTHING),
    ('attention_group', GROUP_WALK, 'block.template wait_async<Traits::stages - 2>();\n        block.sync();', 'block.template wait_async<Traits::stages - 2>();'),
    ('attention_group', GROUP_WALK, 'block.template wait_async<Traits::stages - 2>();', 'block.template wait_async<Traits::stages - 1>();'),
    ('attention_group', GROUP_WALK, 'copy_keys(block, n + Traits::stages - 1)', 'copy_keys(block, n + Traits::stages - 2)'),
    ('attention_group', GROUP_WALK, 'copy_values(block, n + Traits::stages - 2)', 'copy_values(block, n + Traits::stages - 1)'),
    ('attention_group', GROUP_WALK, 'block::finish_products<1>(block, scores_);', NOTHING),
    ('attention_group', GROUP_WALK, 'block::finish_products<0>(block, scores_);', NOTHING),
    ('attention_group', GROUP_WALK, 'block::finish_products<0>(block, out);\n        FADE_UNROLL', 'FADE_UNROLL'),
    ('attention_group', GROUP_WALK, 'weigh(block, n - 1);', 'weigh(block, n);'),
    ('attention_group', GROUP_WALK, 'weigh(block, n);', 'weigh(block, n + 1);'),
    ('attention_group', GROUP_WALK, 'pieces_.shrink_row(block, out, i);', ';'),
    ('attention_group', GROUP_BODY, 'most(range.begin, least(range.end, all.full_end))', 'range.end'),
    ('attention_group', GROUP_BODY, 'for (; n < full; ++n) walk.step(block, n, inside);', 'for (; n < tiles; ++n) walk.step(block, n, inside);'),
    ('attention_group', GROUP_BODY, 'mask_scores(block, scores, args, task.at.extent, key, task.rows);', ';'),
    ('attention_group', GROUP_BODY, 'task.range.full_end = range.begin;', NOTHING),
    ('attention_group', GROUP_BODY, 'walk.soften(block, head.factor());', 'walk.soften(block, head.scale);'),
    ('attention_group', GROUP_BODY, 'rule_weights(block, scores, args, task.at, task.rows, head, key);', ';'),
    ('attention_group', GROUP_BODY, 'if (args.rules.sink && split == 0) count_sinks', 'if (args.rules.sink) count_sinks'),
    ('attention_group', GROUP_BODY, 'walk, scale_of(args, task.at.head), has_queries', 'walk, args.scale_log2, has_queries'),
    ('attention_group', GROUP_BODY, 'w.wave * task.rows.wave_queries < task.rows.count', 'w.wave * task.rows.wave_queries < 0 * task.rows.count'),
    ('attention_group', GROUP_BODY, 'if (only_masks(args)) walk', 'if (true) walk'),
    ('attention_group', SPANS, 'lane.there && position < end_', 'position < end_'),
    ('attention_group', SPANS, 'lane.there && position < end_', 'lane.there'),
    ('attention_group', SPANS, 'next_ += Layout::depth;\n        finder_.look(block, rows_, next_, end_);', 'next_ += Layout::depth;'),
    ('attention_group', SPANS, 'next_ += Layout::depth;', NOTHING),
    ('attention_group', SPANS, 'p.lane / WaveRows * AtOnce', '0'),
    ('attention_group', SPANS, 'next + p.wave * WaveRows', 'next'),
    ('attention_group', SPANS, 'from + lane.column', 'from'),
    ('attention_group', CHAINED, 'from[c + atom::lane_columns]', 'from[c]'),
    ('attention_group', CHAINED, 's * in_step + i, 0)', 's * in_step, 0)'),
]

# What only a CPU with AVX512_BF16 does: weights in packs. And what AVX-512 has of its own for the softmax.
HOST_PACKS = [
    ('attention_host', PANELS, 'weights_of(s) + first / pack;', 'weights_of(s) + first;'),
    ('attention_host', PANELS, 'values_ + column * (Traits::keys / pack)', 'values_ + column * (Traits::keys / 4)'),
    ('attention_host', PANELS, 'ceil_div(elements, pack)', 'elements / pack'),
    ('attention_host', PANELS, 'if (!args_.rules.drop_below) atom', 'if (true) atom'),
    ('attention_host', SOFTEN, 'sum += x, others += y;', 'sum += x;'),
    ('attention_host', SOFTEN, 'sum += others;', NOTHING),
    ('attention_host', SOFTEN, 'x -= n;', NOTHING),
    ('attention_host', SOFTEN, 'vcvtne2ps2bf16 {%1, %2, %0|%0, %2, %1}', 'vcvtne2ps2bf16 {%2, %1, %0|%0, %1, %2}'),
    ('attention_host', SOFTEN, 'put_weights(to + i / 2, x, y);', 'put_weights(to + i, x, y);'),
]

GROUPS = {'attention-group': BY_GROUP, 'attention-barriers': BARRIERS, 'attention-ranges': RANGES, 'attention-bounds': BOUNDS, 'attention-features': FEATURES,
          'attention-tensors': TENSORS, 'attention-own': OWN_RULES, 'attention-decode': DECODING, 'attention-groups': GROUPED, 'attention-wide': WIDE_HEADS,
          'attention-combine': COMBINATION, 'attention-softmax': SOFTMAX_STEPS, 'attention-ahead': SCORES_AHEAD, 'attention-steady': STEADY_MAXIMA, 'attention-host': HOST, 'attention-host-packs': HOST_PACKS}
