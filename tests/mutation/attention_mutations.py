"""What is broken in attention: (program that must fail, header, text, what it becomes), as in mutations.py."""
BODY, PRODUCTS, RULES, SOFTMAX = (f'kernel/attention/{name}.hpp' for name in ('body', 'products', 'rules', 'softmax'))
STORE, ARGUMENTS, GATHER, PANELS = (f'kernel/attention/{name}.hpp' for name in ('store', 'arguments', 'gather', 'panels'))
OPERAND = 'block/operand.hpp'
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
    ('attention', BODY, 'most<index>(index(last) - args.left, 0)', '0'),
    ('attention', BODY, 'index(last) + args.right + 1', 'index(last) + args.right'),
    ('attention', BODY, 'index(first) + args.right + 1', 'index(last) + args.right + 1'),
    ('attention', BODY, 'full / Traits::keys * Traits::keys', 'full'),
    ('attention', BODY, 'key >= full_begin && ', NOTHING),
    ('attention', BODY, ' && key + keys <= full_end', NOTHING),
    ('attention', BODY, 'if (!range.full(key, traits::keys)) mask_scores', 'if (false) mask_scores'),
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
    ('attention', STORE, 'exists && column < args.output_dim ?', 'column < args.output_dim ?'),
    ('attention', STORE, 'exists && column < args.output_dim ?', 'exists ?'),
    ('attention', STORE, 'args.lse && exists && ', 'args.lse && '),
    ('attention', ARGUMENTS, 'if (args.bottom_right) e.last = e.key_count - e.query_count;', NOTHING),
    ('attention', ARGUMENTS, 'if (!args.packed_k) e.key_begin = 0;', NOTHING),
    ('attention', ARGUMENTS, 'args.packed_q ? e.output_begin : 0', 'e.output_begin'),
    ('attention', GATHER, 'column < a.head_dim ? gathered_row', 'true ? gathered_row'),
    ('attention', GATHER, 'least<index>(gather_rows, index(length) * a.heads - first)', 'gather_rows'),
    ('attention', GATHER, '(a.lengths ? a.lengths[batch] : 0)', '0'),
    ('attention', GATHER, 'page * a.batch_stride', '0 * a.batch_stride'),
]

FEATURES = [
    ('attention', BODY, 'args.rules.alibi ? args.rules.alibi[at.head] * log2_e : 0.0f', '0.0f'),
    ('attention', BODY, 'args.rules.sink ? args.rules.sink[at.head] * log2_e : minus_infinity', 'minus_infinity'),
    ('attention', BODY, 'if (args.rules.drop_below) drop_weights', 'if (false) drop_weights'),
    ('attention', BODY, 'if (bent) bend_scores', 'if (false) bend_scores'),
    ('attention', RULES, 'args.rules.softcap > 0 || ', NOTHING),
    ('attention', RULES, ' || args.scale_log2 < 0', NOTHING),
    ('attention', RULES, 's = settled<Block>(s * args.scale_log2);', ';'),
    ('attention', RULES, '__builtin_fabsf(', '('),
    ('attention', RULES, 'at.first_key - at.query - e.last', 'at.first_key - at.query'),
    ('attention', RULES, '0.0f : w * r.keep_scale', '0.0f : w'),
    ('attention', RULES, 'drawn < r.drop_below ? 0.0f', 'drawn < r.drop_below ? w'),
    ('attention', RULES, 'weight_block(r.seed, r.offset, layer', 'weight_block(r.seed, 0, layer'),
    ('attention', RULES, 'if (!aligned || key % 4 == 0) random', 'if (key == 0) random'),
]

SOFTMAX_STEPS = [
    ('attention', SOFTMAX, 'base = maximum == minus_infinity ? 0.0f : maximum', 'base = maximum'),
    ('attention', SOFTMAX, ' || atom::d_at(p.lane, c).major != 0', NOTHING),
    ('attention', SOFTMAX, 'outputs.at(p, i, j)[g] *= shrink;', ';'),
    ('attention', SOFTMAX, 'state.sum * shrink', 'state.sum'),
    ('attention', SOFTMAX, 'wave::share_columns<atom>(block, w, out', 'if (false) wave::share_columns<atom>(block, w, out'),
    ('attention', STORE, 'state.sum == 0 ? 0.0f : ', NOTHING),
    ('attention', STORE, 'wave::share_columns<typename', 'if (false) wave::share_columns<typename'),
]

HOST = [
    ('attention_host', PANELS, 'least(args.tile_queries, extent_.query_count - first_query)', 'args.tile_queries'),
    ('attention_host', PANELS, 'if (rows_ <= 0) return;', NOTHING),
    ('attention_host', PANELS, 'most<index>(from - args_.left, 0)', '0'),
    ('attention_host', PANELS, 'most<index>(from - args_.left, 0)', 'from - args_.left'),
    ('attention_host', PANELS, 'least<index>(to + args_.right + 1, extent_.key_count)', 'extent_.key_count'),
    ('attention_host', PANELS, 'least<index>(to + args_.right + 1, extent_.key_count)', 'to + args_.right + 1'),
    ('attention_host', PANELS, 'least(Traits::keys, all.end - key)', 'Traits::keys'),
    ('attention_host', PANELS, 'std::memset(s, 0, sizeof(float) * std::size_t(begin)), ', NOTHING),
    ('attention_host', PANELS, ', std::memset(s + end, 0, sizeof(float) * std::size_t(count - end))', NOTHING),
    ('attention_host', PANELS, 'if (shrink != 1.0f) ', 'if (false) '),
    ('attention_host', PANELS, 'sums_[row] * shrink', 'sums_[row]'),
    ('attention_host', PANELS, 'if (args_.rules.drop_below) drop(', 'if (false) drop('),
    ('attention_host', PANELS, '0.0f : s[i] * r.keep_scale', '0.0f : s[i]'),
    ('attention_host', PANELS, 'args.rules.alibi ? args.rules.alibi[head] * log2_e : 0.0f', '0.0f'),
    ('attention_host', PANELS, 'args_.rules.sink ? args_.rules.sink[head_] * log2_e : minus_infinity', 'minus_infinity'),
    ('attention_host', PANELS, 'sink == minus_infinity ? 0.0f : 1.0f', '0.0f'),
    ('attention_host', PANELS, 'sums_[row] == 0 ? 0.0f : ', NOTHING),
    ('attention_host', PANELS, 'head_ / args_.group * s.head', 'head_ * s.head'),
    ('attention_host', PANELS, 'if (!args_.pages.table) return', 'return'),
]

GROUPS = {'attention-barriers': BARRIERS, 'attention-ranges': RANGES, 'attention-bounds': BOUNDS, 'attention-features': FEATURES,
          'attention-softmax': SOFTMAX_STEPS, 'attention-host': HOST}
