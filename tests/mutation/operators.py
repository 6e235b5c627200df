"""Edits that find their places themselves: each operator is a kind of mistake, and finds all places where it can be made.

An edit is (programs, header, place, length, what stands there instead, operator). It is noticed where one of the programs, which
exercise the header, fails.
"""
import re
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / 'include' / 'fade'

# What exercises a header; the first that begins with the prefix. Each program is tried until one fails.
ATTENTION = ['attention', 'attention_decode', 'attention_large', 'attention_ahead', 'attention_group']
ROWS = ['rows_host', 'rows']
PROGRAMS = {
    'kernel/gemm/panels.hpp': ['host'], 'kernel/gemm/finish.hpp': ['host'], 'kernel/gemm/ring.hpp': ['ring', 'stream_k'], 'kernel/gemm/combine.hpp': ['combine', 'gemm', 'stream_k'], 'kernel/gemm/combine_gated.hpp': ['gated'],
    'block/schedule/shared_tail.hpp': ['unit/gemm/shared_tail'], 'kernel/gemm/combine_tail.hpp': ['unit/gemm/shared_tail'], 'kernel/gemm/combine_fours.hpp': ['unit/gemm/shared_tail', 'unit/gemm/cluster_k'],
    'kernel/gemm/tma_cluster.hpp': ['clusters', 'unit/gemm/cluster_k'], 'block/box/cluster_sums.hpp': ['clusters', 'unit/gemm/cluster_k'], 'block/schedule/cluster.hpp': ['clusters'], 'kernel/gemm/tma_producer.hpp': ['boxes', 'clusters', 'scaled'],
    'kernel/gemm/tma_traits.hpp': ['clusters', 'boxes', 'gated_boxes', 'scaled', 'unit/gemm/cluster_k'], 'kernel/gemm/tma_': ['boxes', 'gated_boxes', 'scaled'], 'kernel/gemm/boxes.hpp': ['boxes'], 'block/box/': ['boxes', 'gated_boxes', 'conv_boxes', 'grouped'], 'block/roles.hpp': ['parts', 'boxes'],
    'block/schedule/persistent.hpp': ['parts', 'boxes'], 'block/schedule/split.hpp': ['gemm', 'attention_decode'], 'block/schedule/combine.hpp': ['combine', 'gemm'], 'block/schedule/stream_k.hpp': ['stream_k'], 'block/schedule/grid_order.hpp': ['parts', 'gemm', 'boxes'], 'block/schedule/grouped.hpp': ['grouped'], 'block/schedule/persistent_groups.hpp': ['grouped'], 'block/schedule/': ['gemm', 'boxes'],
    'kernel/gemm/store.hpp': ['gemm'], 'kernel/gemm/body.hpp': ['gemm', 'ring'],
    'kernel/conv/panels.hpp': ['conv_host'], 'kernel/conv/folded.hpp': ['conv_folded', 'unit/conv/folding'], 'kernel/conv/fft': ['unit/conv/fft'], 'kernel/conv/body.hpp': ['conv_oblong', 'conv_tables', 'conv'], 'kernel/conv/direct': ['conv', 'conv_host'], 'kernel/conv/im2col.hpp': ['conv_by', 'unit/conv/im2col'], 'kernel/conv/mec.hpp': ['mec'], 'kernel/conv/columns.hpp': ['mec', 'unit/conv/mec'], 'kernel/conv/winograd': ['conv_by', 'unit/conv/winograd'], 'block/source/strided.hpp': ['gemm', 'attention_decode'],
    **{f'block/source/{name}.hpp': ['attention_decode', 'append'] for name in ('gathered', 'gqa', 'paged', 'rows')},
    'kernel/gemm/sliced_k.hpp': ['sliced'], 'wave/memory_reader.hpp': ['sliced'], 'block/sliced_k/weights.hpp': ['weights'], 'block/sliced_k/ring.hpp': ['weights'], 'block/sliced_k/': ['sliced'],
    'kernel/weights/body.hpp': ['weights'], 'kernel/weights/stream.hpp': ['weights'], 'block/weights/': ['weights'], 'block/weight_stream/': ['weights'], 'kernel/scaled/body.hpp': ['scaled'], 'block/source/line_scales.hpp': ['scaled'], 'block/source/scaled_lines.hpp': ['scaled'],
    'block/source/pixel_table.hpp': ['conv_tables'], 'block/source/listed.hpp': ['grouped'], 'block/source/': ['conv', 'conv_tables', 'conv_host'], 'backend/runs.hpp': ['conv', 'conv_host'], 'block/table_words.hpp': ['conv_tables'],
    'kernel/kv_cache/memory.hpp': ['append', 'append_refusals'], 'kernel/kv_cache/append.hpp': ['append'], 'kernel/quantize/quantize.hpp': ['quantize'], **{name: ['quantize', 'unit/attention/quantize'] for name in ('kernel/quantize/rows.hpp', 'core/number/quotient.hpp', 'atom/cpu/quantize.hpp')},
    'atom/cpu/vector.hpp': ['unit/atom/narrow_numbers'],
    'kernel/attention/panels.hpp': ['attention_host'], 'kernel/attention/rules.hpp': ['attention_own', *ATTENTION], 'block/chain/': ATTENTION,
    'kernel/attention/body.hpp': ATTENTION, 'kernel/attention/softmax': ATTENTION, 'kernel/attention/store': ATTENTION,
    'kernel/attention/decode/body.hpp': ['attention_decode'], 'kernel/attention/decode/splits.hpp': ['combine', 'attention_decode'], 'kernel/attention/operands.hpp': ATTENTION,
    'kernel/attention/software_pipeline.hpp': ['attention_ahead', 'attention_large', 'attention'], 'kernel/attention/warpgroup': ['attention_group'],
    'kernel/attention/decode/wide.hpp': ['attention_wide'],
    **{name: ['unit/rows/sm_90a'] for name in ('kernel/rows/norm_gradient_parts.hpp', 'block/row/split/')},
    **{f'kernel/rows/{name}.hpp': ROWS for name in ('body', 'columns', 'cross_entropy', 'layer_norm', 'narrow_rows', 'norm_gradient', 'reduce', 'rms_norm', 'softmax', 'top_k_columns')},
    'block/row/rotate.hpp': ['rotary'], 'kernel/rows/rotary.hpp': ['rotary'], 'block/row/cpu_row.hpp': ['rows_host'], 'block/row/cpu_operand.hpp': ['rows_host'], 'block/row/cpu_folds.hpp': ['rows_host'], 'block/row/candidate_list.hpp': ['rows', 'unit/rows/sm_90a'], 'block/row/strip.hpp': ROWS, 'block/row/': ['rows', 'rows_host'], 'wave/fold_lanes.hpp': ['rows'],
    'block/ranges.hpp': ['unit/block/ranges', 'append', 'quantize', 'combine', 'conv'], 'block/lane_groups.hpp': ['unit/block/ranges', 'combine', 'rows', 'attention_decode'], 'block/reduce_lanes.hpp': ['unit/block/ranges', 'append'], 'block/result/in_steps.hpp': ['gemm'], 'block/result/each_result.hpp': ['gemm', 'gated'], 'kernel/gemm/gate.hpp': ['gated'], 'backend/raise.hpp': ['gated'],
    'device/image/': ['image', 'unit/image/refusals'], **{f'kernel/{name}/': ['image', 'unit/image/refusals'] for name in ('image', 'pool', 'sample', 'batch_norm')},
    **{f'kernel/{of}/check.hpp': [f'unit/{unit}/refusals', *more] for of, unit, more in (('moe', 'moe', ['moe']), ('scaled', 'scaled', ['scaled']), ('weights', 'weight_gemm', ['weights']), ('optimizer', 'optimizer', ['optimizer']), ('image', 'image', ['image']), ('pool', 'image', ['image']), ('sample', 'image', ['image']), ('batch_norm', 'image', ['image']))},
    'kernel/moe/': ['moe', 'unit/moe/refusals'], 'device/moe_call.hpp': ['moe', 'unit/moe/refusals'],
    'kernel/grouped/check.hpp': ['unit/grouped/tables', 'grouped'], 'kernel/grouped/along_k_boxes.hpp': ['unit/grouped/along_k'], 'kernel/grouped/': ['grouped', 'unit/grouped/boxes'], 'device/grouped_call.hpp': ['unit/grouped/tables', 'grouped', 'unit/grouped/boxes'], 'tune/grouped/': ['grouped', 'unit/grouped/boxes'],
    'kernel/optimizer/': ['optimizer', 'unit/optimizer/refusals'], 'device/optimizer_call.hpp': ['optimizer', 'unit/optimizer/refusals'],
    'kernel/scaled/': ['scaled', 'unit/scaled/refusals'], 'device/scaled_call.hpp': ['scaled', 'unit/scaled/refusals', 'unit/scaled/sm_90a'], 'tune/scaled/': ['scaled'],
    'kernel/weights/': ['weights', 'unit/weight_gemm/refusals'], 'device/weight_call.hpp': ['weights', 'unit/weight_gemm/refusals', 'unit/weight_gemm/formats'], 'core/weights/': ['weights', 'unit/weight_gemm/formats'],
    'kernel/rows/rotary_problem.hpp': ['rotary'], 'device/rotary_call.hpp': ['rotary', 'unit/rows/plan'], 'kernel/rows/': ['unit/rows/refusals', 'rows'],
    **{f'device/{name}_call.hpp': ['unit/rows/plan', 'rows', 'unit/rows/refusals'] for name in ('row', 'column', 'norm_gradient', 'top_k_columns')},
    'device/quantize_call.hpp': ['quantize', 'quantize_refusals'], 'kernel/quantize/': ['quantize_refusals', 'quantize'],
    'device/append_call.hpp': ['append', 'append_refusals'], 'kernel/kv_cache/': ['append_refusals', 'append'],
    'kernel/gemm/check.hpp': ['refused_sizes', 'refused_stages', 'unit/refusals/operands', 'unit/refusals/far_apart'], 'device/gemm_call.hpp': ['gemm', 'gated', 'refused_sizes', 'unit/refusals/operands', 'unit/gemm/flat_nvidia', 'unit/gemm/stream_k'], 'device/gemm_arguments.hpp': ['gemm', 'stream_k'],
    'device/conv/fft.hpp': ['unit/conv/fft'], 'device/conv/transformed.hpp': ['conv_by', 'unit/conv/winograd', 'unit/conv/fft'],
    'device/conv/winograd.hpp': ['conv_by', 'unit/conv/winograd'], 'device/conv/im2col.hpp': ['conv_by', 'unit/conv/im2col'], 'device/conv/mec.hpp': ['mec'], 'device/conv/reshaped.hpp': ['mec', 'conv_folded', 'conv'], 'device/conv/direct.hpp': ['conv', 'conv_host'],
    'device/conv/': ['conv', 'conv_by', 'conv_boxes', 'unit/refusals/conv'], 'kernel/conv/check.hpp': ['unit/refusals/conv', 'conv'], 'kernel/conv/boxes.hpp': ['conv_boxes'], 'kernel/conv/': ['conv_by', 'conv_boxes', 'conv', 'unit/refusals/conv'],
    'block/copy.hpp': ['gemm', 'conv_tables', 'attention_narrow', 'attention_own'], 'block/pipeline.hpp': ['gemm', 'conv_tables'], 'block/read_ahead.hpp': ['gemm'], 'block/rows_ahead.hpp': ['rows_ahead'], 'block/patch.hpp': ['gemm'], 'block/mma.hpp': ['gemm'],
    'block/shared_layout.hpp': ['gemm'], 'block/async_copy.hpp': ['ring'], 'block/warpgroup.hpp': ['warpgroup'], 'block/tile/warpgroup.hpp': ['units', 'unit/tile/pipeline'], 'block/tile/stream.hpp': ['units'], 'block/tile/place.hpp': ['units', 'verbs', 'rings'], 'block/tile/': ['verbs', 'rings'], 'epilogue/memory.hpp': ['gemm', 'parts', 'refused_stages'], 'epilogue/part.hpp': ['conv_by'], **{f'epilogue/{name}.hpp': ['gated'] for name in ('gate', 'row', 'amax', 'quantize_to', 'any_gated_chain')}, 'epilogue/gated.hpp': ['parts', 'gated'], 'epilogue/': ['gemm', 'parts', 'refused_stages']}

# Tests that know more of a header than those programs, and cost more: tried last.
UNITS = {
    'kernel/attention/panels.hpp': ['attention/host'], 'kernel/attention/warpgroup': ['attention/sm_90a'], 'kernel/attention/': ['attention/gfx1100'], 'block/chain/': ['attention/gfx1100'],
    'kernel/conv/check.hpp': [], 'kernel/conv/': ['conv/host', 'conv/gfx942'], 'device/conv/': ['refusals/conv', 'conv/host', 'conv/gfx942'], 'block/source/line_scales.hpp': ['scaled/gfx942', 'scaled/host'], 'block/source/scaled_lines.hpp': ['scaled/host'],
    **{f'block/source/{name}.hpp': [] for name in ('gathered', 'gqa', 'paged', 'rows', 'listed', 'strided')}, 'block/source/pixel_walk.hpp': ['conv/gfx908'], 'block/source/': ['conv/host', 'conv/gfx942'],
    'kernel/gemm/check.hpp': [], 'kernel/gemm/panels.hpp': ['gemm/host_packs'], 'kernel/gemm/finish.hpp': ['gemm/host_packs'], 'kernel/gemm/tma_': ['gemm/flat_nvidia'], 'block/box/': ['gemm/flat_nvidia'],
    **{prefix: ['gemm/skinny_amd'] for prefix in ('kernel/gemm/sliced_k.hpp', 'block/sliced_k/', 'wave/memory_reader.hpp')}, 'kernel/gemm/': ['gemm/passed_policy'], 'epilogue/': ['gemm/passed_policy'],
    'kernel/rows/rotary': [], 'device/norm_gradient_call.hpp': ['rows/sm_90a'], 'kernel/rows/': ['rows/host', 'rows/sm_90a'], 'block/row/': ['rows/host', 'rows/sm_90a'], 'block/tile/': ['tile/verbs', 'tile/pipeline'],
    'kernel/weights/': ['weight_gemm/sm_90a'], 'block/weights/': ['weight_gemm/sm_90a'], 'kernel/scaled/': ['scaled/gfx942', 'scaled/host'], 'kernel/moe/': ['moe/gfx942'], 'device/moe_call.hpp': ['moe/gfx942'],
    'kernel/kv_cache/': ['attention/append'], 'device/append_call.hpp': ['attention/append'], 'kernel/optimizer/': ['optimizer/host'],
    **{prefix: ['image/gfx942'] for prefix in ('device/image/', 'kernel/image/', 'kernel/pool/', 'kernel/sample/', 'kernel/batch_norm/')}}

# The pattern of a place, and what it becomes; \\g<...> as in re. What a place is called is what somebody forgot there.
NAME = r'[\w.]+(?:\(\))?'
OPERATORS = {
    'barrier': [(r'\b(?:block_?|block\(\))\.(?:template )?(?:sync|fence|meet\w*|leave_cluster|await_\w+|wait_\w+|commit_\w+|arrive\w*)(?:<[^<>;]*>)?\([^()]*\);', ';')],
    'bound': [(rf'\bmin_of(?:<\w+>)?\((?P<a>{NAME}(?: [-+*/] {NAME})*), (?P<b>{NAME}(?: [-+*/] {NAME})*)\)', r'(\g<b>)'),
              (rf'(?P<a>{NAME}) < (?P<b>{NAME})(?= (?:&|\?)|\))', r'\g<a> <= \g<b>'),
              (rf'\((?P<a>{NAME} [<>=]=? {NAME}) &&? ', '(')],
    'tail': [(rf'\bif \((?P<c>{NAME} (?:[<>!=]=?|%) [^()]*)\) (?P<s>[^{{}};]*;)', r'\g<s>'),
             (rf'\bif \({NAME} (?:[<>!=]=?|%) [^()]*\) [^{{}};]*;', ';')],
    'flag': [(r'\bif constexpr \((?P<c>[\w.:]+)\)', r'if constexpr (!\g<c>)'), (r'\? (?P<a>[\w.]+) : (?P<b>[\w.]+)(?=[;,)])', r'? \g<b> : \g<a>')],
    'swap': [(r'\.rows\b', '.columns'), (r'\.columns\b', '.rows'), (r'(?<=\w)\.m\b(?!\()', '.n'), (r'(?<=\w)\.n\b(?!\()', '.m'),
             (r'\brow, column\b', 'column, row')],
    'shift': [(r' \+ 1\b(?!\.)', ''), (r' - 1\b(?!\.)', ''), (r'(?<=[\w)]) \+ (?=[\w(])', ' - '), (r' \* (?=[a-z])', ' + ')],
}
# A barrier where none was needed changes no result.
MORE_BARRIERS = re.compile(r'block_?\.(?:sync|meet\w*|wait_\w+)\b')
# Neither what is asked for ahead of its use, nor what instructions cost, is part of a result.
NO_PLACE = re.compile(r'[^;{}\n]*\bprefetch\w*(?:<[^<>]*>)?\([^;]*;|\binstruction_mix mix\w*\{[^;]*;|//[^\n]*|"(?:\\.|[^"\\\n])*"|#[^\n]*|static_assert\([^;]*;|\btemplate <[^;{]*?>\n|requires[^;{]*?\n', re.S)


# Edits that change no result, and why: (header, what stands around the place on its line, what it becomes). Each edit of a line
# may do so where another choice is slower, or asks for more, and is right.
ANY = None
EQUAL = {
    ('kernel/attention/body.hpp', 'if constexpr (Keys::scattered) fence_scores', 'if constexpr (!Keys::scattered)'): 'a fence for a compiler\'s scheduler',
    ('kernel/attention/software_pipeline.hpp', 'if (n < early) return max_of(', 'n <= early'): 'where a piece stands among products changes no number',
    ('kernel/attention/store.hpp', 'index(rows / heads - 1) * position', ''): 'an end that lies further checks less, and moves nothing',
    ('epilogue/math.hpp', 'return x < 0 ? -y : y;', 'x <= 0'): 'y is 0 there, to the last bit that gelu keeps',
    ('block/chain/tile_rows.hpp', 'if (atom::d_at(lane, c).minor != atom::d_at(lane, 0).minor + c)', ' - '): 'the query of each row is kept then',
    ('kernel/attention/panels.hpp', 'if (begin >= end) return clear(', ';'): 'scores that no query sees are forbidden one by one: zeros, later',
    ('block/row/cpu_operand.hpp', 'if (count < N) std::memset(', 'count <= N'): 'a whole run overwrites the zeros',
    ('block/row/cpu_operand.hpp', 'if (count < N) std::memset(', 'std::memset(static_cast<void*>(&out), 0, sizeof out);'): 'a whole run overwrites the zeros',
    ('kernel/gemm/boxes.hpp', 'if (cluster == 1) out.unused', ';'): 'emulation alone spoils what nobody brings',
    ('device/scaled_call.hpp', 'const index columns = policy.block_tile.n', '.m'): 'that tile is square',
    ('epilogue/gated.hpp', 'const int count = columns / 2 - first < run', 'first <= run'): 'a whole run either way',
    ('block/row/cpu_operand.hpp', 'if (count == N) return from;', ';'): 'a copy of the same elements',
    ('kernel/gemm/panels.hpp', 'j < columns_ && depth_ > 0', 'j <= columns_'): 'a panel without columns, where a strip is staged later',
    ('block/row/normalizer.hpp', 'if constexpr (P.resident)', 'if constexpr (!P.resident)'): 'both count the same elements, within the same bound',
    ('block/row/row.hpp', 'const index stride = t.stride < 0 ? columns_.count', 't.stride <= 0'): 'a stride of 0 is asked for nothing ahead',
    ('kernel/kv_cache/check.hpp', 'if (p.page_size > 0 && p.capacity == 0)', 'if ('): 'no pages hold no positions',
    ('device/row_call.hpp', 'min_of(6 * at_once, max_groups)', ANY): 'how many workgroups take rows in turn is a matter of speed',
    ('block/tile/store.hpp', 'if (to.rows <= 0) return;', ';'): 'no lane has a row that is there',
    ('device/rotary_call.hpp', 'direction < 0', 'direction <= 0'): 'it is 1 or -1',
    ('kernel/weights/body.hpp', 'if (rows <= 0 || columns <= 0) continue;', ';'): 'a share without rows has no panels',
    ('block/row/cpu_row.hpp', 'if (here < length) before = to;', 'before = to;'): 'a copy that nobody reads',
    ('block/sliced_k/lines.hpp', 'columns = sizeof(typename Atom::element) == 8', ANY): 'how many columns a lane takes is a matter of speed',
    ('kernel/gemm/body.hpp', 'begin + (args.', ''): 'an end that lies further checks less, and moves nothing',
    ('block/row/passes.hpp', 'if constexpr (Block::emulated)', 'if constexpr (!Block::emulated)'): 'apart() keeps compilers from one huge function',
    ('block/row/cpu_search.hpp', 'if (at < columns_)', 'at <= columns_'): 'a run of no elements holds none that is larger',
    ('block/tile/store.hpp', 'contiguous(2) ? 2 : 1', '? 1 : 2'): 'every atom has pairs of neighbours, which may leave one by one, too',
    ('block/row/column_lists.hpp', 'if (x.key <= last_[p].key[c]) break;', ';'): 'add() passes over it, and over the smaller ones behind it',
    ('block/row/cpu_row.hpp', 'atom::streamed_bytes || sizeof(T) == 1', ANY): 'whether results pass the caches by changes none',
    ('block/row/cpu_row.hpp', 'columns_ >= head + length', ANY): 'whether results pass the caches by changes none',
    ('block/row/passes.hpp', 'const bool falls = size == Groups', ANY): 'a bound decides what is compared, not what is found',
    ('block/row/passes.hpp', 'upper = falls == ((p.lane & mask) == 0)', ANY): 'a bound decides what is compared, not what is found',
    ('block/row/passes.hpp', 'upper ? max_of(before[slot], other)', ANY): 'a bound decides what is compared, not what is found',
    ('block/row/candidates.hpp', 'if (wanted > 1 && wanted < lanes_of_wave)', ANY): 'a bound decides what is compared, not what is found',
    ('block/row/strip.hpp', 'r + cpu_rows_ahead + cpu_rows <= extent_.rows', ANY): 'how far ahead memory is asked for changes no result',
    ('block/row/cpu_row.hpp', 'number_ + 1 < rows_ ? stride_of(t) : 0', ANY): 'how far ahead memory is asked for changes no result',
    ('block/row/cpu_operand.hpp', '? ahead : 0', ANY): 'how far ahead memory is asked for changes no result',
    ('block/row/cpu_operand.hpp', '? addend_ahead : 0', ANY): 'how far ahead memory is asked for changes no result',
    ('block/row/row.hpp', '|| next_ >= rows_ || t.stride == 0) return;', ANY): 'what is asked for ahead is no part of a result',
    ('block/row/normalizer.hpp', 'parts = min_of(P.run, 4)', ANY): 'sums that no element joins are zeros',
    ('block/row/run_largest.hpp', 'parts = min_of(', ANY): 'what no element joins is the identity of the fold',
    ('block/row/row.hpp', 'parts_of = sizeof(T)', ANY): 'what no element joins is the identity of the fold',
    ('block/row/moments.hpp', 'parts = P.run * P.runs > 64', ANY): 'how many sums are side by side is not part of their bound',
    ('block/row/parts.hpp', 'ahead = Block::threads == 1', ANY): 'how many parts are under way at once: the order is the same',
    ('block/row/column_lists.hpp', 'ahead = Block::threads == 1', ANY): 'how many rows are under way at once: the order is the same',
    ('block/row/parts.hpp', 'at + (ahead - 1) * groups < parts', ''): 'the last parts that would be under way together are added one by one',
    ('kernel/gemm/tma_ring.hpp', 'if constexpr (Traits::atom::sums_narrow)', ANY): 'the bits that sums lose are lost in the matrix unit, which no emulation is',
    ('kernel/attention/software_pipeline.hpp', 'units::pv_units', ANY): 'where a copy stands among products changes no number while the tile is there in time',
    ('block/row/column_sums.hpp', 'if (p.wave != 0) return;', ';'): 'no sums but those of the first wave are stored',
    ('block/source/pixels.hpp', 'column < columns_ && view_.w.holds(w)', 'column <= columns_'): 'one column more reads a pixel that is there, and is no column of D',
    ('block/weights/patch.hpp', 'if constexpr (in_rows)', 'if constexpr (!in_rows)'): 'which lane takes which patch is a matter of speed',
    ('block/weights/patch.hpp', 'whole = share < 8', ANY): 'how large patches are is a matter of speed',
    ('block/weights/patch.hpp', ': share < 8 *', ANY): 'how large patches are is a matter of speed',
    ('kernel/sample/upsample.hpp', 'if (line == 0) continue;', ';'): 'each share of the line is 0 then, and is passed over',
    ('kernel/sample/axis.hpp', 'far = from < 0 ? -from : from', 'from <= 0'): 'a distance of 0 has no sign',
    ('kernel/sample/axis.hpp', 'slope = (from < 0) == even', 'from <= 0'): 'at the mirror itself a place is clipped, and follows nothing',
    ('block/tile/mma.hpp', 'few = atom::m == 16', ANY): 'how products take turns changes no sum',
    ('block/tile/mma.hpp', '.rows_at_once = by_matrix', ANY): 'how products take turns changes no sum',
    ('block/tile/mma.hpp', '.steps_in_run = Acc::tile_columns', ANY): 'how products take turns changes no sum',
    ('block/tile/accumulator.hpp', 'if (diagonal < Acc::tile_columns - 1)', ''): 'a mask that hides nothing changes nothing',
    ('block/tile/place.hpp', 'const int registers = wave_rows * depth', ANY): 'whether an operand is kept in registers changes no result',
    ('block/tile/shared.hpp', 'by_memory = t.lds_per_cu', ANY): 'how many waves are to share a SIMD changes no result',
    ('block/tile/shared.hpp', 'min_of(by_memory, by_registers)', '(by_registers)'): 'how many waves are to share a SIMD changes no result',
    ('block/tile/shared.hpp', 'min_of(by_memory, by_registers)', '(by_memory)'): 'how many waves are to share a SIMD changes no result',
    ('block/warpgroup.hpp', 'operand_b::descriptor(tile_b, column + j * atom::n, k)', ' - '): 'descriptors are for the matrix unit itself, which no emulation is',
    ('kernel/attention/decode/splits.hpp', 'if (column == 0 && args.lse)', '('): 'lanes of other columns store the same number',
    ('kernel/attention/rules.hpp', 'drawn < r.drop_below', 'drawn <= r.drop_below'): 'one draw of 2^32 is the bound itself',
    ('block/row/memory.hpp', 'return there_ && aligned_ && first < c.count', 'first <= c.count'): 'no run is whole that begins at the end',
    ('block/read_ahead.hpp', 'else if constexpr (last)', 'if constexpr (!last)'): 'how instructions are interleaved changes no result',
    ('kernel/gemm/store.hpp', 'constexpr int results = Acc::rows', ANY): 'whether results share one code changes none of them',
    ('kernel/gemm/store.hpp', 'results >= 16', ANY): 'whether results share one code changes none of them',
    ('kernel/gemm/store.hpp', 'return epilogue::is_long<Epilogue> ||', ANY): 'whether results share one code changes none of them',
    ('kernel/gemm/store.hpp', 'if (epilogue::is_long<Epilogue>) return 1;', ANY): 'how many results share a step changes none of them',
    ('block/copy.hpp', 'const std::uint32_t moved = Layout::offset', ANY): 'addresses that are not said to be even are kept one by one',
    ('block/copy.hpp', 'Layout::offset(row + r, depth + k)', '-'): 'addresses that are not said to be even are kept one by one',
    ('block/copy.hpp', 'Layout::offset(row + r, depth + k)', ' - '): 'addresses that are not said to be even are kept one by one',
}


def why_equal(header, text, begin, instead):
    """Why an edit changes no result, or None."""
    line = text[text.rfind('\n', 0, begin) + 1:text.find('\n', begin)].strip()
    return next((why for (where, there, becomes), why in EQUAL.items()
                 if where == header and becomes in (ANY, instead) and there in line), None)


# Of these branches no CPU compiles one: a barrier that is missing there is missed by GPUs alone. What stands
# behind is true where a machine is emulated.
EMULATED = re.compile(r'\bif constexpr \((?P<not>!)?Block::emulated(?P<or> \|\| [^()]*)?\)\s*')


def of_gpus(text):
    """[(begin, end)] of the branches that only GPUs compile."""
    out = []
    for m in EMULATED.finditer(text):
        end = end_of_statement(text, m.end())
        other = re.compile(r'\s*else\b').match(text, end)
        if m['not']:
            out.append((m.end(), end))
        elif other:
            out.append((other.end(), end_of_statement(text, other.end())))
    return out


HEAD = re.compile(r'\s*(?:FADE_\w+\s+)*(?:if(?: constexpr)?|for|while) (?=\()')


def end_of_statement(text, begin):
    """Behind the `;`, or the brace of a block, that ends it."""
    if head := HEAD.match(text, begin):
        end = end_of_statement(text, end_of(text, head.end(), ')'))
        other = re.compile(r'\s*else\b').match(text, end)
        return end_of_statement(text, other.end()) if other else end
    return end_of(text, begin, '}' if text[begin:].lstrip().startswith('{') else ';')


def end_of(text, begin, sign):
    """Behind the first such sign that no bracket encloses, but for those that it closes."""
    depth = 0
    for at in range(begin, len(text)):
        depth += (text[at] in '({[') - (text[at] in ')}]')
        if depth == 0 and text[at] == sign:
            return at + 1
    return len(text)


def misfits():
    """Excuses for what no longer stands in its header, and programs that are not there."""
    for header, there, _ in EQUAL:
        if not (INCLUDE / header).exists() or there not in (INCLUDE / header).read_text():
            yield f'NO LONGER FITS {header}: {there}  (an edit that changes nothing)'
    tests = Path(__file__).resolve().parents[1]
    for program in sorted({program for programs in PROGRAMS.values() for program in programs} | {f'unit/{name}' for names in UNITS.values() for name in names}):
        if not (tests / ('' if '/' in program else 'mutation') / f'{program}.cpp').exists():
            yield f'NO LONGER FITS tests/{program}.cpp  (a program that exercises headers)'


def programs_of(header):
    def first_of(table):
        return next((programs for prefix, programs in table.items() if header.startswith(prefix)), [])
    programs = first_of(PROGRAMS)
    return [*programs, *(unit for name in first_of(UNITS) if programs and (unit := f'unit/{name}') not in programs)]


def places(text, operator):
    """[(start, length, instead)], outside of comments, strings, and what only a compiler reads."""
    hidden = [m.span() for m in NO_PLACE.finditer(text)] + of_gpus(text)
    found = []
    for pattern, instead in OPERATORS[operator]:
        for m in re.finditer(pattern, text):
            becomes = m.expand(instead)
            if becomes != m.group() and not MORE_BARRIERS.match(becomes) and not any(a < m.end() and m.start() < b for a, b in hidden):
                found.append((m.start(), m.end() - m.start(), becomes))
    return found


def edits(only=None):
    """All edits, of one operator where it is named."""
    out = []
    for path in sorted(INCLUDE.rglob('*.hpp')):
        header = str(path.relative_to(INCLUDE))
        programs = programs_of(header)
        text = path.read_text() if programs else ''
        for operator in OPERATORS if only is None else [only]:
            out += [(programs, header, *place, operator) for place in places(text, operator)]
    return out


def sample(count, random, only=None):
    """So many edits, as many of each operator as there are places for."""
    drawn = {operator: random.sample(found, len(found)) for operator in ([only] if only else OPERATORS) if (found := edits(operator))}
    out = []
    while len(out) < count and any(drawn.values()):
        out += [found.pop() for found in drawn.values() if found]
    return out[:count]
