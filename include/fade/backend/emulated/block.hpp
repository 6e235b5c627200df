// A workgroup of any architecture, emulated: one object holds the registers of all its lanes, and verbs loop
// over them.
#pragma once
#include <cstring>
#include <fade/backend/bounded_memory.hpp>
#include <fade/backend/bytes.hpp>
#include <fade/backend/emulated/arrivals.hpp>
#include <fade/backend/emulated/banks.hpp>
#include <fade/backend/emulated/box_stores.hpp>
#include <fade/backend/emulated/buffer.hpp>
#include <fade/backend/emulated/cluster.hpp>
#include <fade/backend/emulated/matrix_queue.hpp>
#include <fade/backend/emulated/shared_memory.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/instruction_mix.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/number/narrow_loss.hpp>
#include <fade/core/vec.hpp>
#include <limits>
#include <type_traits>

namespace FADE_NAMESPACE::backend::emulated {

template <class Arch, int Waves>
struct block {
    using arch = Arch;
    static constexpr int waves = Waves, wave_size = Arch::traits.wave_size, threads = waves * wave_size;
    static constexpr int held = threads, wave_held = wave_size;
    static constexpr bool emulated = true, nvidia = Arch::traits.family ==
                                                    std::remove_cv_t<decltype(Arch::traits.family)>::nvidia;
    static_assert(Waves <= shared_memory::max_waves);
    using buffer = emulated::buffer;

    int group[3];
    shared_memory* shared;
    monitor* watch;
    bank_counter* banks;                   ///< null: conflicts are not counted
    bool awaited = true;                   ///< the kernel before it has ended
    emulated::cluster* cluster = nullptr;  ///< which this workgroup is of
    matrix_queue products{};
    emulated::arrivals boxes{};
    box_stores stores{};
    void* producer = nullptr;
    void (*produce_now)(void*, block&) = nullptr;

    int id_x() const { return group[0]; }
    int id_y() const { return group[1]; }
    int id_z() const { return group[2]; }

    /// From here on the kernel before it has ended.
    void await_inputs() {
        awaited = true;
        if (watch->inputs) watch->inputs->here();
    }

    template <class F>
    void each_wave(F f) const {
        for (int w = 0; w < waves; ++w) f(wave_coord{w, w * wave_size});
    }
    template <class F>
    void each_lane_of(wave_coord w, F f) const {
        for (int l = 0; l < wave_size; ++l) f(lane_coord{w.wave, l, w.slot + l});
        if (banks) banks->close(*watch);
    }
    template <class F>
    void each_lane(F f) const {
        each_wave([&](wave_coord w) { each_lane_of(w, f); });
    }
    static void keep(std::uint32_t&) {}
    static void keep(float&) {}
    template <std::uint32_t Which>
    static std::uint32_t pick_bytes(std::uint32_t a, std::uint32_t b) {
        return backend::pick_bytes<Which>(a, b);
    }
    template <class T, bool Neighbours>
    static std::uint32_t widen(std::uint32_t a, std::uint32_t b, int at) {
        return backend::widen<T, Neighbours>(a, b, at);
    }
    static std::uint32_t round_halves(float a, float b) { return backend::round_halves(a, b); }
    static vec<float, 2> widen_halves(std::uint32_t x) { return backend::widen_halves(x); }
    static std::uint32_t scale_halves(std::uint32_t x, std::uint32_t zero, std::uint32_t scale) {
        return backend::scale_halves(x, zero, scale);
    }
    template <class T>
    static std::uint32_t difference(std::uint32_t x, std::uint32_t zero)
        requires nvidia
    {
        auto a = __builtin_bit_cast(vec<T, 2>, x);
        const auto b = __builtin_bit_cast(vec<T, 2>, zero);
        for (int i = 0; i < 2; ++i) a[i] = from_f32<T>(to_f32(a[i]) - to_f32(b[i]));
        return __builtin_bit_cast(std::uint32_t, a);
    }
    static std::uint32_t scale_bfloats(std::uint32_t x, std::uint32_t zero, std::uint32_t scale,
                                       std::uint32_t rest)
        requires nvidia
    {
        return backend::scale_bfloats(x, zero, scale, rest);
    }
    template <int, instruction_mix...>
    static void schedule() {}
    template <int, vector_mix>
    static void spread() {}
    void sync() const { shared->next_epoch(); }
    void meet() const
        requires nvidia
    {
        sync();
    }
    /// Lanes of a wave run one after another, so what one wrote or copied the next can read.
    static void meet_wave() {}
    void meet_producers() const { sync(); }
    void meet_roles() const { sync(); }
    void meet_group() const { sync(); }
    void meet_cluster() const {
        sync();
        cluster->meet(*shared);
    }
    void leave_cluster() const { meet_cluster(); }

    /// What lies at an address of a lane's own where `there` holds; else zeros. No bounds are known for it.
    template <class V>
    V load_anywhere(bool there, const void* from) const {
        V v{};
        if (!there) return v;
        if (reinterpret_cast<std::uintptr_t>(from) % sizeof v != 0)
            watch->report(fault_kind::out_of_bounds,
                          "misaligned global load of " + std::to_string(sizeof v) + " bytes");
        std::memcpy(&v, in_time(from), sizeof v);
        return v;
    }
    template <class Args>
    static const Args& reload_arguments(const Args& args) {
        return args;
    }
    template <class Args>
    static Args copy_arguments(const Args& args) {
        return args;
    }
    bounded_memory global_bounded(const void* base, const void* end) const {
        return {static_cast<const std::byte*>(in_time(base)), static_cast<const std::byte*>(end)};
    }
    /// AMD GPUs round probabilities toward zero, so those beyond the largest number of f16 become that.
    template <class T>
    static float stopped(float x) {
        constexpr bool stops = std::is_same_v<T, f16> && !nvidia;
        return stops && x > 65504 && x <= std::numeric_limits<float>::max() ? 65504 : x;
    }
    template <class T>
    static vec<T, 2> narrow(float a, float b) {
        return {convert<T>(stopped<T>(a)), convert<T>(stopped<T>(b))};
    }
    template <class T>
    static constexpr narrow_loss lost{};
    static vec<float, 2> multiply_add(const vec<float, 2>& x, float a, float b) {
        return {__builtin_fmaf(x[0], a, b), __builtin_fmaf(x[1], a, b)};
    }
    static void pack2(vec<float, 2>&) {}
    static int fresh(int x) { return x; }
    static int uniform(int x) { return x; }
    static float exp2(float x) { return __builtin_exp2f(x); }
    static float reciprocal(float x) { return 1.0f / x; }
    static float log2(float x) { return __builtin_log2f(x); }
    static float maximum(float a, float b) { return __builtin_fmaxf(a, b); }
    /// NVIDIA's instructions: NaN where one is.
    static float maximum_or_nan(float a, float b)
        requires nvidia
    {
        return is_nan(a) || is_nan(b) ? std::numeric_limits<float>::quiet_NaN() : maximum(a, b);
    }
    template <class T>
        requires nvidia
    static std::uint32_t maximum_or_nan(std::uint32_t a, std::uint32_t b) {
        const auto of = [&](int bit) {
            const auto half = [&](std::uint32_t word) {
                return convert<float>(T{std::uint16_t(word >> bit)});
            };
            return std::uint32_t(convert<T>(maximum_or_nan(half(a), half(b))).bits) << bit;
        };
        return of(0) | of(16);
    }
    template <class T>
        requires nvidia
    static std::uint32_t at_least(std::uint32_t a, std::uint32_t b) {
        const auto of = [&](int bit) {
            const auto half = [&](std::uint32_t word) {
                return convert<float>(T{std::uint16_t(word >> bit)});
            };
            return half(a) >= half(b) ? 0xffffu << bit : 0u;
        };
        return of(0) | of(16);
    }
    static bool any_lane(bool in_any_wave) { return in_any_wave; }
    /// Only NVIDIA's barriers count; any_lane of block/ takes shared memory elsewhere.
    bool vote(bool in_any_wave) const
        requires nvidia
    {
        sync();
        return in_any_wave;
    }
    static float shuffle_xor(lane_coord p, const float* lanes, int mask) { return lanes[p.lane ^ mask]; }
    static float shuffle_from(lane_coord, const float* lanes, int lane)
        requires nvidia
    {
        return lanes[lane];
    }

    buffer global(const void* base, const void* begin, const void* end) const {
        return {static_cast<const std::byte*>(in_time(base)), static_cast<const std::byte*>(begin),
                static_cast<const std::byte*>(end), watch, access_alignment(Arch::traits, 16)};
    }
    template <class V>
    V load_shared(lane_coord p, std::uint32_t offset) const {
        V v;
        shared->read(p, offset, &v, sizeof v);
        if (banks) banks->note(p.lane, offset, sizeof v);
        return v;
    }
    /// This lane's column of the four rows of sixteen elements that sixteen lanes read together, each four
    /// elements where at(place) says.
    template <class V, class At>
    V load_shared_transposed(lane_coord p, At at) const {
        V column;
        for (int row = 0; row < 4; ++row) {
            const int lane = p.lane / 16 * 16 + row * 4 + p.lane % 16 / 4;
            const lane_coord reads{p.wave, lane, p.slot - p.lane + lane};
            V part;
            shared->read(reads, at(reads), &part, sizeof part);
            column[row] = part[p.lane % 4];
        }
        if (banks) banks->note(p.lane, at(p), sizeof(V));
        return column;
    }
    template <class V>
    void store_shared(lane_coord p, std::uint32_t offset, const V& v) const {
        shared->write(p, offset, &v, sizeof v);
        if (banks) banks->note(p.lane, offset, sizeof v);
    }

    /// Word i is a lane's part of row lane / 4 of a matrix of 8 rows of 16 bytes, which offset_of(8 * i +
    /// row) says the place of.
    template <class F>
    void store_matrices(lane_coord p, F offset_of, const vec<std::uint32_t, 4>& words) const {
        for (int i = 0; i < 4; ++i)
            store_shared(p, offset_of(8 * i + p.lane / 4) + std::uint32_t(p.lane % 4) * 4, words[i]);
    }

    /// From the shared memory of a workgroup of the cluster, which have met.
    template <class V>
    V load_of_cluster(lane_coord, int rank, std::uint32_t offset) const {
        V v;
        cluster->read(rank, offset, &v, sizeof v, *watch);
        return v;
    }

    /// Starts copying 16, 8 or 4 bytes to shared memory; an offset `outside` writes zeros. AMD's blocks have
    /// no such copy.
    template <int Bytes = 16>
    void copy_async(lane_coord p, std::uint32_t to, const buffer& from, std::uint32_t offset) const
        requires nvidia
    {
        shared->begin_copy(p, to, from.template load<vec<std::uint32_t, Bytes / 4>>(offset));
    }
    /// The same from an address of a lane's own, or zeros.
    void copy_async(lane_coord p, std::uint32_t to, const void* from, bool there) const
        requires nvidia
    {
        shared->begin_copy(p, to, load_anywhere<vec<std::uint32_t, 4>>(there, from));
    }
    /// Closes a group of copies.
    void commit_async() const { shared->close_copies(); }
    /// Waits until at most Pending groups are still under way.
    template <int Pending>
    void wait_async() const {
        shared->land_copies(Pending);
    }

    /// Boxes of a tensor, which one lane asks for and all waves wait for.
    template <class F>
    static void one_lane(F f) {
        f();
    }
    template <class F>
    static void one_lane_of_group(F f) {
        for (int fours = 0; fours < waves / 4; ++fours) f(fours);
    }
    /// Here nobody waits for maps.
    template <class... Maps>
    static void prefetch_maps(const Maps&...) {}
    void begin_arrivals(std::uint32_t first, int count, int arrivals = 1) {
        boxes.begin(first, count, arrivals, *shared, *watch);
    }
    void arrive(std::uint32_t barrier) { boxes.arrive(barrier); }
    /// The producer goes on wherever room may have come.
    template <class Producer>
    void produce_by(Producer& role) {
        producer = &role;
        produce_now = [](void* by, block& to) { static_cast<Producer*>(by)->produce_all(to); };
        produce_on();
    }
    /// What waits for others to arrive may go on, if all have.
    void produce_on() {
        shared->release();
        produce_now(producer, *this);
    }
    bool has_arrived(std::uint32_t barrier, int phase) { return boxes.has_arrived(barrier, phase); }
    void expect(std::uint32_t barrier, int bytes) { boxes.expect(barrier, bytes); }
    void copy_box(std::uint32_t to, const tensor_map&, const tile_source& from, const box_place& at,
                  std::uint32_t barrier) {
        in_time(from.base);
        boxes.copy(to, from, at, barrier, *shared, *watch);
    }
    void copy_box(std::uint32_t to, const tensor_map&, const im2col_source& from, const im2col_place& at,
                  std::uint32_t barrier) {
        in_time(from.base);
        boxes.copy(to, from, at, barrier, *shared, *watch);
    }
    /// All waves look at the barrier, which one lane has made.
    void await_arrival(std::uint32_t barrier, int phase) {
        std::uint64_t state;
        each_wave(
            [&](wave_coord w) { shared->read(lane_coord{w.wave, 0, 0}, barrier, &state, sizeof state); });
        boxes.wait(barrier, phase, *shared, *watch);
    }
    static void publish() {}
    template <class Source, class Place>
    void store_box(std::uint32_t from, const tensor_map&, const Source& to, const Place& at) {
        stores.start(from, to, at, *shared, *watch);
    }
    void commit_boxes(int by) { stores.commit(by); }
    template <int Pending>
    void await_boxes(int by) {
        stores.wait(by, Pending, *shared, *watch);
    }

    /// What the matrix unit reads for a wave, past the lanes: it has no bank conflicts to count.
    template <class V>
    V load_matrix(wave_coord w, std::uint32_t offset) const {
        V v;
        shared->read(lane_coord{w.wave, 0, w.slot}, offset, &v, sizeof v);
        return v;
    }
    /// Products by waves together: f computes what one wave has started, when it is waited for.
    template <class F>
    void start_later(F f) {
        products.start(f);
    }
    void commit_matrix() { products.commit(); }
    /// Waits until at most Pending batches are under way.
    template <int Pending>
    void wait_matrix() {
        products.wait(Pending);
    }
    static void fence_registers(float&) {}
    static void discard(float& x) { x = std::numeric_limits<float>::quiet_NaN(); }
    /// What f gives for another lane of the wave; all lanes call it.
    template <class F>
    static auto from_lane(lane_coord p, int lane, F f) {
        return f(lane_coord{p.wave, lane, p.slot - p.lane + lane});
    }
    template <class F>
    static int first_of_wave(lane_coord p, F f) {
        return from_lane(p, 0, f);
    }
    template <class F>
    static std::uint32_t word_of_lane(lane_coord p, int lane, F f) {
        return from_lane(p, lane, f);
    }

private:
    const void* in_time(const void* memory) const {
        if (!awaited) watch->report(fault_kind::too_early, "global memory used before await_inputs");
        return memory;
    }
};

}  // namespace FADE_NAMESPACE::backend::emulated
