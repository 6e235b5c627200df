#include "report.hpp"
#include "structs.hpp"

namespace fade::c {

void hand_out(outcome&& what, const fade_options& options) {
    std::unique_ptr<fade_report> report;
    if (options.report) report.reset(new fade_report{std::move(what.report)});
    if (options.plan) *options.plan = new fade_plan{std::move(what.launches), what.workspace_bytes};
    if (options.report) *options.report = report.release();
}

}  // namespace fade::c

const char* fade_report_text(const fade_report* r, int32_t field) {
    const fade::report* s = r ? &r->said : nullptr;
    if (!s || field < FADE_REPORT_REQUESTED || field > FADE_REPORT_EVIDENCE) return nullptr;
    const std::string* texts[] = {&s->requested, &s->chosen, &s->why, &s->device, &s->arch, &s->evidence};
    return texts[field]->c_str();
}
int32_t fade_report_fallback(const fade_report* r) { return r && r->said.fallback; }
void fade_report_close(fade_report* r) { delete r; }

size_t fade_plan_workspace_bytes(const fade_plan* p) { return p ? p->workspace_bytes : 0; }
int32_t fade_plan_launch_count(const fade_plan* p) { return p ? int32_t(p->launches.size()) : 0; }
fade_status fade_plan_launch(const fade_plan* p, int32_t index, fade_launch* out) {
    return fade::c::guarded([&] {
        if (!p) throw fade::error("plan", "null", "a call with options.plan makes one");
        if (!out || out->size < sizeof(size_t))
            throw fade::error("out", "null or without size", "it is filled");
        fade::c::require_one_of(index, fade_plan_launch_count(p), "index", "the plan has fewer launches");
        const fade::planned_launch& l = p->launches[std::size_t(index)];
        const fade_launch all{.size = out->size,
                              .entry = l.entry,
                              .grid = {l.grid[0], l.grid[1], l.grid[2]},
                              .block = {l.block[0], l.block[1], l.block[2]},
                              .dynamic_shared_bytes = l.dynamic_lds,
                              .cluster = l.cluster,
                              .arguments = l.kernarg.data(),
                              .argument_bytes = l.kernarg.size()};
        std::memcpy(static_cast<void*>(out), &all, std::min(out->size, sizeof all));
    });
}
void fade_plan_close(fade_plan* p) { delete p; }
