# The kernel instances of fade-bench: sources of bench/<operation>/instances, each compiled once per thing that it is made for.
set(at ${CMAKE_CURRENT_SOURCE_DIR}/bench)

# fade_add_instance(source suffix definition...): one object more in fade-bench.
function(fade_add_instance source suffix)
  set(name fade-bench-${suffix})
  add_library(${name} OBJECT ${at}/${source})
  target_compile_definitions(${name} PRIVATE ${ARGN})
  target_link_libraries(${name} PRIVATE fade-tools)
  target_link_libraries(fade-bench PRIVATE ${name})
endfunction()

# The same of an emulated architecture. GEMMs, whose functions are small, gain a tenth or more by passes that cost little.
function(fade_add_emulated_instance source suffix)
  fade_add_instance(${source} ${suffix} ${ARGN})
  target_compile_options(fade-bench-${suffix} PRIVATE ${FADE_EMULATION_OPTIONS})
  if(source MATCHES "^gemm/")
    target_compile_options(fade-bench-${suffix} PRIVATE
      $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-fpeel-loops;-finline-functions;-fstrict-aliasing;-fexpensive-optimizations;-ftree-vrp>)
  endif()
endfunction()

# Of these architectures those that the compiler of device code knows. What it is too old for is left out, loudly.
function(fade_known_archs out type archs)
  set(known)
  foreach(arch IN LISTS archs)
    fade_hip_knows(knows ${arch})
    if(knows)
      list(APPEND known ${arch})
    else()
      message(WARNING "${FADE_HIP_COMPILER} does not know ${arch}: fade-bench gets no ${type} code for it.")
    endif()
  endforeach()
  set(${out} ${known} PARENT_SCOPE)
endfunction()

# All AMD targets of a type and epilogue lie in one object, so that each kernel's symbol stands in the program once.
function(fade_add_gemm_hip_instances type archs)
  fade_known_archs(known ${type} "${archs}")
  if(known)
    foreach(chain IN LISTS chains)
      fade_hip_sources(fade-bench ${at}/gemm/instances/hip.hip.cpp ARCHS ${known} SUFFIX ${type}-${chain}
        DEFINITIONS FADE_BENCH_TYPE=${type} FADE_BENCH_CHAIN=${chain})
    endforeach()
  endif()
endfunction()

# fade_add_cuda_instance(source suffix type): all NVIDIA targets of a type in one object.
function(fade_add_cuda_instance source suffix type)
  set(name fade-bench-${suffix})
  fade_add_instance(${source} ${suffix} FADE_BENCH_TYPE=${type})
  set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES OFF)
  target_compile_options(${name} PRIVATE -std=c++20 --expt-relaxed-constexpr --extended-lambda)   # CMake 3.25 does not know that newer nvcc speak C++20
  foreach(arch IN LISTS FADE_CUDA_ARCHS)
    string(REPLACE sm_ compute_ virtual ${arch})
    target_compile_options(${name} PRIVATE "SHELL:-gencode arch=${virtual},code=${arch}")
  endforeach()
endfunction()

function(fade_add_gemm_instances type archs)
  fade_add_instance(gemm/instances/host.cpp host-${type} FADE_BENCH_TYPE=${type})
  foreach(arch IN LISTS archs)
    fade_add_emulated_instance(gemm/instances/emulated.cpp emulated-${arch}-${type} FADE_BENCH_TYPE=${type} FADE_BENCH_ARCH=${arch})
  endforeach()
  if(FADE_BUILD_HIP)
    fade_add_gemm_hip_instances(${type} "${archs}")
  endif()
  if(FADE_BUILD_CUDA AND type IN_LIST nvidia_types)
    fade_add_cuda_instance(gemm/instances/cuda.cu cuda-${type} ${type})
  endif()
endfunction()

function(fade_add_attention_instances type archs)
  fade_add_instance(attention/instances/host.cpp attention-host-${type} FADE_BENCH_TYPE=${type})
  foreach(arch IN LISTS archs)
    fade_add_emulated_instance(attention/instances/emulated.cpp attention-emulated-${arch}-${type} FADE_BENCH_TYPE=${type} FADE_BENCH_ARCH=${arch})
  endforeach()
  if(FADE_BUILD_HIP)
    fade_known_archs(known ${type} "${archs}")
    if(known)
      fade_hip_sources(fade-bench ${at}/attention/instances/hip.hip.cpp ARCHS ${known} SUFFIX attention-${type} DEFINITIONS FADE_BENCH_TYPE=${type})
    endif()
  endif()
  if(FADE_BUILD_CUDA AND type IN_LIST nvidia_types)
    fade_add_cuda_instance(attention/instances/cuda.cu attention-cuda-${type} ${type})
  endif()
endfunction()

# Row kernels know of an architecture the lanes of its waves alone, so that one object emulates all with as many.
function(fade_add_rows_instances type archs)
  fade_add_instance(rows/instances/host.cpp rows-host-${type} FADE_BENCH_TYPE=${type})
  fade_common(wave64 "${archs}" "${wave64_archs}")
  set(wave32 ${archs} sm_90a)
  list(REMOVE_ITEM wave32 ${wave64_archs})
  foreach(family IN ITEMS wave64 wave32)
    if(${family})
      string(REPLACE ";" "," members "${${family}}")
      fade_add_emulated_instance(rows/instances/emulated.cpp rows-emulated-${family}-${type} FADE_BENCH_TYPE=${type} FADE_BENCH_FAMILY=${members})
    endif()
  endforeach()
endfunction()

# gfx1250 is not among the architectures yet; that the kernels compile for it is a test.
if(FADE_BUILD_HIP AND FADE_BUILD_TESTS)
  fade_hip_knows(knows gfx1250)
  if(knows)
    fade_hip_check(fade-check-gfx1250 ${at}/gemm/instances/hip.hip.cpp ARCH gfx1250
      DEFINITIONS FADE_BENCH_TYPE=f16 FADE_BENCH_CHAIN=chain_none FADE_BENCH_HIP=1 OPTIONS -I${CMAKE_CURRENT_SOURCE_DIR})
    add_test(NAME compiles-for-gfx1250
      COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target fade-check-gfx1250)
  endif()
endif()
