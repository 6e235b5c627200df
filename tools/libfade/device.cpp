#include "device.hpp"
#include "structs.hpp"
#include <algorithm>
#include <charconv>

void* fade_device::on(void* stream) {
    if (!streams_.empty() && streams_.front().stream == stream) return streams_.front().device.get();
    if (stream && !kind->is_gpu())
        throw fade::error("stream", "not null",
                          name + " has no streams: what is called there is done on return");
    auto at = std::find_if(streams_.begin(), streams_.end(),
                           [&](const on_stream& s) { return s.stream == stream; });
    if (at == streams_.end()) {
        auto made = kind->open(ordinal, stream, config);
        if (streams_.size() == max_streams) streams_.pop_back();
        at = streams_.insert(streams_.end(), {stream, std::move(made)});
    }
    std::rotate(streams_.begin(), at, at + 1);
    return streams_.front().device.get();
}

namespace fade::c {
namespace {

std::string kinds_in_words() {
    std::string out;
    for (const auto& b : backends()) out += (out.empty() ? "" : ", ") + b->kind + (b->is_gpu() ? ":N" : "");
    return out;
}

/// "hip:1" is kind hip, ordinal 1.
backend* kind_of(const std::string& name, int& ordinal) {
    for (const auto& b : backends()) {
        if (b->kind == name && !b->is_gpu()) return b.get();
        if (!b->is_gpu() || name.rfind(b->kind + ":", 0) != 0) continue;
        const char *from = name.data() + b->kind.size() + 1, *end = name.data() + name.size();
        const auto [stop, failed] = std::from_chars(from, end, ordinal);
        if (failed == std::errc() && stop == end && ordinal >= 0) return b.get();
    }
    return nullptr;
}

}  // namespace

std::unique_ptr<fade_device> open_device(const std::string& name, const device_config& config) {
    auto out = std::make_unique<fade_device>();
    out->kind = kind_of(name, out->ordinal);
    if (!out->kind) throw unsupported("device", name, "this library was built with " + kinds_in_words());
    out->name = name, out->config = config;
    out->on(nullptr);  // a device that is not there is noticed now
    return out;
}

only_user::only_user(fade_device& d) : device_(d) {
    if (d.busy.test_and_set(std::memory_order_acquire))
        throw error("device", d.name, "another thread is using it: give each thread a device of its own");
}

}  // namespace fade::c
