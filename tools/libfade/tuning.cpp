// The functions of fade_tuning.h.
#include "tuning.hpp"
#include "call.hpp"

namespace fade::c {

template <>
inline const fade_find_options defaults<fade_find_options>{
    .size = sizeof(fade_find_options), .budget = 1, .tolerance = 0.25};

tuning_opener& opener_of_tuning() {
    static tuning_opener opener = nullptr;
    return opener;
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

template <class S>
fade_status find(operation op, fade_device* on, const S* arguments, fade_tuning* tuning,
                 const fade_find_options* options, fade_found** to) {
    return guarded([&] {
        if (to) *to = nullptr;
        if (!on) throw error("device", "null", "fade_device_open() gives one");
        if (!tuning) throw error("tuning", "null", "fade_tuning_open() gives one");
        const S a = read(arguments, "arguments");
        const find_request request{
            tuning, options_of(options ? read(options, "options") : defaults<fade_find_options>)};
        check_fields(a, op), check_find(a);
        const fade_dtype in = input_type(a), out_type = result_type(a, op);
        const operation kernels = kernels_of(a, op);
        const caller f = found(*on, kernels, in, out_type);
        if (!on->kind->finds[int(kernels)][in][out_type])
            throw unsupported("device", on->name,
                              "policies are timed on \"host\", in f32, f16 and bf16: an emulated device has "
                              "no speed, and GPUs take what a database has");
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
    return guarded([&] {
        if (!out) throw fade::error("out", "null", "it gets the database");
        *out = nullptr;
        const fade_tuning_files f = read(files, "files");
        if (!f.user || !*f.user) throw fade::error("user", "empty", "a database has a file of the user's");
        const std::vector<std::string> system = system_files(f);
        if (!opener_of_tuning()) throw unsupported("tuning", "asked for", no_sqlite);
        *out = new fade_tuning(opener_of_tuning()(f.user, system));
    });
}
void fade_tuning_close(fade_tuning* t) { delete t; }
const char* fade_tuning_refused_writes(const fade_tuning* t) {
    return t ? t->refused_writes.c_str() : nullptr;
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
                                     .noise = f->noise};
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
