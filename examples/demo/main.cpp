// fade-demo: a network of two convolutions learns handwritten digits, all of it on FADE.
#include "devices.hpp"
#include "outcome.hpp"
#include <algorithm>
#include <cstdio>
#include <fade/core/error.hpp>

namespace {

using namespace demo;

/// Who trains, and who works through the models again: an emulated GPU, the CPU beside a GPU, or nobody.
struct cast {
    std::unique_ptr<trainer> first;
    std::unique_ptr<examiner> second;
};

cast cast_for(const std::string& name) {
    for (const auto emulated : {emulated_gfx942, emulated_gfx1100})
        if (auto second = emulated(name)) return {host_trainer("host"), std::move(second)};
    if (auto gpu = gpu_trainer(name)) return {std::move(gpu), host_trainer("host")};
    if (auto host = host_trainer(name)) return {std::move(host), nullptr};
    throw fade::error("the device", "'" + name + "'",
                      "this program holds host, emulated:gfx942 and emulated:gfx1100, and hip:N or cuda:N "
                      "where it was compiled for those");
}

void print_limits(const char* what, const batch_limits& l) {
    std::printf("  %-16s %d images (%.0f KiB each); with activation checkpointing %d (%.0f KiB)\n", what,
                l.kept, double(l.image_bytes) / 1024, l.recomputed, double(l.image_bytes_recomputed) / 1024);
}

/// The largest batches. Refuses one that the device has no room for.
void find_batches(trainer& device, const settings& s) {
    const batch_limits f32 = device.limits(arithmetic::f32), mixed = device.limits(arithmetic::mixed);
    std::printf("The largest batch, of %.1f GiB free:\n", double(f32.free_bytes) / (1 << 30));
    print_limits("f32", f32), print_limits("mixed precision", mixed);
    std::fflush(stdout);
    const int most = s.activations == activations::kept ? f32.kept : f32.recomputed;
    if (s.batch > most)
        throw fade::error("--batch", std::to_string(s.batch),
                          "the device has room for " + std::to_string(most) + " images");
}

std::vector<model> train(trainer& device, const settings& s, const digits& data) {
    std::vector<curve> curves{{"f32", {}, {}}, {"mixed precision", {}, {}}};
    std::vector<model> models;
    models.push_back(device.train(arithmetic::f32, s, data, curves[0]));
    models.push_back(device.train(arithmetic::mixed, s, data, curves[1]));
    models.push_back({"f32, quantised to i8", arithmetic::i8, models[0].parameters});
    if (!s.picture.empty()) draw(curves, s.picture), std::printf("Learning curves: %s\n", s.picture.c_str());
    return models;
}

std::vector<answers> examine(examiner& device, const std::vector<model>& models, const settings& s,
                             const digits& data) {
    std::vector<answers> out;
    for (const model& m : models) out.push_back(device.examine(m, s, data));
    return out;
}

bool agree(const cast& devices, const std::vector<model>& models, const std::vector<answers>& said,
           const settings& s, const digits& data) {
    std::printf("\nThe same networks on %s:\n", devices.second->words().c_str());
    bool same = true;
    for (std::size_t i = 0; i < models.size(); ++i)
        same = print_same(models[i], devices.second->examine(models[i], s, data), said[i]) && same;
    return same;
}

}  // namespace

int main(int count, char** words) try {
    settings s = parse(count, words);
    const digits data = load_digits(s.data);
    s.examined = std::min(s.examined, data.held_out.count());
    if (s.batch > data.train.count())
        throw fade::error("--batch", std::to_string(s.batch),
                          "there are " + std::to_string(data.train.count()) + " images to learn from");
    const cast devices = cast_for(s.device);
    std::printf("Device: %s\n", devices.first->words().c_str());
    std::printf("Data: %d handwritten digits to learn from, %d held out\n", data.train.count(),
                data.held_out.count());
    find_batches(*devices.first, s);
    if (!s.picture.empty()) require_writable(s.picture);
    const std::vector<model> models = train(*devices.first, s, data);
    const std::vector<answers> said = examine(*devices.first, models, s, data);
    bool good = print(models, said, data.held_out, s.required);
    if (devices.second) good = agree(devices, models, said, s, data) && good;
    return good ? 0 : 1;
} catch (const std::exception& e) {
    std::fflush(stdout);
    std::fprintf(stderr, "fade-demo: %s.\n", e.what());
    return 2;
}
