#include "capture.hpp"
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include "reference.hpp"

namespace fade::bench {
namespace {

using json = nlohmann::ordered_json;

void write_file(const std::filesystem::path& path, const void* bytes, std::size_t count) {
    std::ofstream file(path, std::ios::binary);
    file.write(static_cast<const char*>(bytes), std::streamsize(count));
    if (!file.flush()) throw tools::refusal("--capture cannot write " + tools::quoted(path.string()) + ".");
}

/// Buffers are named as the matrices; those of further problems of a group have its number behind the name.
std::string name_in(std::size_t group, const std::string& matrix) { return group ? matrix + std::to_string(group) : matrix; }

json buffer_of(const std::filesystem::path& folder, const buffer& b, std::size_t group) {
    const matrix& m = b.shape();
    const std::string name = name_in(group, m.name);
    json out{{"name", name}, {"address", reinterpret_cast<std::uintptr_t>(b.data())}, {"bytes", m.bytes()}, {"role", m.written ? "out" : "in"}};
    if (m.written) return out;
    out["before"] = name + ".bin";
    write_file(folder / (name + ".bin"), b.data(), m.bytes());
    return out;
}

/// The reference as D lies in memory; between its rows the bytes that a replay finds there, 0xa5.
std::vector<double> expected_output(const gemm_request& r, const gemm_data& data) {
    const matrix& m = data.output().shape();
    const std::vector<std::byte> untouched(8, std::byte{0xa5});
    std::vector<double> out(m.count());
    if (m.empty()) return out;
    m.type->decode(untouched.data(), 0, 0, m.count(), out.data());
    std::vector<index> rows(m.rows);
    std::iota(rows.begin(), rows.end(), 0);
    compute_reference(r, data, rows, [&](const reference_tile& t) {
        for (index i = 0; i < t.row_count; ++i)
            std::copy_n(t.values + i * t.column_count, t.column_count, &out[m.at(t.batch, t.rows[i], t.first_column)]);
    });
    return out;
}

json expectation_of(const std::filesystem::path& folder, const gemm_request& r, const gemm_data& data, std::size_t group) {
    const std::string name = name_in(group, "d"), file = name + "_expected.bin";
    const std::vector<double> values = expected_output(r, data);
    write_file(folder / file, values.data(), values.size() * sizeof(double));
    return {{"buffer", name}, {"dtype", r.out->name}, {"file", file}, {"file_dtype", "f64"}, {"bound", error_bound(r, data.problem())}};
}

json launch_of(const launch& l, std::string_view arch) {
    std::string hex;
    for (std::byte b : l.kernarg)
        for (int shift : {4, 0}) hex += "0123456789abcdef"[(std::to_integer<int>(b) >> shift) & 15];
    return {{"arch", arch}, {"symbol", l.symbol}, {"grid", l.grid}, {"block", l.block}, {"dynamic_lds", l.dynamic_lds}, {"kernarg", hex}};
}

/// What a problem would launch, with the memory that its kernels share k through. That is never touched.
struct captured_choice {
    std::unique_ptr<std::byte[]> workspace;
    gemm_choice choice;
};

captured_choice chosen(const gemm_request& r, const device_choice& device, gemm_call call) {
    const gemm_runner& planner = find_planner(r, device, call);
    captured_choice out{nullptr, planner.choose(call, device.arch, device.number)};
    if (out.choice.workspace_bytes == 0) return out;
    out.workspace = std::make_unique_for_overwrite<std::byte[]>(out.choice.workspace_bytes);
    call.workspace = out.workspace.get(), call.workspace_bytes = out.choice.workspace_bytes;
    out.choice = planner.choose(call, device.arch, device.number);
    return out;
}

json workspace_of(const captured_choice& c, std::size_t group) {
    return {{"name", name_in(group, "workspace")}, {"address", reinterpret_cast<std::uintptr_t>(c.workspace.get())},
            {"bytes", c.choice.workspace_bytes}, {"role", "scratch"}};
}

}  // namespace

void prepare_capture(const std::filesystem::path& folder) {
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure || !std::ofstream(folder / "launch.json"))
        throw tools::refusal("--capture is " + tools::quoted(folder.string()) + ", but that is no folder that can be written to.");
}

void write_capture(const std::filesystem::path& folder, const gemm_request& r, const device_choice& device,
                   const std::vector<gemm_data>& problems) {
    json out{{"schema", 1}, {"buffers", json::array()}, {"launches", json::array()}, {"expect", json::array()}};
    for (std::size_t g = 0; g < problems.size(); ++g) {
        const captured_choice c = chosen(r, device, problems[g].call());
        for (const buffer& b : problems[g].buffers()) out["buffers"].push_back(buffer_of(folder, b, g));
        if (c.workspace) out["buffers"].push_back(workspace_of(c, g));
        for (const launch& l : c.choice.launches) out["launches"].push_back(launch_of(l, device.arch));
        out["expect"].push_back(expectation_of(folder, r, problems[g], g));
    }
    const std::string text = out.dump(1);
    write_file(folder / "launch.json", text.data(), text.size());
}

}  // namespace fade::bench
