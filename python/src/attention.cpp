// device.attention(...), device.append_kv(...), device.quantize(...)
#include "device.hpp"
#include <memory>

namespace fade::python {
namespace {

/// A tensor [batch, position, head, dim], or packed [position, head, dim]: its sizes, and strides as C has
/// them.
struct heads_tensor {
    std::int64_t batch, positions, heads, dim;
    fade_strides strides;
};

bool heads_of(const view& v, bool packed, heads_tensor& out) {
    const int n = packed ? 3 : 4;
    if (v.dimensions != n)
        return refuse(v.name, "of shape " + in_words(v),
                      packed ? "with cumulative lengths it is [positions, heads, head_dim]"
                             : "it is [batch, positions, heads, head_dim]");
    const std::int64_t *shape = v.shape + n - 3, *strides = v.strides + n - 3;
    out.batch = packed ? 1 : v.shape[0], out.positions = shape[0], out.heads = shape[1], out.dim = shape[2];
    if (out.dim != 1 && strides[2] != 1)
        return refuse(v.name, "of stride " + std::to_string(strides[2]) + " in its last dimension",
                      "the elements of a head must lie side by side");
    // Of a dimension of one element the stride is anything; that of packed memory lets the library check the
    // others.
    const std::int64_t head = out.heads == 1 ? out.dim : strides[1];
    const std::int64_t position = out.positions == 1 ? std::max(out.heads * head, head) : strides[0];
    const std::int64_t whole = std::max(out.positions * position, out.heads * head);
    if (position == 0 && out.positions > 1)
        return refuse(v.name, "a view that repeats a position", "positions lie apart: copy the tensor");
    out.strides = {packed ? 0 : out.batch == 1 ? whole : v.strides[0], position, head};
    return true;
}

/// Cumulative lengths on a CPU are looked at: packed tensors are as long as they say.
bool lengths_fit(const view& lengths, const view& of, std::int64_t batch, std::int64_t positions) {
    if (!lengths.given() || lengths.where != memory::cpu) return true;
    const int* at = static_cast<const int*>(lengths.data);
    bool rises = at[0] >= 0;
    for (std::int64_t i = 0; i < batch; ++i) rises = rises && at[i] <= at[i + 1];
    return (rises && at[batch] <= positions) ||
           refuse(lengths.name, "ending at " + std::to_string(at[batch]),
                  std::string("it rises from 0 to at most the ") + std::to_string(positions) +
                      " positions of " + of.name);
}

bool same_type(const view& v, const view& as) {
    return v.type == as.type ||
           refuse(v.name, "of another type than " + std::string(as.name), "they have one type");
}

bool bias_of(const view& v, fade_attention_args& a) {
    if (!v.given()) return true;
    const int n = v.dimensions;
    if (!(v.type == FADE_F32 || refuse(v.name, "of another type", "it is float32"))) return false;
    const std::int64_t wanted[] = {a.batch, a.heads, a.seq_q, a.seq_k};
    std::int64_t strides[4] = {};
    for (int i = 0; i < 4 && n <= 4; ++i) {
        const int at = i - (4 - n);
        if (at < 0) continue;
        if (v.shape[at] != wanted[i] && !(v.shape[at] == 1 && i < 3))
            return refuse(
                v.name, "of shape " + in_words(v),
                "it is [batch, heads, seq_q, seq_k], and batch, heads and seq_q may be 1: all share it");
        strides[i] = v.shape[at] == 1 ? 0 : v.strides[at];
    }
    if (!((n >= 1 && n <= 4 && (strides[3] == 1 || a.seq_k <= 1)) ||
          refuse(v.name, "of shape " + in_words(v),
                 "it is [batch, heads, seq_q, seq_k] whose last dimension lies side by side")))
        return false;
    a.bias = static_cast<const float*>(v.data);
    a.bias_batch = strides[0], a.bias_head = strides[1], a.bias_query = strides[2];
    return true;
}

bool scales_of(const view& q, const view& k, const view& v, fade_attention_args& a) {
    const view* given = q.given() ? &q : k.given() ? &k : v.given() ? &v : nullptr;
    if (!given) return true;
    a.scales_per_head = given->size() != 1;
    const std::int64_t of_q = a.scales_per_head ? a.heads : 1, of_kv = a.scales_per_head ? a.kv_heads : 1;
    a.scale_q = list_as<const float>(q, FADE_F32, of_q, "q's scales");
    a.scale_k = list_as<const float>(k, FADE_F32, of_kv, "k's scales");
    a.scale_v = list_as<const float>(v, FADE_F32, of_kv, "v's scales");
    return !PyErr_Occurred();
}

/// Rows of cos and sin as they lie.
struct rotary_tables {
    int type;
    std::int64_t positions, pairs, stride;
};

/// Sees tables of float32 or of the type of what they turn, or sets an error and is false. Where rows may
/// not repeat they lie apart.
bool rotary_tables_of(const view& cos, const view& sin, const view& turned, bool may_repeat,
                      rotary_tables& out) {
    if (cos.dimensions != 2)
        return refuse(cos.name, cos.given() ? "of shape " + in_words(cos) : "None",
                      "it is [positions, rotary_dim / 2]");
    if (sin.dimensions != 2 || sin.shape[0] != cos.shape[0] || sin.shape[1] != cos.shape[1])
        return refuse(sin.name, sin.given() ? "of shape " + in_words(sin) : "None",
                      "cos is " + in_words(cos));
    out = {cos.type, cos.shape[0], cos.shape[1], cos.shape[0] > 1 ? cos.strides[0] : cos.shape[1]};
    if (cos.type != turned.type && cos.type != FADE_F32)
        return refuse(cos.name, "of another type",
                      std::string("tables are float32, or have the type of ") + turned.name);
    if (sin.type != cos.type) return refuse(sin.name, "of another type than cos", "they have one type");
    for (const view* v : {&cos, &sin})
        if (out.pairs > 1 && v->strides[1] != 1)
            return refuse(v->name, "of stride " + std::to_string(v->strides[1]) + " in its last dimension",
                          "the elements of a row must lie side by side");
    if (out.stride < (may_repeat ? 0 : out.pairs))
        return refuse(cos.name, "of rows " + std::to_string(out.stride) + " elements apart",
                      may_repeat ? "its rows lie one behind the other: copy the tensor"
                                 : "its rows lie apart, one behind the other: copy the tensor");
    return out.positions <= 1 || sin.strides[0] == cos.strides[0] ||
           refuse(sin.name, "of rows " + std::to_string(sin.strides[0]) + " elements apart",
                  "rows of cos lie " + std::to_string(cos.strides[0]) + " apart, and those of sin as far");
}

/// Pages or whole caches: what a block table names.
bool table_of(const view& table, std::int64_t batch, std::int64_t& width, const int*& to) {
    if (table.dimensions != 2 || table.shape[0] != batch)
        return refuse(table.name, "of shape " + in_words(table), "it is [batch, pages of a sequence]");
    width = table.shape[1];
    to = list_as<const int>(table, FADE_I32, batch * width, "the pages of all sequences");
    return to != nullptr;
}

/// Tokens of all batches as one list: the position's stride becomes that from token to token.
bool tokens_of(const view& v, heads_tensor& t) {
    if (t.positions == 1 && t.batch > 1) t.strides.position = t.strides.batch;
    return t.batch <= 1 || t.positions <= 1 || t.strides.batch == t.positions * t.strides.position ||
           refuse(v.name, "of shape " + in_words(v) + " with other strides",
                  "its tokens must lie in even steps");
}

/// A reference of one's own.
struct release {
    void operator()(PyObject* o) const { Py_XDECREF(o); }
};
using owned = std::unique_ptr<PyObject, release>;

/// The result: a tensor, or (makes one like q, makes one of q and v), by which a framework's fastest way is
/// taken where q and the result are alike.
bool result_of(PyObject* out, PyObject* const* inputs, const view& q, const view& v, owned& made, view& to) {
    if (!out) return false;
    if (!PyTuple_Check(out) || PyTuple_GET_SIZE(out) != 2 || !PyCallable_Check(PyTuple_GET_ITEM(out, 0)))
        return see(out, "out", to);
    const int last = q.dimensions - 1;
    const bool alike =
        last >= 0 && v.dimensions == q.dimensions && v.shape[last] == q.shape[last] && q.type < FADE_F8E4M3;
    if (alike && q.packed()) {
        made.reset(packed_like(q));
        if (made && !see(made.get(), "out", to)) return false;
        if (made && to.device == q.device) return true;
        if (PyErr_Occurred()) return false;
    }
    made.reset(alike ? PyObject_CallOneArg(PyTuple_GET_ITEM(out, 0), inputs[0])
                     : PyObject_CallFunctionObjArgs(PyTuple_GET_ITEM(out, 1), inputs[0], inputs[2], nullptr));
    return made && see(made.get(), "out", to);
}

}  // namespace

/// attention(q, k, v, out, lse, bias, causal, window_left, window_right, scale, softcap, dropout, seed,
/// stream, then either nothing more, or strict, reports, offset, split_kv, check_indices, longest_q,
/// longest_k and the rarer tensors, and a database where one is asked: what few calls have costs the others
/// no time.
PyObject* attention(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view q, k, v, o, lse, bias;
    owned made;
    if (!from.tensor("q", q) || !from.tensor("k", k) || !from.tensor("v", v) ||
        !result_of(from.object(), at, q, v, made, o) || !from.tensor("lse", lse) ||
        !from.tensor("bias", bias))
        return nullptr;
    fade_attention_args a;
    (*self->by)->fade_attention_init(&a, sizeof a);
    a.causal = from.integer32(), a.window_left = from.integer(), a.window_right = from.integer();
    a.scale = from.real(), a.softcap = from.real(), a.dropout = from.real();
    a.seed = std::uint64_t(from.integer());
    call_manner how;
    how.take_stream(from);
    view alibi, sink, lengths_q, lengths_k, counts_q, counts_k, starts_k, table, scale_q, scale_k, scale_v;
    std::int64_t max_q = 0, max_k = 0;
    if (from.more()) {
        how.take_wishes(from);
        a.offset = std::uint64_t(from.integer());
        a.split_kv = from.integer32(), a.check_indices = from.integer32();
        max_q = from.integer(), max_k = from.integer();
        const bool seen = from.tensor("alibi", alibi) && from.tensor("sink", sink) &&
                          from.tensor("lengths_q", lengths_q) && from.tensor("lengths_k", lengths_k) &&
                          from.tensor("counts_q", counts_q) && from.tensor("counts_k", counts_k) &&
                          from.tensor("starts_k", starts_k) && from.tensor("block_table", table) &&
                          from.tensor("scale_q", scale_q) && from.tensor("scale_k", scale_k) &&
                          from.tensor("scale_v", scale_v);
        how.take_tuned(from);
        if (!seen || !on_device(*self,
                                {&alibi, &sink, &lengths_q, &lengths_k, &counts_q, &counts_k, &starts_k,
                                 &table, &scale_q, &scale_k, &scale_v},
                                {}))
            return nullptr;
    }
    if (!from.done() || !on_device(*self, {&q, &k, &v, &bias}, {&o, &lse})) return nullptr;
    const bool packed_q = lengths_q.given(), paged = table.given(), packed_k = lengths_k.given() && !paged;
    heads_tensor hq, hk, hv, ho;
    if (!heads_of(q, packed_q, hq) || !heads_of(k, packed_k, hk) || !heads_of(v, packed_k, hv) ||
        !heads_of(o, packed_q, ho))
        return nullptr;
    a.batch = packed_q ? lengths_q.size() - 1 : hq.batch;
    a.heads = hq.heads, a.kv_heads = hk.heads, a.head_dim = hq.dim, a.head_dim_v = hv.dim;
    a.seq_q = packed_q ? max_q : hq.positions, a.seq_k = packed_k ? max_k : hk.positions;
    if (!(hk.dim == hq.dim || refuse(k.name, "of shape " + in_words(k), "its heads are as long as q's")) ||
        !((hv.heads == hk.heads && hv.positions == hk.positions && hv.batch == hk.batch) ||
          refuse(v.name, "of shape " + in_words(v), "k is " + in_words(k))) ||
        !((ho.heads == hq.heads && ho.positions == hq.positions && ho.batch == hq.batch &&
           ho.dim == hv.dim) ||
          refuse(o.name, "of shape " + in_words(o), "it has the shape of q, with heads as long as v's")) ||
        !(packed_q || packed_k || paged || hk.batch == hq.batch ||
          refuse(k.name, "of shape " + in_words(k), "q has " + std::to_string(hq.batch) + " batches")) ||
        !same_type(k, q) || !same_type(v, q))
        return nullptr;
    if (paged) {
        a.page_size = hk.positions, a.page_count = hk.batch;
        if (!table_of(table, a.batch, a.table_width, a.block_table)) return nullptr;
        a.seq_k = max_k > 0 ? max_k : a.table_width * a.page_size;
    }
    a.in = q.type, a.out = o.type, a.q = q.data, a.k = k.data, a.v = v.data, a.o = o.data;
    a.q_strides = hq.strides, a.k_strides = hk.strides, a.v_strides = hv.strides, a.o_strides = ho.strides;
    a.lse = list_as<float>(lse, FADE_F32, a.batch * a.heads * a.seq_q, "batch, heads and queries");
    const bool own_slopes = alibi.dimensions == 2 && alibi.shape[0] != 1;
    a.alibi_stride = own_slopes ? a.heads : 0;
    a.alibi = list_as<const float>(alibi, FADE_F32, own_slopes ? a.batch * a.heads : a.heads,
                                   own_slopes ? "sequences and heads" : "heads");
    a.sink = list_as<const float>(sink, FADE_F32, a.heads, "heads");
    a.lengths_q = list_as<const int>(lengths_q, FADE_I32, a.batch + 1, "sequences and the end");
    a.lengths_k = list_as<const int>(lengths_k, FADE_I32, a.batch + 1, "sequences and the end");
    a.counts_q = list_as<const int>(counts_q, FADE_I32, a.batch, "sequences");
    a.counts_k = list_as<const int>(counts_k, FADE_I32, a.batch, "sequences");
    a.starts_k = list_as<const int>(starts_k, FADE_I32, a.batch, "sequences");
    if (PyErr_Occurred() || !bias_of(bias, a) || !scales_of(scale_q, scale_k, scale_v, a)) return nullptr;
    if (packed_q && !lengths_fit(lengths_q, q, a.batch, hq.positions)) return nullptr;
    if (packed_k && !lengths_fit(lengths_k, k, a.batch, hk.positions)) return nullptr;
    const library& by = **self->by;
    PyObject* said = call_or_find<fade_attention_args>(
        *self,
        {by.fade_attention, by.fade_find_attention, by.fade_verify_attention, by.fade_background_attention},
        a, how);
    if (said != Py_None || !made) return said;
    Py_DECREF(said);
    return made.release();
}

PyObject* append_kv(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view new_k, new_v, k, v, q, q_out, cos, sin, held, lengths, table;
    const bool seen = from.tensor("new_k", new_k) && from.tensor("new_v", new_v) && from.tensor("k", k) &&
                      from.tensor("v", v) && from.tensor("q", q) && from.tensor("q_out", q_out) &&
                      from.tensor("cos", cos) && from.tensor("sin", sin) &&
                      from.tensor("cache_lengths", held) && from.tensor("new_lengths", lengths) &&
                      from.tensor("block_table", table);
    if (!seen) return nullptr;
    fade_append_args a;
    (*self->by)->fade_append_init(&a, sizeof a);
    a.interleaved = from.integer32();
    const std::int64_t max_new = from.integer();
    call_manner how;
    if (!how.take(from) ||
        !on_device(*self, {&new_k, &new_v, &q, &cos, &sin, &held, &lengths, &table}, {&k, &v, &q_out}))
        return nullptr;
    const bool packed = lengths.given(), paged = table.given();
    heads_tensor hn, hv, hk, hc, hq{}, ho{};
    if (!heads_of(new_k, packed, hn) || !heads_of(new_v, packed, hv) || !heads_of(k, false, hk) ||
        !heads_of(v, false, hc))
        return nullptr;
    if (q.given() && (!heads_of(q, packed, hq) || !heads_of(q_out, packed, ho))) return nullptr;
    a.batch = packed ? lengths.size() - 1 : hn.batch;
    a.new_positions = packed ? max_new : hn.positions;
    a.kv_heads = hn.heads, a.heads = hq.heads, a.head_dim = hn.dim, a.capacity = paged ? 0 : hk.positions;
    const auto alike = [](const heads_tensor& x, const heads_tensor& y) {
        return x.batch == y.batch && x.positions == y.positions && x.heads == y.heads && x.dim == y.dim;
    };
    if (!(alike(hn, hv) ||
          refuse(new_v.name, "of shape " + in_words(new_v), "new_k is " + in_words(new_k))) ||
        !(alike(hk, hc) || refuse(v.name, "of shape " + in_words(v), "k is " + in_words(k))) ||
        !((hk.heads == hn.heads && hk.dim == hn.dim && (paged || hk.batch == a.batch)) ||
          refuse(k.name, "of shape " + in_words(k), "new_k is " + in_words(new_k))) ||
        !((!q.given() || (hq.batch == hn.batch && hq.positions == hn.positions && hq.dim == hn.dim)) ||
          refuse(q.name, "of shape " + in_words(q), "new_k is " + in_words(new_k))) ||
        !(!q.given() || alike(hq, ho) ||
          refuse(q_out.name, "of shape " + in_words(q_out), "q is " + in_words(q))) ||
        !same_type(new_v, new_k) || !same_type(v, k) ||
        (q.given() && (!same_type(q, new_k) || !same_type(q_out, k))))
        return nullptr;
    if (paged) {
        a.page_size = hk.positions, a.page_count = hk.batch;
        if (!table_of(table, a.batch, a.table_width, a.block_table)) return nullptr;
        a.capacity = a.table_width * a.page_size;
    }
    if (cos.given() || sin.given()) {
        rotary_tables t;
        if (!rotary_tables_of(cos, sin, new_k, false, t)) return nullptr;
        a.rotary_dim = 2 * t.pairs, a.tables = t.type, a.rotary_stride = t.pairs > 0 ? t.stride : 0;
        if (t.positions < a.capacity)
            a.capacity = t.positions;  // a token has a row of the tables, or is not written
        a.cos = cos.data, a.sin = sin.data;
    }
    a.in = new_k.type, a.cache = k.type, a.new_k = new_k.data, a.new_v = new_v.data, a.k = k.data,
    a.v = v.data;
    a.q = q.data, a.q_out = q_out.data;
    a.new_k_strides = hn.strides, a.new_v_strides = hv.strides, a.k_strides = hk.strides,
    a.v_strides = hc.strides;
    a.q_strides = hq.strides, a.q_out_strides = ho.strides;
    a.cache_lengths = list_as<const int>(held, FADE_I32, a.batch, "sequences");
    a.new_lengths = list_as<const int>(lengths, FADE_I32, a.batch + 1, "sequences and the end");
    if (PyErr_Occurred() || (packed && !lengths_fit(lengths, new_k, a.batch, hn.positions))) return nullptr;
    return call(*self, (*self->by)->fade_append_kv, a, how);
}

PyObject* rotary(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view x, y, cos, sin, positions;
    if (!from.tensor("x", x) || !from.tensor("out", y) || !from.tensor("cos", cos) ||
        !from.tensor("sin", sin) || !from.tensor("positions", positions))
        return nullptr;
    fade_rotary_args a;
    (*self->by)->fade_rotary_init(&a, sizeof a);
    a.interleaved = from.integer32(), a.first_position = from.integer();
    const bool gradient = from.integer() != 0, packed = x.dimensions == 3;
    call_manner how;
    heads_tensor hx, hy;
    rotary_tables t;
    if (!how.take(from) || !on_device(*self, {&x, &cos, &sin, &positions}, {&y}) ||
        !heads_of(x, packed, hx) || !heads_of(y, packed, hy))
        return nullptr;
    if (!tokens_of(x, hx) || !tokens_of(y, hy) ||
        !((hx.batch == hy.batch && hx.positions == hy.positions && hx.heads == hy.heads &&
           hx.dim == hy.dim) ||
          refuse(y.name, "of shape " + in_words(y), "x is " + in_words(x))) ||
        !rotary_tables_of(cos, sin, x, true, t))
        return nullptr;
    a.in = x.type, a.out = y.type, a.tables = t.type, a.tokens = hx.batch * hx.positions;
    a.heads = hx.heads, a.head_dim = hx.dim, a.sequence = hx.positions, a.rotary_dim = 2 * t.pairs;
    a.capacity = t.positions, a.table_stride = t.stride, a.x_stride = hx.strides.position,
    a.x_head_stride = hx.strides.head;
    a.y_stride = hy.strides.position, a.y_head_stride = hy.strides.head, a.x = x.data, a.y = y.data;
    a.cos = cos.data, a.sin = sin.data;
    a.positions = list_as<const int>(positions, FADE_I32, a.tokens, "tokens");
    if (PyErr_Occurred()) return nullptr;
    return call(*self, gradient ? (*self->by)->fade_rotary_gradient : (*self->by)->fade_rotary, a, how);
}

PyObject* quantize(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view x, out, scales;
    if (!from.tensor("x", x) || !from.tensor("out", out) || !from.tensor("scales", scales)) return nullptr;
    fade_quantize_args a;
    (*self->by)->fade_quantize_init(&a, sizeof a);
    a.per_head = from.integer32();
    call_manner how;
    heads_tensor hx, ho;
    if (!how.take(from) || !on_device(*self, {&x}, {&out, &scales}) || !heads_of(x, false, hx) ||
        !heads_of(out, false, ho))
        return nullptr;
    if (!((hx.batch == ho.batch && hx.positions == ho.positions && hx.heads == ho.heads &&
           hx.dim == ho.dim) ||
          refuse(out.name, "of shape " + in_words(out), "x is " + in_words(x))))
        return nullptr;
    a.in = x.type, a.out = out.type, a.batch = hx.batch, a.positions = hx.positions, a.heads = hx.heads;
    a.head_dim = hx.dim, a.x_strides = hx.strides, a.out_strides = ho.strides, a.x = x.data,
    a.out_elements = out.data;
    a.scales =
        list_as<float>(scales, FADE_F32, a.per_head ? a.heads : 1, a.per_head ? "heads" : "the tensor");
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_quantize, a, how);
}

}  // namespace fade::python
