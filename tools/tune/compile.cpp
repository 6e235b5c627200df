#include "tune/compile.hpp"
#include "common/output.hpp"
#include "common/progress.hpp"
#include "common/refusal.hpp"
#include "tune/budget.hpp"
#include "tune/interrupts.hpp"
#include "tune/module_product.hpp"
#include <charconv>
#include <fade/device/tune/search.hpp>
#include <fade/tune/gemm/space.hpp>
#include <fade/tune/gemm/tuned.hpp>
#include <functional>
#include <nlohmann/json.hpp>

namespace fade::tools {

namespace {
using ordered = nlohmann::ordered_json;
using clock = std::chrono::steady_clock;
using tune::time_limit;

double seconds_to(time_limit end) { return std::chrono::duration<double>(end - clock::now()).count(); }
time_limit part_of_time(time_limit end, double part) {
    const auto now = clock::now();
    return now + std::chrono::duration_cast<clock::duration>((end - now) * part);
}

/// What a call takes now, and what may be faster.
struct choices {
    gemm_policy now{};
    std::vector<gemm_policy> candidates;
};
/// Of a product, for so many compute units, with so many candidates of a space.
using choices_of = std::function<choices(const gemm_problem&, int, const tune::gemm_space&, int)>;

template <class Arch, class In>
choices choices_on(const gemm_problem& p, int units, const tune::gemm_space& space, int max) {
    constexpr tune::gemm_row row = tune::row_of<Arch, In>();
    const auto access = operand_access(int(p.layout));
    const tune::gemm_choice c =
        tune::select_gemm(row, kernel::checked(p), nullptr, nullptr, sizeof(In), units, 1, only(access));
    choices out{tune::policy_for(row, c.size, c.access), {}};
    if (c.access == access)
        out.candidates = tune::gemm_candidates<Arch, In>(p, units, out.now, space, std::size_t(max));
    return out;
}

choices_of choices_for(const std::string& arch, dtype type) {
    choices_of out;
    arch::with_arch(arch::amd{}, arch, [&]<class Arch>(Arch) {
        const auto of = [&]<class In>(In) {
            if constexpr (arch::has_atom<Arch, In>) out = choices_on<Arch, In>;
        };
        type == dtype::f32 ? of(float{}) : type == dtype::f16 ? of(f16{}) : of(bf16{});
    });
    if (!out)
        throw refusal(tools::quoted(arch) + " is no AMD architecture that multiplies " + name(type) + ".");
    return out;
}

dtype type_of(const std::string& word) {
    for (const dtype type : {dtype::f32, dtype::f16, dtype::bf16})
        if (word == name(type)) return type;
    throw refusal("--dtype is " + tools::quoted(word) + ": candidates are compiled for f32, f16 and bf16.");
}

/// A device, as modules know it.
struct target {
    tune::module_request request{};
    tune::module_target open{};
    bool has_speed = false, is_there = true;  // what is not there is compiled for, and runs nothing
};

target target_of(const compile_options& o) {
    target out{.request = {.arch = o.arch, .type = type_of(o.dtype)},
               .open = {.threads = o.threads, .compute_units = o.compute_units}};
    constexpr std::string_view emulated = "emulated:", hip = "hip:";
    if (o.device.starts_with(emulated)) {
        out.request.arch = o.device.substr(emulated.size());
        if (!o.arch.empty() || !o.database.empty())
            throw refusal(
                "An emulated device has its architecture in its name and no speed, so --arch and --db "
                "are none of its options.");
        return out;
    }
    if (o.device == "hip") {
        if (o.arch.empty() || !o.database.empty())
            throw refusal("Compiling for GPUs that are elsewhere needs --arch, and times nothing, so it "
                          "takes no --db.");
        out.request.device = tune::module_device::hip, out.is_there = false;
        return out;
    }
    const char* const end = o.device.data() + o.device.size();
    const bool is_hip = o.device.starts_with(hip);
    if (!is_hip || std::from_chars(o.device.data() + hip.size(), end, out.open.number).ptr != end ||
        o.device.size() == hip.size())
        throw refusal("--device is " + tools::quoted(o.device) +
                      ", but candidates are compiled for cuda:NUMBER, emulated:ARCH, hip and hip:NUMBER.");
    if (o.arch.empty() || o.database.empty())
        throw refusal("A GPU's candidates need --arch, as compilers call it, and --db.");
    out.request.device = tune::module_device::hip, out.has_speed = true;
    return out;
}

/// A policy with its module.
struct compiled {
    gemm_policy policy;
    const tune::gemm_module* module;
};

/// One product of the list.
class compiled_search {
public:
    compiled_search(const target& at, const gemm_problem& p, tune::module_cache& modules)
        : at_(at), problem_(p), modules_(modules), line_{{"source", "model"}} {
        at_.request.access = operand_access(int(p.layout));
        line_["kind"] = kind(), line_["sizes"] = {p.m, p.n, p.k, p.batch}, line_["kept"] = false;
        line_["candidates"] = line_["compiled"] = line_["cached"] = 0;
        line_["refused"] = line_["times"] = ordered::array(), line_["model_nanoseconds"] = 0;
    }

    /// Until then: a third of the time is left to what was compiled.
    ordered run(const std::function<choices(int)>& choose, time_limit end, tuning_database* rows) {
        constexpr double to_compile = 0.67;
        const tune::found_module table = find(std::nullopt, end);
        if (!table.functions) return because(table.why);
        if (!at_.is_there) return only_compiled(choose(at_.open.compute_units), end);
        if (!has_time_to_fill(end)) return because("there is no time to make its operands");
        module_product product(*table.functions, at_.open, problem_, at_.request.type);
        const choices all = choose(std::atoi(product.traits.c_str()));  // "304 compute units, ..."
        line_["device"] = product.name, line_["candidates"] = all.candidates.size();
        if (const std::string why = checked(product, *table.functions, end); !why.empty())
            return because(why);
        const time_limit compiling = part_of_time(end, to_compile);
        std::vector<compiled> good;
        bool whole = true;
        const auto modules = find_all(all.candidates, compiling);
        for (std::size_t i = 0; i < modules.size(); ++i) {
            whole &= !modules[i].out_of_time && !interrupted;
            if (modules[i].out_of_time || interrupted) continue;
            std::string why = modules[i].why;
            if (modules[i].functions) why = checked(product, *modules[i].functions, end);
            if (why.empty())
                good.push_back({all.candidates[i], modules[i].functions});
            else
                refuse(all.candidates[i], why);
        }
        line_["right"] = good.size();
        const std::string rest = whole ? "" : "; the budget ended before all were compiled";
        if (!rows) return because("an emulated device has no speed, so nothing was timed or kept" + rest);
        return timed(product, {all.now, table.functions}, good, {end, rest}, *rows);
    }

private:
    struct rest_of_time {
        time_limit end;
        std::string words;
    };

    ordered only_compiled(const choices& all, time_limit end) {
        line_["candidates"] = all.candidates.size();
        bool whole = true;
        const auto modules = find_all(all.candidates, end);
        for (std::size_t i = 0; i < modules.size(); ++i) {
            whole &= !modules[i].out_of_time;
            if (!modules[i].functions && !modules[i].out_of_time) refuse(all.candidates[i], modules[i].why);
        }
        return because(std::string("no device was named, so nothing was run, timed or kept") +
                       (whole ? "" : "; the budget ended before all were compiled"));
    }
    void refuse(const gemm_policy& policy, const std::string& why) {
        line_["refused"].push_back({{"policy", ordered::parse(tune::policy_json(policy))}, {"why", why}});
    }
    ordered because(const std::string& why) { return line_["why"] = why, line_; }

    tune::found_module find(std::optional<gemm_policy> policy, time_limit limit) {
        at_.request.policy = std::move(policy);
        return counted(modules_.find(at_.request, limit));
    }
    /// Compiled side by side, in the order of the policies, until Ctrl-C.
    std::vector<tune::found_module> find_all(const std::vector<gemm_policy>& policies, time_limit limit) {
        std::vector<tune::module_request> wanted(policies.size(), at_.request);
        for (std::size_t i = 0; i < policies.size(); ++i) wanted[i].policy = policies[i];
        auto out = modules_.find_all(wanted, limit, [] { return bool(interrupted); });
        for (const tune::found_module& one : out) counted(one);
        return out;
    }
    tune::found_module counted(const tune::found_module& found) {
        if (found.functions) {
            const char* const how = found.cached ? "cached" : "compiled";
            line_[how] = line_[how].get<int>() + 1;
        }
        return found;
    }
    /// As calls ask for it, of operands that are read in runs.
    std::string kind() const {
        const std::string type = name(at_.request.type);
        return "gemm " + std::string(fade::name(problem_.layout)) + " " + type + " to " + type +
               ", epilogue none, read " + name(at_.request.access) + ", split_k 1";
    }
    double multiplications() const {
        return double(problem_.m) * double(problem_.n) * double(problem_.k) * double(problem_.batch);
    }
    bool has_time_to_fill(time_limit end) const {
        const gemm_problem& p = problem_;
        const double elements =
            (double(p.m) * double(p.k) + double(p.k) * double(p.n) + 2 * double(p.m) * double(p.n)) *
            double(p.batch);
        return elements * 3e-8 < seconds_to(end) && elements < double(1 << 30);
    }
    /// Runs it once where there is time, and looks at D. Why it is no candidate, or empty.
    std::string checked(module_product& product, const tune::gemm_module& module, time_limit end) {
        // The first call of a GPU loads code; emulation makes so many products a second, at least.
        const double first = at_.has_speed ? 0.05 : multiplications() / 5e6;
        if (std::max(1.5 * longest_, first) > seconds_to(end)) return "there is no time to run it";
        const auto begin = clock::now();
        std::string why = product.run(module);
        longest_ = std::max(longest_, -seconds_to(begin));
        if (why.empty()) why = product.fault();
        return why;
    }

    ordered timed(module_product& product, const compiled& now, const std::vector<compiled>& good,
                  const rest_of_time& rest, tuning_database& rows) {
        detail::one_policy source;
        source.asked_problem = {kind(), {problem_.m, problem_.n, problem_.k, problem_.batch}};
        source.asked_machine = {product.arch, product.traits};
        const auto text = [](const gemm_policy& p) { return tune::policy_json(tuned_gemm{p}); };
        const auto run = [&] {
            const tune::gemm_module* module = now.module;
            for (const compiled& c : good)
                if (text(c.policy) == source.policy) module = c.module;
            if (const std::string why = product.run(*module); !why.empty())
                throw error("device", product.name, why);
        };
        detail::tuned_call call{
            .source = source,
            .run = run,
            .model = text(now.policy),
            .longest = 2e9 * longest_,
            .device = product.name,
            .model_fits = true,
            .build = {now.module->fingerprint, now.module->compiler, now.module->version}};
        for (const compiled& c : good) call.candidates.push_back({text(c.policy), 2});
        const tuning found =
            detail::search(call, detail::deadline(std::chrono::duration<double>(seconds_to(rest.end))), rows);
        line_["source"] = found.kept ? "tuned" : "model", line_["kept"] = found.kept;
        if (found.kept) line_["policy"] = ordered::parse(found.row.policy);
        line_["nanoseconds"] = found.row.nanoseconds, line_["model_nanoseconds"] = found.model_nanoseconds;
        for (const timed_policy& t : found.times)
            line_["times"].push_back({{"policy", ordered::parse(t.policy)},
                                      {"nanoseconds", t.nanoseconds},
                                      {"noise", t.noise},
                                      {"calls", t.calls}});
        return because((!found.kept                            ? "the budget ended"
                        : found.row.policy == text(now.policy) ? "no policy won over the model's choice"
                                                               : "a policy won over the model's choice") +
                       rest.words);
    }

    target at_;
    gemm_problem problem_;
    tune::module_cache& modules_;
    ordered line_;
    double longest_ = 0;  // seconds of a call
};

std::string sentence_of(const ordered& line) {
    std::string out = line.value("name", "");
    if (!out.empty()) out += ", ";
    out += "gemm";
    for (const auto& size : line["sizes"]) out += " " + size.dump();
    for (const char* what : {"candidates", "compiled", "cached"})
        out += (what == std::string("candidates") ? ": " : ", ") + line[what].dump() + " " + what;
    return out + ", " + std::to_string(line["refused"].size()) + " refused; " +
           line["why"].get<std::string>();
}
}  // namespace

std::vector<gemm_policy> policies_of(const std::string& file) {
    std::vector<gemm_policy> out;
    if (file.empty()) return out;
    std::ifstream in(file);
    if (!in) throw refusal(tools::quoted(file) + " cannot be read.");
    for (std::string line; std::getline(in, line);) {
        const auto policy = tune::read_policy<gemm_policy>(line);
        if (!policy)
            throw refusal("Line " + std::to_string(out.size() + 1) + " of " + tools::quoted(file) +
                          " is no gemm_policy as --model prints it, without split_k and blanks.");
        out.push_back(*policy);
    }
    return out;
}

void compile_list(const std::vector<listed_call>& list, const compile_options& options) {
    const time_limit begin = clock::now();
    target at = target_of(options);
    if (!at.is_there && at.open.compute_units == 0) at.open.compute_units = 64;
    const choices_of choose = choices_for(at.request.arch, at.request.type);
    const tune::gemm_space space{.others = policies_of(options.candidates)};
    tune::module_cache modules(options.modules);
    if (modules.sources().kernels != tune::this_build().fingerprint)
        throw refusal("The headers of " + tools::quoted(modules.sources().folder) +
                      " are not those of this fade-tune: --include names the folder of its own.");
    std::optional<tuning_database> rows;
    if (at.has_speed) {
        rows.emplace(tuning_files{options.database, {}});
        if (!rows->refused_writes().empty()) throw refusal(rows->refused_writes() + ".");
    }
    const time_limit end = end_of_work(begin, options.budget);
    stop_when_asked();
    progress_bar bar(double(list.size()));
    std::size_t left = list.size();
    for (const listed_call& one : list) {
        const auto share = (end - clock::now()) / double(left--);
        if (interrupted || share.count() <= 0) break;
        bar.at(double(list.size() - left - 1), one.name);
        ordered line{{"source", "model"},
                     {"times", ordered::array()},
                     {"why", "candidates are compiled for products alone"}};
        if (const auto* p = std::get_if<product_work>(&one.call)) {
            const auto of_units = [&](int units) {
                return choose(*p, units, space, options.model_candidates);
            };
            line = compiled_search(at, *p, modules)
                       .run(of_units, clock::now() + std::chrono::duration_cast<clock::duration>(share),
                            rows ? &*rows : nullptr);
        }
        if (!one.name.empty()) line["name"] = one.name;
        const bool words = !options.json && line.contains("sizes");
        bar.aside([&] {
            write_output(
                (words ? sentence_of(line) : line.dump(-1, ' ', false, ordered::error_handler_t::replace)) +
                "\n");
        });
    }
}

}  // namespace fade::tools
