#include "record.hpp"
#include <fstream>
#include <set>
#include <vector>

namespace fade::doctor {
namespace {

using tools::refusal;

void read_runtime(backend::device_reading& to, const section& s) {
    to.name = s.word("name"), to.target = s.word("gcnArchName");
    to.multiprocessors = s.whole("multiProcessorCount");
    to.threads_per_multiprocessor = s.whole("maxThreadsPerMultiProcessor"),
    to.blocks_per_multiprocessor = s.whole("maxBlocksPerMultiProcessor"),
    to.threads_per_block = s.whole("maxThreadsPerBlock");
    to.warp_size = s.whole("warpSize"), to.major = s.whole("major"), to.minor = s.whole("minor"),
    to.integrated = s.whole("integrated");
    to.registers_per_block = s.whole("regsPerBlock"),
    to.registers_per_multiprocessor = s.whole("regsPerMultiprocessor");
    to.shared_per_block = s.bytes("sharedMemPerBlock"),
    to.shared_per_block_optin = s.bytes("sharedMemPerBlockOptin"),
    to.shared_per_multiprocessor = s.bytes("sharedMemPerMultiprocessor");
    to.l2_bytes = s.bytes("l2CacheSize"), to.total_memory = s.bytes("totalGlobalMem"),
    to.free_memory = s.bytes("freeMem");
    to.clock_khz = s.khz("clockRate"), to.memory_clock_khz = s.khz("memoryClockRate"),
    to.bus_bits = s.whole("memoryBusWidth");
    to.pci_domain = s.whole("pciDomainID"), to.pci_bus = s.whole("pciBusID"),
    to.pci_device = s.whole("pciDeviceID");
}

void read_framework(backend::device_reading& to, const section& s) {
    to.name = s.word("name"), to.target = s.word("gcnArchName");
    to.multiprocessors = s.whole("multi_processor_count"), to.warp_size = s.whole("warp_size"),
    to.threads_per_multiprocessor = s.whole("max_threads_per_multi_processor");
    to.total_memory = s.bytes("total_memory"), to.l2_bytes = s.bytes("L2_cache_size"),
    to.pci_bus = s.whole("pci_bus_id");
    to.major = s.whole("major"), to.minor = s.whole("minor");
}

void read_agent(truth::agent_reading& to, const section& s) {
    to.name = s.word("name"), to.marketing_name = s.word("marketing_name"), to.uuid = s.word("uuid");
    to.l1_kib = s.whole("l1_kb"), to.l2_kib = s.whole("l2_kb"), to.l3_kib = s.whole("l3_kb");
    to.chip_id = s.whole("chip_id"), to.asic_revision = s.whole("asic_revision"),
    to.cacheline_bytes = s.whole("cacheline_bytes");
    to.max_clock_mhz = s.whole("max_clock_mhz"), to.bdfid = s.whole("bdfid"),
    to.compute_units = s.whole("compute_units");
    to.simds_per_cu = s.whole("simds_per_cu"), to.shader_engines = s.whole("shader_engines"),
    to.arrays_per_engine = s.whole("shader_arrays_per_engine");
    to.wavefront_size = s.whole("wavefront_size"), to.max_waves_per_cu = s.whole("max_waves_per_cu");
    to.pool_kib = s.whole("pool_kb"), to.group_pool_kib = s.whole("group_pool_kb"),
    to.apu = s.flag("apu").value_or(false);
}

void read_caches(truth::kernel_reading& to, const json& record) {
    const auto found = record.find("kfd_caches");
    if (found == record.end()) return;
    if (!found->is_array() || found->size() > 4096)
        throw refusal("The record's kfd_caches is not a list of caches.");
    for (const json& row : *found) {
        const json wrapped = {{"kfd_caches", row}};
        const section s(wrapped, "kfd_caches");
        to.caches.push_back(
            {s.whole("level").value_or(0), s.whole("size_kb").value_or(0), s.whole("count").value_or(1)});
    }
}

void read_kernel(truth::kernel_reading& to, const json& record) {
    const section s(record, "kfd"), bank(record, "kfd_mem_bank");
    to.simd_count = s.whole("simd_count"), to.simd_per_cu = s.whole("simd_per_cu"),
    to.max_waves_per_simd = s.whole("max_waves_per_simd");
    to.lds_kib = s.whole("lds_size_in_kb"), to.wave_front_size = s.whole("wave_front_size");
    to.array_count = s.whole("array_count"), to.arrays_per_engine = s.whole("simd_arrays_per_engine"),
    to.cu_per_array = s.whole("cu_per_simd_array");
    to.gfx_target_version = s.whole("gfx_target_version"), to.vendor_id = s.whole("vendor_id"),
    to.device_id = s.whole("device_id");
    to.location_id = s.whole("location_id"), to.domain = s.whole("domain"),
    to.render_minor = s.whole("drm_render_minor");
    to.num_xcc = s.whole("num_xcc"), to.unique_id = s.whole("unique_id"), to.hive_id = s.whole("hive_id");
    to.max_engine_mhz = s.whole("max_engine_clk_fcompute"), to.cpu_cores = s.whole("cpu_cores_count");
    to.bank_bytes = bank.whole("size_in_bytes"), to.bank_width = bank.whole("width"),
    to.bank_clock_mhz = bank.whole("mem_clk_max");
    read_caches(to, record);
}

void read_driver(truth::driver_reading& to, const section& s) {
    to.name = s.word("marketing_name"), to.asic_name = s.word("asic_name"),
    to.memory_kind = s.word("vram_type");
    to.active_cus = s.whole("cu_active_number"), to.shader_engines = s.whole("shader_engines"),
    to.arrays_per_engine = s.whole("shader_arrays_per_engine"), to.array_count = s.whole("array_count"),
    to.cu_per_array = s.whole("cu_per_simd_array"), to.wave_front_size = s.whole("wave_front_size");
    to.max_engine_mhz = s.whole("max_engine_clock_mhz"), to.max_memory_mhz = s.whole("max_memory_clock_mhz"),
    to.bus_bits = s.whole("vram_bus_width");
    to.l2_bytes = s.amount("l2", {{"_bytes", 1}, {"_kib", 1024}}),
    to.l3_bytes = s.amount("l3", {{"_bytes", 1}, {"_kib", 1024}});
    to.vram_bytes = s.amount("vram", {{"_bytes", 1}, {"_mib", 1048576}}),
    to.gtt_bytes = s.amount("gtt", {{"_bytes", 1}, {"_mib", 1048576}});
}

void read_management(truth::management_reading& to, const section& s) {
    to.model = s.word("gpu_model"), to.cus = s.whole("cu_per_gpu");
    if (!to.cus) to.cus = s.whole("cu_count");
    to.xccs = s.whole("num_xcd"), to.shader_engines = s.whole("se_per_gpu"),
    to.wave_size = s.whole("wave_size"), to.simd_per_cu = s.whole("simd_per_cu");
    to.max_waves_per_cu = s.whole("max_waves_per_cu"), to.l2_kib = s.whole("gpu_l2_kb"),
    to.max_engine_mhz = s.whole("max_sclk_mhz"), to.max_memory_mhz = s.whole("max_mclk_mhz");
    to.vram_total = s.whole("vram_total"), to.bandwidth_gb_s = s.real("hbm_bw_gb_s");
}

void read_machine(truth::readings& to, const json& record) {
    const section pci(record, "pci"), sysfs(record, "sysfs"), opencl(record, "opencl"),
        state(record, "state"), software(record, "software"), env(record, "env");
    to.pci = {
        pci.hex("vendor"),           pci.hex("device"), pci.hex("revision"), pci.hex("subsystem_vendor"),
        pci.hex("subsystem_device"), pci.word("slot"),  pci.word("vbios")};
    to.sysfs = {sysfs.whole("mem_info_vram_total"),
                sysfs.whole("mem_info_gtt_total"),
                {},
                sysfs.word("current_compute_partition"),
                sysfs.word("current_memory_partition")};
    if (const auto kib = state.whole("host_memory_kb"); kib && *kib < (std::uint64_t(1) << 50))
        to.sysfs.host_memory = *kib * 1024;
    to.opencl = {opencl.whole("max_compute_units"), opencl.whole("simd_per_compute_unit"),
                 opencl.whole("wavefront_width"), opencl.whole("global_mem_bytes")};
    to.state = {state.flag("kfd_present"), state.flag("dxg_present"), state.word("kfd_open_errno"),
                state.word("render_open_errno"), state.word_or_flag("container")};
    if (!to.state.container) to.state.container = software.word_or_flag("container");
    to.system = software.word("os");
    for (const char* name : {"kernel", "amdgpu", "rocm", "hip", "cuda", "torch"})
        if (auto version = software.word(name)) to.versions[name] = std::move(*version);
    if (!env.empty())
        for (const auto& [key, value] : env.get()->items())
            to.environment[key] = env.word(key.c_str()).value();
}

}  // namespace

json parse_json(const std::string& text, const std::string& what) {
    std::vector<std::set<std::string>> keys;
    const auto watch = [&](int depth, json::parse_event_t event, json& value) {
        if (depth > 64) throw refusal(what + " is nested too deeply.");
        if (event == json::parse_event_t::object_start) keys.emplace_back();
        if (event == json::parse_event_t::object_end) keys.pop_back();
        if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
            throw refusal(what + " has the key " + tools::quoted(value.get<std::string>()) + " twice.");
        return true;
    };
    try {
        return json::parse(text, watch);
    } catch (const json::exception&) {
        throw refusal(what + " is not JSON.");
    }
}

truth::readings read_record(const json& record) {
    if (!record.is_object()) throw refusal("The record is not a JSON object.");
    const auto schema = record.find("schema");
    if (schema == record.end() || !schema->is_number_unsigned() || schema->get<std::uint64_t>() != 1)
        throw refusal("The record's schema is not 1.");
    bool any = false;
    for (const char* name : {"hip", "torch", "opencl", "vulkan", "rocminfo", "kfd", "kfd_mem_bank",
                             "kfd_caches", "drm", "sysfs", "smi", "pci", "state"})
        any = any || record.contains(name);
    if (!any) throw refusal("The record holds nothing that a source reported.");
    truth::readings r;
    read_runtime(r.runtime, section(record, "hip")), read_framework(r.framework, section(record, "torch"));
    read_agent(r.agent, section(record, "rocminfo")), read_kernel(r.kernel, record);
    read_driver(r.driver, section(record, "drm")), read_management(r.management, section(record, "smi"));
    read_machine(r, record);
    return r;
}

std::string read_file(const std::string& path) {
    constexpr std::size_t max = 16u << 20;
    std::ifstream in(path, std::ios::binary);
    if (!in) throw refusal(tools::quoted(path) + " cannot be read.");
    std::string text(max + 1, '\0');
    in.read(text.data(), std::streamsize(text.size()));
    if (in.bad()) throw refusal(tools::quoted(path) + " cannot be read.");
    if (std::size_t(in.gcount()) > max) throw refusal(tools::quoted(path) + " is larger than any record.");
    text.resize(std::size_t(in.gcount()));
    return text;
}

}  // namespace fade::doctor
