// Any bytes as a record: described or refused with a sentence, never a crash, and every trait has its
// provenance.
#include "doctor/record.hpp"
#include "doctor/to_json.hpp"
#include <cstdint>
#include <cstdlib>
#include <fade/device/truth/description.hpp>
#include <string>

namespace {

template <class T>
void sound(const fade::truth::field<T>& f) {
    if (f.value ? f.source.empty() : f.why.empty()) std::abort();
    if (f.corrected && (!f.reported || *f.reported == *f.value || f.why.empty())) std::abort();
    if (f.value && f.reported && *f.reported != *f.value && !f.corrected) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const std::string text(reinterpret_cast<const char*>(data), size);
        const auto d =
            fade::describe(fade::doctor::read_record(fade::doctor::parse_json(text, "The record")));
        fade::truth::each_trait(d.traits, [](const char*, const auto& f) { sound(f); });
        if (fade::doctor::to_json({d}).dump(1, ' ', true).empty()) std::abort();
    } catch (const fade::tools::refusal& refused) {
        if (std::string(refused.what()).empty()) std::abort();
    }
    return 0;
}
