// What the instruction set of an architecture fixes. Product-dependent facts (compute units, clocks, memory)
// are device traits.
#pragma once
#include <cstdint>
#include <fade/core/namespace.hpp>
#include <string_view>

namespace FADE_NAMESPACE::arch {

/// Architectures whose instructions are alike.
enum class family { host, gcn, cdna, rdna2, rdna3, rdna4, gfx125, nvidia };

/// Sources: LLVM's AMDGPU target description for registers and granules, AMD's ISA guides for buffer words
/// and LDS.
struct arch_traits {
    std::string_view name;      ///< as compilers call it
    arch::family family;        ///< what its instructions have in common
    int wave_size;              ///< lanes of a wave
    int simds_per_cu;           ///< vector units of a compute unit
    int waves_per_simd;         ///< most resident waves
    int vgprs_per_simd;         ///< in registers of the native wave
    int vgpr_granule;           ///< registers of a wave are allocated in multiples of it
    int vgprs_per_wave;         ///< addressable, accumulation registers included
    int lds_per_workgroup;      ///< bytes
    int lds_per_cu;             ///< bytes that the workgroups of a compute unit share
    int lds_wrap;               ///< bytes after which shared-memory banks repeat for 16-byte reads
    std::uint32_t buffer_word;  ///< word 3 of a raw buffer resource
    int xcds;                   ///< compute dies that workgroups alternate over, in the flagship
    bool tensor_maps = false;   ///< can boxes of a tensor be copied to shared memory by a map?
    bool transposing_reads =
        false;  ///< can reads of shared memory turn rows of 16-bit elements into columns?
    /// Are all fields equal?
    constexpr bool operator==(const arch_traits&) const = default;
};

constexpr bool is_amd(const arch_traits& t) { return t.family != family::nvidia && t.family != family::host; }

/// Bytes that the address of an access of `bytes` to global memory is a multiple of. AMD's are aligned to
/// dwords, however long they are (ISA guides, memory buffer operations: of dwords and longer the two lowest
/// bits of an address are ignored).
constexpr int access_alignment(const arch_traits& t, int bytes) { return is_amd(t) && bytes > 4 ? 4 : bytes; }

/// Would results of a lane that each have a copy of tens of instructions fill the instruction cache? AMD's
/// hold 32 to 64 KiB, and two compute units share one (RDNA and CDNA white papers).
constexpr bool has_small_instruction_cache(const arch_traits& t) { return is_amd(t); }

}  // namespace FADE_NAMESPACE::arch
