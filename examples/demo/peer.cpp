#include "peer.hpp"

#ifdef FADE_PEER_OPENBLAS
#include <cblas.h>
#endif

namespace demo {

bool have_peer() {
#ifdef FADE_PEER_OPENBLAS
    return true;
#else
    return false;
#endif
}

sgemm::sgemm(const sizes& s)
    : size_(s), a_(std::size_t(s.m * s.k), 0.5f), b_(std::size_t(s.k * s.n), 0.25f),
      d_(std::size_t(s.m * s.n)) {}

void sgemm::run() {
#ifdef FADE_PEER_OPENBLAS
    const int m = int(size_.m), n = int(size_.n), k = int(size_.k);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a_.data(), k, b_.data(), n, 0,
                d_.data(), n);
#endif
}

}  // namespace demo
