#include "answers.hpp"
#include <fade/device/live/address.hpp>
#include <fade/device/live/environment.hpp>
#include <fade/device/live/user.hpp>
#include <fade/device/truth/description.hpp>
#include <map>
#include <string>
#include <string_view>

namespace fade::shim {
namespace {

/// A value, where it is known and differs from what was said.
void set(std::optional<std::int64_t>& to, const backend::number& said, std::uint64_t value) {
    if (said && *said != value && value < (std::uint64_t(1) << 31)) to = std::int64_t(value);
}

/// Limits of one unit: a CU, or a WGP of two.
void set_limits(answers& a, const backend::device_reading& said, const device_traits& t,
                std::uint64_t cus_per_unit) {
    if (t.simd_per_cu && t.max_waves_per_simd && t.wavefront_native)
        set(a.threads, said.threads_per_multiprocessor,
            *t.simd_per_cu * *t.max_waves_per_simd * *t.wavefront_native * cus_per_unit);
    if (t.simd_per_cu && t.vgpr_bytes_per_simd)
        set(a.registers, said.registers_per_multiprocessor,
            *t.simd_per_cu * *t.vgpr_bytes_per_simd / 4 * cus_per_unit);
    if (t.lds_per_wgp_bytes)
        set(a.shared, said.shared_per_multiprocessor, *t.lds_per_wgp_bytes / 2 * cus_per_unit);
    if (t.lds_per_cu_bytes) set(a.shared, said.shared_per_multiprocessor, *t.lds_per_cu_bytes);
}

void word(std::string& to, const char* name, const backend::number& said,
          const std::optional<std::int64_t>& now) {
    if (now)
        to += (to.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(said.value_or(0)) + " -> " +
              std::to_string(*now);
}

/// The variables as they stood when the library was loaded: later other threads may be setting some.
struct snapshot {
    std::map<std::string, std::string> all = live::variables_of(
        [](std::string_view name) { return name.starts_with("FADE_") || truth::changes_answers(name); });
    const char* operator()(const std::string& name) const {
        const auto found = all.find(name);
        return found == all.end() ? nullptr : found->second.c_str();
    }
};

const snapshot& variables() {
    static const snapshot once;
    return once;
}

/// Before main, while there is one thread.
[[gnu::constructor]] void read_variables() {
    try {
        static_cast<void>(variables());
    } catch (...) {  // no memory at the start: read when it is asked for
    }
}

}  // namespace

mode wanted_mode() {
    const char* given = variables()("FADE_TRUTH");
    const std::string_view word = given ? given : "wgp";
    return word == "wgp" || word.empty() ? mode::wgp : word == "cu" ? mode::cu : mode::off;
}

answers correct(const backend::device_reading& said, mode m) {
    answers a;
    truth::readings r;
    r.runtime = said;
    for (const auto& [name, value] : variables().all)
        if (truth::changes_answers(name)) r.environment.emplace(name, value);
    r.user = live::read_user(live::read_config(variables()), live::slot_of(said), variables());
    const device_traits t = describe(r).traits;
    if (m == mode::off || !t.gfx || !said.multiprocessors) return a;
    if (t.l2_bytes_total) set(a.l2, said.l2_bytes, *t.l2_bytes_total);
    const bool rdna = bool(t.lds_per_wgp_bytes);
    const bool counted_units =
        rdna && t.cu_count && *t.cu_count == *said.multiprocessors;  // CU mode: nothing is halved or doubled
    if (rdna && !t.cu_count) return a;
    if (m == mode::cu && t.usable_cu_count && rdna)
        set(a.multiprocessors, said.multiprocessors, *t.usable_cu_count);
    set_limits(a, said, t, rdna && m == mode::wgp && !counted_units ? 2 : 1);
    return a;
}

std::string words(const backend::device_reading& said, const answers& a) {
    std::string out;
    word(out, "multiProcessorCount", said.multiprocessors, a.multiprocessors);
    word(out, "maxThreadsPerMultiProcessor", said.threads_per_multiprocessor, a.threads);
    word(out, "sharedMemPerMultiprocessor", said.shared_per_multiprocessor, a.shared);
    word(out, "regsPerMultiprocessor", said.registers_per_multiprocessor, a.registers);
    word(out, "l2CacheSize", said.l2_bytes, a.l2);
    return out;
}

}  // namespace fade::shim
