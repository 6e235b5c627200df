// The functions of fade_tuning.h.
#include "tuning.hpp"
#include "call.hpp"

namespace fade::c {

template <>
inline const fade_find_options defaults<fade_find_options>{
    .size = sizeof(fade_find_options), .budget = 1, .tolerance = 0.25};

template <>
inline const fade_tuning_row defaults<fade_tuning_row>{.size = sizeof(fade_tuning_row)};

const tuning_functions*& functions_of_tuning() {
    static const tuning_functions* functions = nullptr;
    return functions;
}

namespace {

constexpr const char* no_sqlite =
    "this library was built where SQLite's header was not: install it, as by scripts/setup, and build again";

std::vector<std::string> system_files(const fade_tuning_files& f) {
    require_one_of(f.system_count, 1025, "system_count", "there are between 0 and 1024 files");
    if (f.system_count && !f.system) throw error("system", "null", "system_count says that there are some");
    std::vector<std::string> out;
    for (int i = 0; i < f.system_count; ++i) {
        if (!f.system[i]) throw error("system", "null", "each file has a name");
        out.push_back(f.system[i]);
    }
    return out;
}

/// A mode of 0 is the environment's.
find_options options_of(const fade_find_options& o) {
    find_options out{.budget = std::chrono::duration<double>(o.budget), .tolerance = o.tolerance};
    out = find_options_of_environment(out);
    if (o.mode) out.mode = find_mode_of(std::to_string(o.mode));
    if (o.enforce) out.enforce = find_enforce_of(std::to_string(o.enforce));
    if (!(o.tolerance >= 0)) throw error("tolerance", std::to_string(o.tolerance), "it is at least 0");
    return out;
}

fade_status open(const fade_tuning_files* files, double budget, fade_tuning** out) {
    return guarded([&] {
        if (!out) throw error("out", "null", "it gets the database");
        *out = nullptr;
        const fade_tuning_files f = read(files, "files");
        if (!f.user || !*f.user) throw error("user", "empty", "a database has a file of the user's");
        const std::vector<std::string> system = system_files(f);
        if (!functions_of_tuning()) throw unsupported("tuning", "asked for", no_sqlite);
        *out = new fade_tuning(functions_of_tuning()->open(f.user, system, budget));
    });
}

/// A database of rows, as opposed to one with a thread.
const tuning_functions& functions_of_rows(const fade_tuning* t) {
    if (!t) throw error("tuning", "null", "fade_tuning_open() gives one");
    if (t->is_background)
        throw error("tuning", "a background",
                    "it times in a thread of its own: open its file by fade_tuning_open() for its rows and "
                    "for finds");
    return *functions_of_tuning();
}
fade_tuning& background(fade_tuning* t) {
    if (!t || !t->is_background)
        throw error("tuning", t ? "a database" : "null", "fade_tuning_open_background() gives one");
    return *t;
}

fade_tuning_row row_in_c(const tune::tuning_row& r) {
    return {.size = sizeof(fade_tuning_row),
            .kind = r.problem.kind.c_str(),
            .sizes = r.problem.sizes.data(),
            .size_count = std::int64_t(r.problem.sizes.size()),
            .arch = r.machine.arch.c_str(),
            .traits = r.machine.traits.c_str(),
            .fingerprint = r.build.fingerprint.c_str(),
            .compiler = r.build.compiler.c_str(),
            .version = r.build.version.c_str(),
            .policy = r.policy.c_str(),
            .evidence = r.evidence.c_str(),
            .nanoseconds = r.nanoseconds,
            .noise = r.noise,
            .date = r.date};
}
std::string text(const char* given, const char* name) {
    if (!given) throw error(name, "null", "a row has it");
    return given;
}
/// What of its build is null is left empty, for this object is compiled without what the library's build is.
tune::tuning_row row_of(const fade_tuning_row* given) {
    const fade_tuning_row r = read(given, "row");
    if (r.size_count < 0 || r.size_count > 64)
        throw error("size_count", std::to_string(r.size_count), "a problem has between 0 and 64 sizes");
    if (r.size_count && !r.sizes) throw error("sizes", "null", "size_count says that there are some");
    if (!(r.nanoseconds > 0))
        throw error("nanoseconds", std::to_string(r.nanoseconds), "it is a time above 0");
    const auto or_empty = [](const char* given) { return std::string(given ? given : ""); };
    tune::tuning_row out{.problem = {text(r.kind, "kind"), {r.sizes, r.sizes + r.size_count}},
                         .machine = {text(r.arch, "arch"), text(r.traits, "traits")},
                         .build = {or_empty(r.fingerprint), or_empty(r.compiler), or_empty(r.version)},
                         .policy = text(r.policy, "policy"),
                         .nanoseconds = r.nanoseconds,
                         .noise = r.noise,
                         .date = r.date,
                         .evidence = or_empty(r.evidence)};
    return out;
}

/// Refuses what a background cannot be given beside what a find refuses.
void refuse_stages(int count) {
    if (count)
        throw error("stage_count", std::to_string(count),
                    "a background times calls without stages, for what they read must outlive its thread");
}
void check_given(const fade_gemm_args& g) { refuse_stages(g.stage_count); }
void check_given(const fade_conv_args& c) {
    refuse_stages(c.stage_count);
    if (c.x_zero || c.w_zero) throw error("x_zero", std::to_string(c.x_zero), "zero points are those of i8");
}
void check_given(const fade_attention_args& a) {
    const void* others[] = {a.lse,       a.alibi,    a.bias,     a.sink,     a.lengths_q,
                            a.lengths_k, a.counts_q, a.counts_k, a.starts_k, a.block_table,
                            a.scale_q,   a.scale_k,  a.scale_v};
    const char* names[] = {"lse",       "alibi",    "bias",     "sink",     "lengths_q",
                           "lengths_k", "counts_q", "counts_k", "starts_k", "block_table",
                           "scale_q",   "scale_k",  "scale_v"};
    for (std::size_t i = 0; i < std::size(others); ++i)
        if (others[i]) throw error(names[i], "given", "a background draws q, k and v alone: let it be null");
}

template <class S>
fade_status give(operation op, fade_tuning* to, const S* arguments, int threads, std::int32_t* taken) {
    return guarded([&] {
        if (taken) *taken = 0;
        fade_tuning& t = background(to);
        const S a = read(arguments, "arguments");
        check_fields(a, op), check_find(a), check_given(a);
        const fade_dtype in = input_type(a), out = result_type(a, op);
        require_dtype(in, "in"), require_dtype(out, "out");
        const background_caller f =
            kernels_of(a, op) == op && in == out ? backend_of("host").backgrounds[int(op)][in] : nullptr;
        if (!f)
            throw unsupported("types", std::string(name(dtype(in))) + " to " + name(dtype(out)),
                              "a background times results of the inputs' type, f32, f16 and bf16");
        const bool done = f(*t.policies, &a, threads);
        if (taken) *taken = done;
    });
}

/// Of operators whose policies only GPUs have.
constexpr bool has_one_kernel(operation op) {
    return op >= operation::rms_norm && op <= operation::log_softmax;
}

template <class S>
fade_status find(operation op, fade_device* on, const S* arguments, fade_tuning* tuning,
                 const fade_find_options* options, fade_found** to, bool verifies = false) {
    return guarded([&] {
        if (to) *to = nullptr;
        if (!on) throw error("device", "null", "fade_device_open() gives one");
        functions_of_rows(tuning);
        const S a = read(arguments, "arguments");
        const find_request request{
            tuning, options_of(options ? read(options, "options") : defaults<fade_find_options>), verifies};
        check_fields(a, op), check_find(a);
        const fade_dtype in = input_type(a), out_type = result_type(a, op);
        const operation kernels = kernels_of(a, op);
        const caller f = found(*on, kernels, in, out_type);
        if (on->kind->kind == "host" && has_one_kernel(kernels))
            throw unsupported("device", on->name,
                              "this CPU has one kernel of each row operator, so there is nothing to find");
        if (!on->kind->finds[int(kernels)][in][out_type])
            throw unsupported("device", on->name,
                              "policies are timed on \"host\" and GPUs, in f32, f16 and bf16: an emulated "
                              "device has no speed");
        const only_user alone(*on);
        outcome out = f(on->on(nullptr), &a, {.finds = &request});
        if (to) *to = out.found.release();
    });
}

}  // namespace
}  // namespace fade::c

using namespace fade::c;

void fade_tuning_files_init(fade_tuning_files* to, size_t size) { init(to, size); }
void fade_find_options_init(fade_find_options* to, size_t size) { init(to, size); }

fade_status fade_tuning_open(const fade_tuning_files* files, fade_tuning** out) {
    return open(files, 0, out);
}
fade_status fade_tuning_open_background(const fade_tuning_files* files, double budget, fade_tuning** out) {
    if (budget > 0) return open(files, budget, out);
    return guarded([&] {
        if (out) *out = nullptr;
        throw fade::error("budget", std::to_string(budget), "it must be a time above 0 seconds");
    });
}
void fade_tuning_close(fade_tuning* t) { delete t; }
const char* fade_tuning_refused_writes(const fade_tuning* t) {
    return t ? t->refused_writes.c_str() : nullptr;
}

void fade_tuning_row_init(fade_tuning_row* to, size_t size) { init(to, size); }
fade_status fade_tuning_each_row(const fade_tuning* t, fade_tuning_visitor visit, void* context) {
    return guarded([&] {
        if (!visit) throw fade::error("visit", "null", "it sees the rows");
        for (const fade::tune::tuning_row& r : functions_of_rows(t).rows(*t->policies)) {
            const fade_tuning_row row = row_in_c(r);
            if (visit(context, &row)) return;
        }
    });
}
fade_status fade_tuning_put(fade_tuning* t, const fade_tuning_row* row) {
    return guarded([&] { functions_of_rows(t).put(*t->policies, row_of(row)); });
}
fade_status fade_tuning_remove(fade_tuning* t, const fade_tuning_row* row, int32_t* removed) {
    return guarded([&] {
        if (removed) *removed = 0;
        const bool gone = functions_of_rows(t).remove(*t->policies, row_of(row));
        if (removed) *removed = gone;
    });
}

fade_status fade_background_read(fade_tuning* t, fade_background_numbers* out, const char** failure) {
    return guarded([&] {
        fade_tuning& on = background(t);
        if (!out || out->size < sizeof(size_t))
            throw fade::error("out", "null or without size", "it is filled");
        fade_background_numbers all = functions_of_tuning()->progress(*on.policies, on.failure);
        all.size = out->size;
        std::memcpy(static_cast<void*>(out), &all, std::min(out->size, sizeof all));
        if (failure) *failure = on.failure.c_str();
    });
}

fade_status fade_found_read(const fade_found* f, fade_found_numbers* out) {
    return guarded([&] {
        if (!f) throw fade::error("found", "null", "a find makes one");
        if (!out || out->size < sizeof(size_t))
            throw fade::error("out", "null or without size", "it is filled");
        const fade_found_numbers all{.size = out->size,
                                     .source = f->source,
                                     .kept = f->kept,
                                     .whole = f->whole,
                                     .candidates = f->candidates,
                                     .nanoseconds = f->nanoseconds,
                                     .model_nanoseconds = f->model_nanoseconds,
                                     .noise = f->noise,
                                     .drift = f->drift,
                                     .of_model = f->of_model};
        std::memcpy(static_cast<void*>(out), &all, std::min(out->size, sizeof all));
    });
}
const char* fade_found_text(const fade_found* f, int32_t field) {
    if (!f || field < FADE_FOUND_WHY || field > FADE_FOUND_TRAITS) return nullptr;
    const std::string* texts[] = {&f->why, &f->kind, &f->policy, &f->evidence, &f->arch, &f->traits};
    return texts[field]->c_str();
}
void fade_found_close(fade_found* f) { delete f; }

#define FADE_C_FIND(function, struct_, op)                                                                   \
    fade_status function(fade_device* on, const struct_* arguments, fade_tuning* tuning,                     \
                         const fade_find_options* options, fade_found** found) {                             \
        return find(operation::op, on, arguments, tuning, options, found);                                   \
    }
FADE_C_FIND(fade_find_gemm, fade_gemm_args, gemm)
FADE_C_FIND(fade_find_conv_forward, fade_conv_args, conv_forward)
FADE_C_FIND(fade_find_conv_backward_data, fade_conv_args, conv_backward_data)
FADE_C_FIND(fade_find_conv_backward_weights, fade_conv_args, conv_backward_weights)
FADE_C_FIND(fade_find_attention, fade_attention_args, attention)
FADE_C_FIND(fade_find_rms_norm, fade_norm_args, rms_norm)
FADE_C_FIND(fade_find_layer_norm, fade_norm_args, layer_norm)
FADE_C_FIND(fade_find_softmax, fade_softmax_args, softmax)
FADE_C_FIND(fade_find_log_softmax, fade_softmax_args, log_softmax)

#define FADE_C_VERIFY(function, struct_, op)                                                                 \
    fade_status function(fade_device* on, const struct_* arguments, fade_tuning* tuning,                     \
                         fade_found** found) {                                                               \
        return find(operation::op, on, arguments, tuning, nullptr, found, true);                             \
    }
FADE_C_VERIFY(fade_verify_gemm, fade_gemm_args, gemm)
FADE_C_VERIFY(fade_verify_conv_forward, fade_conv_args, conv_forward)
FADE_C_VERIFY(fade_verify_conv_backward_data, fade_conv_args, conv_backward_data)
FADE_C_VERIFY(fade_verify_conv_backward_weights, fade_conv_args, conv_backward_weights)
FADE_C_VERIFY(fade_verify_attention, fade_attention_args, attention)
FADE_C_VERIFY(fade_verify_rms_norm, fade_norm_args, rms_norm)
FADE_C_VERIFY(fade_verify_layer_norm, fade_norm_args, layer_norm)
FADE_C_VERIFY(fade_verify_softmax, fade_softmax_args, softmax)
FADE_C_VERIFY(fade_verify_log_softmax, fade_softmax_args, log_softmax)

#define FADE_C_GIVE(function, struct_, op)                                                                   \
    fade_status function(fade_tuning* to, const struct_* arguments, int32_t threads, int32_t* taken) {       \
        return give(operation::op, to, arguments, threads, taken);                                           \
    }
FADE_C_GIVE(fade_background_gemm, fade_gemm_args, gemm)
FADE_C_GIVE(fade_background_conv_forward, fade_conv_args, conv_forward)
FADE_C_GIVE(fade_background_attention, fade_attention_args, attention)
