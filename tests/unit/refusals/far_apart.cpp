// Rows so far apart that a tile spans more than 2 GiB: such a call is right, or refused; never wrong.
#include "common/refusal.hpp"
#include "common/skipped.hpp"
#include <sys/mman.h>

using namespace fade;

namespace {

/// Memory that is only promised: pages come to be when they are touched.
class sparse {
public:
    explicit sparse(std::size_t bytes)
        : bytes_(bytes), at_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
    ~sparse() { munmap(at_, bytes_); }
    sparse(const sparse&) = delete;
    bool there() const { return at_ != MAP_FAILED; }
    template <class T>
    T* as() const {
        return static_cast<T*>(at_);
    }

private:
    std::size_t bytes_;
    void* at_;
};

constexpr fade::index size = 48, far = fade::index(1) << 26;  // 48 rows of 256 MiB

/// Ones everywhere; how many elements of D are not `size`. Refused: none is.
template <class Device>
int wrong_elements(Device& device, fade::index lda, fade::index ldb, fade::index ldd, gemm_layout layout) {
    const sparse a(std::size_t(size * lda) * 4), b(std::size_t(size * ldb) * 4),
        d(std::size_t(size * ldd) * 4);
    if (!a.there() || !b.there() || !d.there()) {
        test::skipped("rows far apart", "this machine promises no memory of 12 GiB");
        return 0;
    }
    for (fade::index i = 0; i < size; ++i)
        for (fade::index j = 0; j < size; ++j) a.as<float>()[i * lda + j] = b.as<float>()[i * ldb + j] = 1;
    const gemm_problem problem{
        .m = size, .n = size, .k = size, .layout = layout, .lda = lda, .ldb = ldb, .ldd = ldd};
    try {
        gemm<float>(device, problem, {.a = a.as<float>(), .b = b.as<float>(), .d = d.as<float>()});
    } catch (const error&) {
        return 0;
    }
    int wrong = 0;
    for (fade::index i = 0; i < size; ++i)
        for (fade::index j = 0; j < size; ++j) wrong += d.as<float>()[i * ldd + j] != float(size);
    return wrong;
}

template <class Device>
void check_far(Device& device) {
    for (const auto layout : {gemm_layout::nn, gemm_layout::tt}) {
        INFO(std::string(name(layout)));
        CHECK(wrong_elements(device, far, size, size, layout) == 0);
        CHECK(wrong_elements(device, size, far, size, layout) == 0);
        CHECK(wrong_elements(device, size, size, far, layout) == 0);
        CHECK(wrong_elements(device, size, far + 1, size, layout) == 0);
    }
}

}  // namespace

TEST_CASE("rows far apart on the host") {
    host_device cpu(1);
    check_far(cpu);
}

TEST_CASE("rows far apart on emulated devices") {
    emulated_device<arch::gfx942> cdna({.threads = 1});
    check_far(cdna);
    emulated_device<arch::gfx1030> rdna({.threads = 1});
    check_far(rdna);
}

TEST_CASE("the refusal names the leading dimension; one row may be as long as it likes") {
    emulated_device<arch::gfx942> device({.threads = 1});
    const auto far_in = [](fade::index gemm_problem::* ld) {
        return
            [=](auto& call) { call.problem.*ld = far, call.operands = test::far_from_one_another<float>(); };
    };
    test::check_refusal(test::refusal_of<float>(device, far_in(&gemm_problem::lda)), "lda",
                        std::to_string(far), "within 2 GiB");
    test::check_refusal(test::refusal_of<float>(device, far_in(&gemm_problem::ldb)), "ldb",
                        std::to_string(far), "within 2 GiB");
    test::check_refusal(test::refusal_of<float>(device, far_in(&gemm_problem::ldd)), "ldd",
                        std::to_string(far), "within 2 GiB");
    const auto row = test::refusal_of<float>(
        device, [](auto& call) { call.problem = {.m = 1, .n = 8, .k = 8, .lda = far, .ldd = far}; });
    CHECK(row.sentence == "");
}
