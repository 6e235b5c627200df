// Kernels that are compiled when a call's row asks for them: their source texts, what compiles and keeps
// them, and calls on an emulated device.
#include "common/compiler_trial.hpp"
#include <doctest/doctest.h>
#include <fade/device/row_call.hpp>
#include <fade/device/tune/compiling.hpp>
#include <fade/device/tune/conv.hpp>
#include <fade/device/tune/rows.hpp>
#include <fade/tune/attention/apply.hpp>
#include <fade/tune/conv/apply.hpp>
#include <fade/tune/module/cache.hpp>
#include <random>
#include <thread>

using namespace fade;
using namespace fade::test;
namespace fs = std::filesystem;
using none = epilogue::none;

namespace {

/// Answers every call with one row.
struct one_row : tuned_policies {
    std::string policy;
    tuned_policy find(const tuning_problem&, const tuning_machine&) const override {
        return {.match = tuned_match::exact, .policy = policy, .why = "a row", .evidence = "the row's"};
    }
};

constexpr tune::kernel_target emulated{tune::kernel_target::kind::emulated, "gfx1100"},
    of_hip{tune::kernel_target::kind::hip, "gfx942"}, of_cuda{tune::kernel_target::kind::cuda, "sm_90a"};

using rms = kernel::rms_norm_rows<float, float, float>;

/// An emulated GPU whose calls are timed, as if the time that they take here were a GPU's.
struct timed_gpu : compiling<emulated_device<arch::gfx1100>> {
    using compiling::compiling;
    int stream() const { return 0; }
};
}  // namespace

TEST_CASE("entries are spelt with the policy that is asked for") {
    using enum tune::size_class;
    constexpr auto nt = operand_access::nt;
    using product = tune::gemm_entry<f16, f16, nt, large, none>;
    gemm_policy p{.block_tile = {128, 192, 64}, .wave_tile = {16, 192, 0}};
    p.pipeline = block::pipeline_kind::tma_ring;
    const std::string text = tune::entry_source<product>::text(p);
    CHECK(says(text, "passed_gemm_entry<fade::f16, fade::f16, fade::operand_access::nt, fade::gemm_policy{"
                     ".block_tile = {128, 192, 64}, .wave_tile = {16, 192, 0}, .pipeline = "
                     "decltype(fade::gemm_policy::pipeline)("));
    CHECK(says(tune::entry_source<tune::tma_gemm_entry<product, f16, f16, none>>::text(p),
               ("tma_gemm_entry<" + text + ", fade::f16, fade::f16, fade::epilogue::none>").c_str()));
    using attended = tune::attention_entry<bf16, bf16, 64, tune::attention_variant::decode>;
    CHECK(says(tune::entry_source<attended>::text({.keys = 32}), ".keys = 32"));
    using conv = tune::conv_entry<float, float, tune::conv_kernel{}, small, none>;
    CHECK(
        says(tune::entry_source<conv>::text(p), "passed_conv_entry<float, float, fade::tune::conv_kernel{"));
    using rows = tune::row_entry<rms, tune::chosen_row_policy<tune::row_kind::wave, true>>;
    CHECK(says(tune::entry_source<rows>::text({.ahead = 2}), ".ahead = 2"));
    // What has no name, or another argument, has no source.
    struct mine {};
    static_assert(!tune::has_source<tune::gemm_entry<f16, f16, nt, large, mine>>);
    static_assert(!tune::has_source<tune::gemm_entry<i8, std::int32_t, nt, large, none>>);
    static_assert(!tune::has_source<tune::gemm_entry<f16, f16, nt, skinny, none>>);
    static_assert(!tune::has_source<tune::combine_entry<f16, f16, none>>);
    // Each target has one text, which begins with what its compiler lacks.
    const char* const headers[] = {"fade/gemm.hpp"};
    for (const auto& at : {emulated, of_hip, of_cuda}) {
        const std::string source = tune::kernel_source(at, headers, 1, "an_entry");
        CHECK(says(source, "#include <fade/gemm.hpp>\nusing entry =\n    an_entry;"));
        CHECK(says(source, "#define std fade_std") == (at != emulated));
        CHECK(says(source, "int fade_kernel_shape[] = {"));
    }
}

TEST_CASE("a policy is compiled only where the kernel has the arguments of the program's") {
    using enum block::pipeline_kind;
    constexpr auto nt = operand_access::nt, tn = operand_access::tn;
    const tune::gemm_row ampere = tune::gemm_rows<arch::sm_80, f16>::row,
                         hopper = tune::gemm_rows<arch::sm_90a, f16>::row;
    const auto of = [](auto arch, const tune::gemm_row& row, operand_access access, const gemm_policy& p,
                       bool runs = true) {
        return tune::fit_compiled<decltype(arch)>(row, access, p, runs).obstacle;
    };
    CHECK(of(arch::sm_90a{}, hopper, nt, hopper.large) == "");
    CHECK(says(of(arch::sm_80{}, ampere, nt, hopper.large), "no tensor maps"));
    CHECK(says(of(arch::sm_80{}, ampere, tn, ampere.large), "cannot copy"));
    CHECK(says(of(arch::sm_90a{}, hopper, nt, hopper.large, false), "16-byte runs"));
    gemm_policy p = hopper.large;
    p.schedule = gemm_schedule::stream_k;
    CHECK(of(arch::sm_90a{}, hopper, nt, p) == "");  // a launch says which tiles are shared
    p.cluster_k = 2;
    CHECK(says(of(arch::sm_90a{}, hopper, nt, p), "whole tiles"));
    p = ampere.large, p.schedule = gemm_schedule::stream_k;
    CHECK(says(of(arch::sm_80{}, ampere, nt, p), "whole tiles"));
    p = hopper.large, p.block_tile.n = 0;
    CHECK(says(of(arch::sm_90a{}, hopper, nt, p), "no policy"));
    using enum tune::attention_variant;
    const attention_policy own = tune::attention_row<arch::gfx1100, f16>(64, plain);
    attention_policy a = own;
    a.keys = 32;
    CHECK(tune::compiled_attention_obstacle(a, own, plain) == "");
    a.head_dim = 128;
    CHECK(says(tune::compiled_attention_obstacle(a, own, plain), "128 dimensions"));
    a = own, a.schedule = attention_schedule::by_warpgroup;
    CHECK(says(tune::compiled_attention_obstacle(a, own, plain), "does not run it"));
    const auto rows = [](const row_policy& r, fade::index columns = 512, bool whole = true) {
        return tune::fit_compiled_rows<rms>(columns, whole, r, arch::gfx1100::traits).obstacle;
    };
    CHECK(rows({.shared_row = true, .run = 4}) == "");
    CHECK(says(rows({.run = 4}, 4096), "do not hold"));
    CHECK(says(rows({.run = 8}), "no policy"));
    CHECK(says(rows({.run = 4, .ahead = 1}), "takes rows so"));
    CHECK(says(rows({.run = 4}, 512, false), "no policy"));
    // Candidates of products have such clusters; those of a forward pass share A as well.
    using enum conv_pass;
    const auto by_boxes = [&](conv_pass pass, int columns, int cluster) {
        gemm_policy boxes = hopper.large;
        boxes.block_tile.n = columns, boxes.wave_tile.n = columns, boxes.cluster = cluster;
        boxes.cluster_k = 1;
        tune::conv_choice model;
        model.kernel = {.pass = pass, .access = kernel::channel_access::boxes};
        return tune::fit_conv<arch::sm_90a, f16>({pass, {}, nullptr, nullptr, 2}, model, boxes, true)
            .obstacle;
    };
    CHECK(by_boxes(forward, 64, 2) == "");
    for (const conv_pass pass : {backward_data, backward_weights}) {
        CHECK(says(by_boxes(pass, 64, 2), "whole boxes of B"));
        CHECK(says(by_boxes(pass, 192, 2), "whole boxes of B"));
        CHECK(by_boxes(pass, 64, 1) == "");
        CHECK(by_boxes(pass, 256, 2) == "");
    }
}

TEST_CASE("kernels are kept, refusals of FADE's rules as well, and compilers are what they are said to be") {
    const scratch_folder folder;
    const auto options = [&](const std::string& script) {
        return kernel_options{
            .compiler = folder.script(script), .include = include_folder(), .folder = folder.path + "/own"};
    };
    // Its last but one argument is "-o", wherever that stands.
    const std::string writes = "while [ \"$1\" != -o ]; do shift; done; echo code > \"$2\"";
    tune::kernel_cache cache(options(writes));
    tune::found_kernel found = cache.find(of_hip, "one");
    CHECK((!found.cached && found.why.empty()));
    CHECK(tune::text_of_file(found.file) == "code\n");
    CHECK(cache.find(of_hip, "one").cached);
    CHECK(cache.find(of_hip, "two").key != found.key);
    CHECK(cache.find({of_hip.device, "gfx90a"}, "one").key != found.key);
    CHECK(std::distance(fs::directory_iterator(cache.folder()), {}) == 3);
    tune::kernel_cache fails(options("echo 'a.hip:3: error: static assertion failed: a rule'; exit 1"));
    CHECK(says(fails.find(of_hip, "one").why, "refuses it: static assertion failed: a rule"));
    CHECK(fails.find(of_hip, "one").cached);
    tune::kernel_cache slow(options("sleep 100"));
    const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    CHECK(says(slow.find(of_hip, "three", soon).why, "the budget ended"));
    kernel_options reads = options(writes);
    reads.compiles = false;
    CHECK(says(tune::kernel_cache(reads).find(of_hip, "four").why, "the cache has no kernel"));
    reads.library = "libnvrtc.so";
    CHECK(says(refusal_of([&] { tune::kernel_cache{reads}; }), "one compiler"));
    tune::kernel_cache of_library(
        {.library = "libno-such-thing.so", .include = include_folder(), .folder = folder.path + "/own"});
    CHECK(
        says(refusal_of([&] { of_library.find(of_cuda, "x"); }), "NVRTC is not found, but the loader says"));
    CHECK(says(refusal_of([&] { of_library.find(emulated, "x"); }), "a compiler that is a program"));
}

TEST_CASE("a convolution's own candidates are compiled whatever algorithm the model takes") {
    const scratch_folder folder;
    tune::kernel_cache cache({.compiler = folder.script("echo 'error: too dull'; exit 1"),
                              .include = include_folder(),
                              .folder = folder.path + "/own"});
    compiling<emulated_device<arch::gfx1100>> device(cache, emulation_options{.threads = 1});
    const gemm_policy mine{.block_tile = {64, 64, 16}, .wave_tile = {32, 32, 0}};
    device.candidates.products.others = {mine};
    std::vector<float> x(2 * 32 * 64), w(32 * 32 * 9), y(x.size());
    const conv_operands<float, float> operands{.x = x.data(), .w = w.data(), .y = y.data()};
    for (const int groups : {1, 32}) {
        const conv_problem p{.batch = 2,
                             .channels = 32,
                             .filters = 32,
                             .input = {.h = 8, .w = 8},
                             .filter = {.h = 3, .w = 3},
                             .pad = {.h = 1, .w = 1},
                             .groups = groups};
        const none epilogue;
        detail::conv_to_tune<conv_kernels{conv_pass::forward, {}}, float, float, conv_operands<float, float>,
                             none, compiling<emulated_device<arch::gfx1100>>>
            convolution(device, p, operands, epilogue);
        CHECK(convolution.said().chosen.starts_with(groups == 1 ? "conv implicit_gemm" : "conv direct"));
        const auto policies = convolution.policies_to_compile();
        REQUIRE(policies.size() == std::size_t(groups == 1 ? 25 : 1));
        convolution.source.policy = policies[0];
        CHECK(says(policies[0], R"("block_tile":[64,64,16],"wave_tile":[32,32,0])"));
        CHECK(says(convolution.said().why, "not used: the compiler refuses it: too dull"));
    }
}

TEST_CASE("compilers run side by side, as many as are wanted, and results keep the order of requests") {
    const scratch_folder folder;
    const std::string together = folder.path + "/together";
    fs::create_directories(together + "/now");
    // Each waits until three have begun, and notes how many run beside it. The first ends last of its three.
    const std::string script = "cd " + together + "; touch begun-$$ now/$$; tries=0\n" + R"(
        while [ $(ls | grep -c begun) -lt 3 ] && [ $tries -lt 600 ]; do sleep 0.05; tries=$((tries+1)); done
        [ $tries -lt 600 ] || echo alone >> alone
        ls now | wc -l >> counts
        for one; do case $one in *.hip) name=$(cat $one);; esac; done
        [ "$name" != 0 ] || sleep 0.2
        rm now/$$; echo "error: said by $name"; exit 1)";
    tune::kernel_cache cache({.compiler = folder.script(script),
                              .include = include_folder(),
                              .folder = folder.path + "/own",
                              .jobs = 3});
    std::vector<tune::kernel_request> wanted;
    for (int i = 0; i < 5; ++i) wanted.push_back({of_hip, std::to_string(i)});
    const auto found = cache.find_all(wanted, tune::time_limit::max());
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(found[i].why == "the compiler refuses it: said by " + std::to_string(i));
    CHECK(!fs::exists(together + "/alone"));
    std::ifstream counts(together + "/counts");
    for (int count = 0; counts >> count;) CHECK(count <= 3);
    CHECK(fs::is_empty(cache.folder()));
    CHECK(says(refusal_of([&] {
                   tune::kernel_cache{
                       {.include = include_folder(), .folder = folder.path + "/own", .jobs = -1}};
               }),
               "jobs is -1"));
}

TEST_CASE("compilers that are stopped end together, with what they started") {
    const scratch_folder folder;
    const std::string pids = folder.path + "/pids";
    tune::kernel_cache cache({.compiler = folder.script("sleep 1000 & echo $! $$ >> " + pids + "; wait"),
                              .include = include_folder(),
                              .folder = folder.path + "/own",
                              .jobs = 2});
    const auto late = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    const auto begun = [&] {
        std::vector<int> out;
        std::ifstream in(pids);
        for (int id = 0; in >> id;) out.push_back(id);
        return out;
    };
    const auto found =
        cache.find_all({{of_hip, "0"}, {of_hip, "1"}, {of_hip, "2"}}, tune::time_limit::max(),
                       [&] { return begun().size() == 4 || std::chrono::steady_clock::now() > late; });
    for (const tune::found_kernel& one : found) CHECK(one.out_of_time);
    CHECK(says(found[1].why, "the budget ended while it was compiled"));
    CHECK(says(found[2].why, "no time to compile it"));
    CHECK(fs::is_empty(cache.folder()));
    const auto runs = [](int id) {  // what nobody waits for stays as a zombie
        std::ifstream in("/proc/" + std::to_string(id) + "/stat");
        std::string number, name, state;
        return bool(in >> number >> name >> state) && state != "Z";
    };
    REQUIRE(begun().size() == 4);
    for (const int id : begun()) {
        for (int i = 0; i < 500 && runs(id); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK(!runs(id));
    }
}

TEST_CASE("what throws while compilers run leaves neither their files nor a device that notes kernels") {
    const scratch_folder folder;
    const std::string compiler = folder.script("sleep 1000");
    const auto throws = [&] { return !fs::is_empty(folder.path + "/own") ? throw std::bad_alloc() : false; };
    tune::kernel_cache kernels(
        {.compiler = compiler, .include = include_folder(), .folder = folder.path + "/own", .jobs = 2});
    CHECK_THROWS_AS(kernels.find_all({{of_hip, "0"}, {of_cuda, "1"}}, tune::time_limit::max(), throws),
                    std::bad_alloc);
    CHECK(fs::is_empty(kernels.folder()));
    tune::module_cache modules(
        {.compiler = compiler, .include = include_folder(), .folder = folder.path + "/own", .jobs = 2});
    const tune::module_request product{.arch = "gfx1100",
                                       .type = dtype::f32,
                                       .access = operand_access::nn,
                                       .policy = tune::gemm_rows<arch::gfx1100, float>::row.small};
    CHECK_THROWS_AS(modules.find_all({product}, tune::time_limit::max(), throws), std::bad_alloc);
    CHECK(fs::is_empty(modules.folder()));

    compiling<emulated_device<arch::gfx1100>> device(kernels, emulation_options{.threads = 1});
    device.compile_until(std::chrono::steady_clock::now());
    using entry = tune::row_entry<rms, tune::chosen_row_policy<tune::row_kind::wave, true>>;
    const row_policy policy{.ahead = 2};
    struct {
        compiling<emulated_device<arch::gfx1100>>& device;
        one_row source;
        report said() {
            CHECK(says(device.obstacle_of<entry>(row_policy{.ahead = 2}), "not compiled yet"));
            throw std::bad_alloc();
        }
    } problem{device, {}};
    const detail::deadline end(std::chrono::seconds(100));
    CHECK_THROWS_AS(detail::compile_concurrently(device, problem, {"any"}, end), std::bad_alloc);
    CHECK(says(device.obstacle_of<entry>(policy), "no time to compile it"));
}

TEST_CASE("calls of a compiling device run what a row holds, on an emulated GPU") {
    const char* const cxx = std::getenv("CXX");
    const scratch_folder folder;
    tune::kernel_cache cache(
        {.compiler = cxx ? cxx : "c++", .include = include_folder(), .folder = folder.path + "/own"});
    compiling<emulated_device<arch::gfx1100>> device(cache, emulation_options{.threads = 2});
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 draw(seed);
    std::uniform_real_distribution<float> any(-1, 1);
    const kernel::row_size size{3, 500};
    std::vector<float> x(1500), weight(500), y(1500, 7), expected(1500);
    for (float& v : x) v = any(draw);
    for (float& v : weight) v = any(draw);
    const auto op = [&](std::vector<float>& to) {
        return rms{.x = {x.data(), -1},
                   .residual = {},
                   .sum = {},
                   .weight = {weight.data(), 0},
                   .y = {to.data(), -1},
                   .scales = nullptr,
                   .inverse_root = nullptr,
                   .epsilon = 1e-5f,
                   .weight_offset = 0};
    };
    run_rows(device, "rms_norm", size, op(expected));
    one_row rows;
    row_policy own{.waves = 2, .shared_row = true, .run = 4, .runs = 3, .waves_per_simd = 8};
    rows.policy = tune::policy_json(tuned_rows{own});
    const report said = run_rows(device, "rms_norm", size, op(y), {}, &rows);
    CHECK(said.chosen == "rows compiled");
    CHECK(said.evidence == "the row's");
    CHECK(says(said.why, "a row, which decides"));
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == doctest::Approx(expected[i]).epsilon(1e-5));
    CHECK(std::distance(fs::directory_iterator(cache.folder()), {}) == 1);
    // The plan has its workgroup; the next call takes it from memory, and another device from the disk.
    const auto plan = plan_rows(device, "rms_norm", size, op(y), {}, &rows);
    CHECK(plan.launches.front().block[0] == 2 * 32);
    tune::kernel_cache disk({.compiler = cxx ? cxx : "c++",
                             .include = include_folder(),
                             .folder = folder.path + "/own",
                             .compiles = false});
    compiling<emulated_device<arch::gfx1100>> other(disk, emulation_options{.threads = 2});
    std::fill(y.begin(), y.end(), 7.0f);
    run_rows(other, "rms_norm", size, op(y), {}, &rows);
    CHECK(y[700] == doctest::Approx(expected[700]).epsilon(1e-5));
    // A kernel that cannot be had leaves the model's choice, and the report says why.
    own.runs = 5, rows.policy = tune::policy_json(tuned_rows{own});
    std::fill(y.begin(), y.end(), 7.0f);
    report fell = run_rows(other, "rms_norm", size, op(y), {}, &rows);
    CHECK(says(fell.why, "a row, which is not used: the cache has no kernel of this policy"));
    CHECK(fell.chosen == "rows wave");
    CHECK(y[700] == doctest::Approx(expected[700]).epsilon(1e-5));
    compiling<emulated_device<arch::gfx1100>> without(nullptr, emulation_options{.threads = 2});
    CHECK(says(run_rows(without, "rms_norm", size, op(y), {}, &rows).why, "the device has no cache"));
    // Tuning tries the table's policies: this one has a kernel, the next has none.
    tuning_database kept({folder.path + "/rows.db", {}});
    timed_gpu timed(disk, emulation_options{.threads = 1});
    timed.candidates.max = 0;
    timed.candidates.rows = {own, {.waves = 2, .shared_row = true, .run = 4, .runs = 3, .waves_per_simd = 8}};
    const tuning tuned = tune_rows(timed, "rms_norm", size, op(y), kept, std::chrono::seconds(20));
    CHECK(tuned.compiled == 1);
    CHECK(tuned.whole);
    REQUIRE(tuned.refused.size() == 1);
    CHECK(tuned.refused[0].policy == rows.policy);
    CHECK(tuned.refused[0].why == "the cache has no kernel of this policy");
    // What no kernel can be compiled for leaves the model's choice.
    own.runs = 1, rows.policy = tune::policy_json(tuned_rows{own});
    CHECK(says(run_rows(device, "rms_norm", size, op(y), {}, &rows).why, "do not hold such a row"));
}

TEST_CASE("what two kernels wrote may differ by rounding, and by nothing else") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 draw(seed);
    std::normal_distribution<float> any;
    std::vector<float> expected(10000);
    for (float& v : expected) v = any(draw);
    const auto difference = [&](auto type, const auto& changed) {
        using T = decltype(type);
        std::vector<T> a, b;
        for (std::size_t i = 0; i < expected.size(); ++i)
            a.push_back(from_f32<T>(expected[i])), b.push_back(from_f32<T>(changed(i, expected[i])));
        return detail::difference_of<T>(reinterpret_cast<const std::byte*>(a.data()),
                                        reinterpret_cast<const std::byte*>(b.data()), a.size() * sizeof(T));
    };
    const auto check = [&](auto type, float bound) {
        CHECK(difference(type, [](std::size_t, float x) { return x; }) == "");
        CHECK(difference(type, [&](std::size_t i, float x) {
                  return x * (1 + (i % 2 ? bound : -bound) / 4);
              }) == "");
        CHECK(
            says(difference(type, [&](std::size_t, float x) { return x * (1 + 2 * bound); }), "of its norm"));
        CHECK(says(difference(type, [](std::size_t i, float x) { return i == 77 ? std::nanf("") : x; }),
                   "1 of 10000 numbers are NaN"));
        expected[77] = 1;
        CHECK(says(difference(type, [&](std::size_t i, float x) { return i == 77 ? x + 33 * bound : x; }),
                   "in the place of 1"));
    };
    const auto check_tile = [&](auto type) {
        const auto without_tile = [](std::size_t i, float x) { return i / 64 == 1 ? 0.0f : x; };
        CHECK(says(difference(type, without_tile), "is 0 in the place of"));
    };
    check(float(), 1e-4f), check(f16(), 1.0f / 1024), check(bf16(), 1.0f / 128);
    check(f8e4m3(), 1.0f / 8), check(f8e5m2(), 1.0f / 4), check(f8e4m3fnuz(), 1.0f / 8);
    check_tile(f8e4m3()), check_tile(f8e5m2());
    const double huge[2] = {1e300, -3e299}, other[2] = {1e300, 3e299};
    const auto bytes = [](const double(&of)[2]) { return reinterpret_cast<const std::byte*>(of); };
    CHECK(detail::difference_of<f64>(bytes(huge), bytes(huge), sizeof huge) == "");
    CHECK(says(detail::difference_of<f64>(bytes(huge), bytes(other), sizeof huge), "of its norm"));
    for (float& v : expected) v = std::round(20 * v);
    CHECK(difference(i8(), [](std::size_t i, float x) { return i % 500 ? x : x + 1; }) == "");
    CHECK(says(difference(i8(), [](std::size_t i, float x) { return i % 100 ? x : x + 1; }), "rounded"));
    CHECK(says(difference(i8(), [](std::size_t i, float x) { return i != 9 ? x : x + 2; }), "in the place"));
    for (float& v : expected) v = any(draw);
    expected[5] = std::numeric_limits<float>::infinity(), expected[6] = std::nanf("");
    CHECK(difference(f16(), [](std::size_t, float x) { return x; }) == "");
    CHECK(says(difference(f16(), [](std::size_t, float x) { return -x; }),
               "1 of 10000 numbers are NaN or inf"));
    expected.assign(100, 0.0f);
    CHECK(says(difference(f16(), [](std::size_t i, float) { return i == 9 ? 1.0f : 0.0f; }), "of its norm"));
    CHECK(difference(i32(), [](std::size_t, float x) { return x; }) == "");
    CHECK(
        says(difference(i32(), [](std::size_t i, float) { return i == 9 ? 1.0f : 0.0f; }), "must be equal"));
}

TEST_CASE("a kernel that computes something else is refused, and remembered as wrong") {
    const char* const cxx = std::getenv("CXX");
    const scratch_folder folder;
    std::vector<float> x(1500, 1.0f), weight(500, 1.0f), y(1500);
    const rms op{.x = {x.data(), -1},
                 .residual = {},
                 .sum = {},
                 .weight = {weight.data(), 0},
                 .y = {y.data(), -1},
                 .scales = nullptr,
                 .inverse_root = nullptr,
                 .epsilon = 1e-5f,
                 .weight_offset = 0};
    const kernel::row_size size{3, 500};
    // Where in a kernel's arguments is y?
    emulated_device<arch::gfx1100> plain(emulation_options{.threads = 1});
    const auto kernarg = plan_rows(plain, "rms_norm", size, op).launches.front().kernarg;
    const float* const to = y.data();
    std::size_t offset = 0;
    while (offset + sizeof to <= kernarg.size() && std::memcmp(kernarg.data() + offset, &to, sizeof to) != 0)
        offset += sizeof to;
    REQUIRE(offset < kernarg.size());
    // In the place of a compiler: a kernel that writes nothing, one that is 2 % off, and one that writes what
    // the norm of ones is.
    const std::string source = folder.file("kernel.c", R"(
        int fade_kernel_shape[6] = {2, 0, 8, 0, 0, 1};
        const char* fade_key(void) { return FADE_MODULE_KEY; }
        _Bool fade_launch(void* device, const void* grid, const void* args, char* why, unsigned long room) {
            float* const y = *(float* const*)((const char*)args + OFFSET);
            for (int i = 0; i < COUNT; ++i) y[i] = VALUE;
            return 1;
        })");
    const std::string script = R"(
        for one; do case $one in
            *KEY*) key=$one;;
            *.cpp) text=$one;;
            *.out) out=$one;;
        esac; done
        value=0.999995f count=1500
        grep -q 'runs = 3' $text && count=0
        grep -q 'runs = 4' $text && value=1.02f
        exec )" + std::string(cxx ? cxx : "c++") +
                               " -x c \"$key\" -DOFFSET=" + std::to_string(offset) +
                               " -DVALUE=$value -DCOUNT=$count -shared -fPIC " + source + " -o $out";
    kernel_options options{
        .compiler = folder.script(script), .include = include_folder(), .folder = folder.path + "/own"};
    row_policy policy{.waves = 2, .shared_row = true, .run = 4, .runs = 3, .waves_per_simd = 8};
    std::vector<row_policy> table;
    for (const int runs : {3, 4, 5}) policy.runs = runs, table.push_back(policy);
    const auto text = [&](std::size_t i) { return tune::policy_json(tuned_rows{table[i]}); };
    tuning_database kept({folder.path + "/rows.db", {}});
    for (const bool compiles : {true, false}) {  // later, nothing is compiled
        options.compiles = compiles;
        tune::kernel_cache cache(options);
        timed_gpu device(cache, emulation_options{.threads = 1});
        device.candidates.max = 0, device.candidates.rows = table;
        const tuning found = tune_rows(device, "rms_norm", size, op, kept, std::chrono::seconds(30));
        CHECK(found.whole);
        CHECK(found.compiled == 1);
        REQUIRE(found.refused.size() == 2);
        CHECK(found.refused[0].policy == text(0));
        CHECK(says(found.refused[0].why, "otherwise than the model's choice: 1500 of 1500 numbers are NaN"));
        CHECK(found.refused[1].policy == text(1));
        CHECK(says(found.refused[1].why, "it differs by 0.02 of its norm, and may by 0.0001"));
        CHECK(std::ranges::find(found.times, text(2), &timed_policy::policy) != found.times.end());
        for (const std::size_t wrong : {0, 1})
            CHECK(std::ranges::find(found.times, text(wrong), &timed_policy::policy) == found.times.end());
        // Nor does a row get it.
        one_row row;
        row.policy = text(1);
        CHECK(says(run_rows(device, "rms_norm", size, op, {}, &row).why, "not used: it computes otherwise"));
        CHECK(y[700] == doctest::Approx(0.999995));
    }
}

namespace {

/// A device whose kernels are all there.
struct prompt_device {
    static constexpr bool compiles_kernels = true;
    tune::time_limit limit = tune::time_limit::max();
    bool has_kernels() const { return true; }
    tune::time_limit compiled_until() const { return limit; }
    void compile_until(tune::time_limit end) { limit = end; }
    bool ran_out_of_time() const { return false; }
    void note_kernels() {}
    void forget_noted() {}
    void compile_noted(const std::function<bool()>&) {}
    void refuse_launched(const std::string&) {}
};

/// A call of more policies than there is time for, each of which takes a while.
struct slow_problem {
    detail::one_policy source{};
    std::vector<float> written = std::vector<float>(16);
    int calls = 0;
    detail::memory_sets sets{detail::memory_space{}};
    detail::memory_sets& memory() { return sets; }
    std::vector<std::string> policies_to_compile() const {
        std::vector<std::string> out;
        for (int i = 0; i < 1000; ++i) out.push_back(std::to_string(i));
        return out;
    }
    report said() const { return {.evidence = detail::one_policy::evidence}; }
    void call_once() {
        element_pointer<float> at = written.data();
        ++calls, sets.next(), sets.move(0, at);
        std::fill_n(static_cast<float*>(at), written.size(), 1.0f);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
};

}  // namespace

TEST_CASE("comparisons of kernels leave time for timing them") {
    prompt_device device;
    const auto add = [&](slow_problem& problem, const detail::deadline& end) {
        const std::size_t bytes = problem.written.size() * sizeof(float);
        const byte_range range = bytes_from(problem.written.data(), wide_index(bytes));
        problem.sets.make({detail::written_piece<float>(range)}, 0, end);
        detail::tuned_call call{.source = problem.source, .run = {}, .model = "the model's"};
        detail::add_compiled(device, problem, call, end);
        CHECK(!call.compiled_all);
        CHECK(call.refused.empty());
        return call.candidates.size();
    };
    bool is_left = false;
    for (int i = 0; i < 20 && !is_left; ++i) {  // a busy machine may be late, but not always
        slow_problem problem;
        const detail::deadline end(std::chrono::milliseconds(600));
        CHECK(add(problem, end) > 0);
        is_left = end.has_room_for(1.5e8);
    }
    CHECK(is_left);
    // Of a result that is too large for what is left, none begins.
    slow_problem large;
    large.written.resize(std::size_t(1) << 23);
    CHECK(add(large, detail::deadline(std::chrono::milliseconds(500))) == 0);
    CHECK(large.calls == 0);
}

TEST_CASE("tuning that compiles keeps its budget, and says what compilers refuse") {
    const scratch_folder folder;
    std::vector<float> x(1500, 1.0f), weight(500, 1.0f), y(1500);
    const rms op{.x = {x.data(), -1},
                 .residual = {},
                 .sum = {},
                 .weight = {weight.data(), 0},
                 .y = {y.data(), -1},
                 .scales = nullptr,
                 .inverse_root = nullptr,
                 .epsilon = 1e-5f,
                 .weight_offset = 0};
    const kernel::row_size size{3, 500};
    tuning_database kept({folder.path + "/rows.db", {}});
    double took = 0;
    const auto tune_by = [&](const std::string& script, double budget) {
        tune::kernel_cache cache({.compiler = folder.script(script),
                                  .include = include_folder(),
                                  .folder = folder.path + "/own",
                                  .jobs = 1});  // so that no machine is done in time
        timed_gpu device(cache, emulation_options{.threads = 1});
        const auto begin = std::chrono::steady_clock::now();
        tuning out = tune_rows(device, "rms_norm", size, op, kept, std::chrono::duration<double>(budget));
        took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return out;
    };
    // One that refuses all: the model's choice and the program's kernels are timed.
    const tuning refused = tune_by("echo 'a.cpp:3: error: too dull'; exit 1", 60);
    CHECK(refused.compiled == 0);
    CHECK(refused.refused.size() > 3);
    CHECK(refused.refused.front().why == "the compiler refuses it: too dull");
    CHECK(refused.model_nanoseconds > 0);
    CHECK(refused.whole);
    // One that takes its time: the budget ends while it compiles. A busy machine may be late, but not always.
    double worst = 9;
    tuning slow;
    for (int i = 0; i < 60 && worst > 1.05; ++i) {
        slow = tune_by("sleep 0.2; echo 'error: too dull'; exit 1", 0.9);
        worst = std::min(worst, took / 0.9);
        CHECK(!slow.whole);
        CHECK(!slow.refused.empty());
    }
    CHECK(worst <= 1.05);
    CHECK(slow.model_nanoseconds > 0);
    // One that never ends, and one that is not there any more.
    CHECK(tune_by("sleep 100", 0.5).refused.empty());
    CHECK(took < 50);
    const tune::found_kernel crash = [&] {
        tune::kernel_cache crashes({.compiler = folder.script("kill -9 $$"),
                                    .include = include_folder(),
                                    .folder = folder.path + "/own"});
        return crashes.find(of_cuda, "one");
    }();
    CHECK(says(crash.why, "it ended without success"));
}

TEST_CASE("a compiler that is a library may crash or hang in a process of its own") {
    const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    constexpr auto never = tune::time_limit::max();
    CHECK(tune::run_apart([] { return true; }, never) == tune::process_end::done);
    CHECK(tune::run_apart([] { return false; }, never) == tune::process_end::failed);
    CHECK(tune::run_apart([]() -> bool { throw std::runtime_error("no"); }, never) ==
          tune::process_end::failed);
    CHECK(tune::run_apart([] { return ::raise(SIGKILL) == 0; }, never) == tune::process_end::failed);
    CHECK(tune::run_apart([] { return ::pause() == 0; }, soon) == tune::process_end::out_of_time);
}

TEST_CASE("NVRTC, where it is, takes the texts of products and row operators") {
    const scratch_folder folder;
    tune::kernel_cache cache({.include = include_folder(), .folder = folder.path + "/own"});
    const auto why_not = [&](auto entry, const auto& policy) {
        using source = tune::entry_source<decltype(entry)>;
        return cache
            .find(of_cuda, tune::kernel_source(of_cuda, source::headers, std::size(source::headers),
                                               source::text(policy)))
            .why;
    };
    using product = tune::gemm_entry<f16, f16, operand_access::nt, tune::size_class::large, none>;
    const gemm_policy p = tune::gemm_rows<arch::sm_90a, f16>::row.flat_clustered;
    try {
        CHECK(why_not(tune::tma_gemm_entry<product, f16, f16, none>{}, p) == "");
        CHECK(why_not(tune::row_entry<rms, tune::chosen_row_policy<tune::row_kind::wave, true>>{},
                      row_policy{.run = 4}) == "");
        gemm_policy broken = p;
        broken.block_tile.m = 48;
        CHECK(says(why_not(tune::tma_gemm_entry<product, f16, f16, none>{}, broken),
                   "the compiler refuses it: static assertion failed"));
    } catch (const error& e) {
        MESSAGE("not tried: " << e.what());
        CHECK(says(e.what(), "NVRTC is not found, but the loader says"));
    }
}
