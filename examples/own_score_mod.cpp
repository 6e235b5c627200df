// A rule of one's own for attention: what a score becomes, and which keys a query sees, as a small type that
// runs inside the kernel. Here: documents packed into one sequence, whose words see their own document alone,
// with a bias by bucketed distance (Raffel et al., "T5", 2020). The program checks the results against a
// plain loop in double precision.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fade/attention.hpp>
#include <vector>

/// Carried to the device by value; its pointers lead to memory that the device reads.
struct document_rule {
    const int* document;       // of each position
    const float* by_distance;  // [heads, buckets]

    static constexpr int buckets = 8;
    static FADE_FN int bucket(int distance) {
        int b = 0;
        for (int d = distance < 0 ? -distance : distance; d > 0 && b < buckets - 1; d /= 2) ++b;
        return b;
    }

    FADE_FN float score_mod(float score, int, int head, int query, int key) const {
        return score + by_distance[head * buckets + bucket(query - key)];
    }
    FADE_FN bool mask_mod(int, int, int query, int key) const { return document[query] == document[key]; }
};

struct packed_documents {
    static constexpr int heads = 4, head_dim = 32;
    std::vector<int> document;
    std::vector<float> q, k, v, o, by_distance;

    packed_documents() {
        for (const int length : {37, 5, 80, 1, 60})
            for (int i = 0; i < length; ++i) document.push_back(length);
        std::srand(7);
        const auto random = [](std::size_t n) {
            std::vector<float> x(n);
            for (float& e : x) e = float(std::rand() % 2001 - 1000) / 500;
            return x;
        };
        const std::size_t n = document.size() * heads * head_dim;
        q = random(n), k = random(n), v = random(n), o.resize(n),
        by_distance = random(heads * document_rule::buckets);
    }
    int words() const { return int(document.size()); }
    std::size_t at(int word, int head) const { return std::size_t(word * heads + head) * head_dim; }
    document_rule rule() const { return {document.data(), by_distance.data()}; }
};

/// How far one word's output lies from what double precision makes of it.
double difference(const packed_documents& x, int word, int head) {
    std::vector<double> sums(packed_documents::head_dim + 1);  // of the values, and of the weights
    for (int j = 0; j < x.words(); ++j) {
        if (x.document[std::size_t(word)] != x.document[std::size_t(j)]) continue;
        double s = 0;
        for (int d = 0; d < x.head_dim; ++d) s += double(x.q[x.at(word, head) + d]) * x.k[x.at(j, head) + d];
        s = s / std::sqrt(double(x.head_dim)) +
            x.by_distance[std::size_t(head * document_rule::buckets + document_rule::bucket(word - j))];
        for (int d = 0; d < x.head_dim; ++d) sums[std::size_t(d)] += std::exp(s) * x.v[x.at(j, head) + d];
        sums.back() += std::exp(s);
    }
    double worst = 0;
    for (int d = 0; d < x.head_dim; ++d)
        worst = std::max(worst, std::fabs(x.o[x.at(word, head) + d] - sums[std::size_t(d)] / sums.back()));
    return worst;
}

template <class Device>
int wrong(Device device) {
    packed_documents x;
    const fade::attention_problem problem{
        .heads = x.heads, .seq_q = x.words(), .seq_k = x.words(), .head_dim = x.head_dim};
    const fade::report said = fade::attention<float>(
        device, problem, {.q = x.q.data(), .k = x.k.data(), .v = x.v.data(), .o = x.o.data()}, {}, x.rule());
    double worst = 0;
    for (int word = 0; word < x.words(); ++word)
        for (int head = 0; head < x.heads; ++head) worst = std::max(worst, difference(x, word, head));
    std::printf("%s: %s\n  largest difference %.1e\n", said.device.c_str(), said.chosen.c_str(), worst);
    return !(worst < 1e-5);
}

int main() {
    return wrong(fade::host_device()) + wrong(fade::emulated_device<fade::arch::gfx942>()) +
           wrong(fade::emulated_device<fade::arch::gfx1030>());
}
