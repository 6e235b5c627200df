// Readings taken away from recorded machines, at random: what is left makes fewer traits known, and none
// wrong.
//     fade-doctor-dropped [RUNS] RECORDS...
// RECORDS: a file with one record, or with a list of them. FADE_SEED repeats a run.
#include "doctor/record.hpp"
#include "doctor/to_json.hpp"
#include <cstdio>
#include <cstdlib>
#include <fade/device/truth/description.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

using fade::doctor::json;

const std::set<std::string> hidden = {"id", "gpu", "bad", "truth", "source", "box", "date", "schema"};
/// Facts about the machine, which no reading of a device goes without.
const std::set<std::string> machine = {"env", "software", "state"};

struct card {
    std::string name;
    json shown, truth;
    bool misnamed = false;  ///< the architecture's name is false, and the marketing name alone may show it
    bool stepping = false;  ///< nothing but the architecture's name tells it from what was sold
};

card read_card(const json& record) {
    card c{record.at("id").get<std::string>(), json::object(), record.at("truth")};
    c.shown["schema"] = 1u, c.truth.erase("source");
    for (const auto& [key, value] : record.items())
        if (!hidden.contains(key)) c.shown[key] = value;
    for (const json& word : record.value("bad", json::array())) {
        c.misnamed = c.misnamed || word == "gfx-spoofed" || word == "gfx-family-wrong";
        c.stepping = c.stepping || word == "gfx-stepping-name";
    }
    return c;
}

/// Each reading stays with the same chance, which is drawn for the record; sections go as a whole, too.
json without_some(const card& c, std::mt19937_64& draw) {
    std::uniform_real_distribution<double> unit(0, 1);
    const double stays = unit(draw), whole = unit(draw) < 0.5 ? 1 : 0.6;
    json out = json::object();
    out["schema"] = 1u, out["state"] = json::object();
    for (const auto& [section, values] : c.shown.items()) {
        if (machine.contains(section)) out[section] = values;
        if (machine.contains(section) || section == "schema" || (!c.stepping && unit(draw) > whole)) continue;
        if (!values.is_object()) {
            if (unit(draw) < stays) out[section] = values;
            continue;
        }
        for (const auto& [key, value] : values.items()) {
            const bool witness = c.misnamed && (key == "marketing_name" || key == "name" || key == "chip_id");
            const bool isa = key == "name" && section == "rocminfo";
            if ((witness && !isa) || (c.stepping && isa) || unit(draw) < stays) out[section][key] = value;
        }
    }
    return out;
}

/// "cu_count is 80, true 72", or nothing.
std::string wrong(const json& traits, const json& truth) {
    for (const auto& [name, value] : truth.items()) {
        const auto found = traits.find(name);
        if (found != traits.end() && !found->at("value").is_null() && found->at("value") != value)
            return name + " is " + found->at("value").dump() + ", true " + value.dump() + " (" +
                   found->at("why").get<std::string>() + ")";
    }
    return {};
}

std::size_t known(const json& traits, const json& truth) {
    std::size_t n = 0;
    for (const auto& [name, value] : truth.items())
        n += traits.contains(name) && !traits.at(name).at("value").is_null();
    return n;
}

json traits_of(const json& record) {
    const auto d = fade::describe(fade::doctor::read_record(record));
    return json::parse(fade::doctor::to_json({d}).dump()).at("devices").at(0).at("traits");
}

std::vector<card> read_cards(int count, char** paths) {
    std::vector<card> out;
    for (int i = 0; i < count; ++i) {
        const json file = fade::doctor::parse_json(fade::doctor::read_file(paths[i]), paths[i]);
        if (file.is_array())
            for (const json& record : file) out.push_back(read_card(record));
        else
            out.push_back(read_card(file));
    }
    return out;
}

}  // namespace

int main(int argc, char** argv) try {
    const std::uint64_t runs = argc > 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
    const char* given = std::getenv("FADE_SEED");
    const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    const auto cards = read_cards(argc - 2, argv + 2);
    if (runs == 0 || cards.empty())
        return std::fputs("usage: fade-doctor-dropped RUNS RECORDS...\n", stderr), 2;
    std::printf("seed %llu (FADE_SEED repeats this run)\n", static_cast<unsigned long long>(seed));
    std::mt19937_64 draw(seed);
    std::size_t faults = 0, fields = 0, left = 0;
    const auto judge = [&](const card& c, const json& shown) {
        const json traits = traits_of(shown);
        fields += c.truth.size(), left += known(traits, c.truth);
        if (const std::string fault = wrong(traits, c.truth); !fault.empty() && ++faults <= 20)
            std::printf("FAILED %s: %s, from %s\n", c.name.c_str(), fault.c_str(), shown.dump().c_str());
    };
    for (const card& c : cards) judge(c, c.shown);
    for (std::uint64_t i = 0; i < runs; ++i) {
        const card& c = cards[draw() % cards.size()];
        judge(c, without_some(c, draw));
    }
    const std::size_t all = runs + cards.size();
    std::printf("%zu records, %.0f%% of the fields known\n", all, 100 * double(left) / double(fields));
    if (5 * left < 2 * fields) std::puts("FAILED: too few fields are known for a test"), ++faults;
    std::printf("%zu passed, %zu failed\n", all - faults, faults);
    return faults != 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
}
