// The file that scripts/train_tiny_gpt writes: a line of sizes, then f16 weights, tensor after tensor.
#pragma once
#include <cstdio>
#include <fade/core/dtype.hpp>
#include <fade/core/error.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace gpt {

inline std::string contents_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw fade::error("the file", "'" + path + "'", "it cannot be read");
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Weights of a decoder without biases; matrices are [outputs, inputs].
struct checkpoint {
    struct layer {
        std::vector<float> gain_1, qkv, out, gain_2, up, down;
    };
    int width, heads, context, bytes;  ///< bytes: how many different ones there are
    std::vector<float> embedding, gain;
    std::vector<layer> layers;

    int head_dim() const { return width / heads; }

    explicit checkpoint(const std::string& path) {
        const std::string file = contents_of(path);
        int count = 0;
        const char* line = "tiny gpt: layers %d width %d heads %d context %d bytes %d";
        if (std::sscanf(file.c_str(), line, &count, &width, &heads, &context, &bytes) != 5)
            throw fade::error("the checkpoint", "'" + path + "'", "its first line holds no sizes");
        at_ = file.data() + file.find('\n') + 1, end_ = file.data() + file.size();
        embedding = next(bytes * width);
        for (int i = 0; i < count; ++i)
            layers.push_back({next(width), next(3 * width * width), next(width * width), next(width),
                              next(4 * width * width), next(4 * width * width)});
        gain = next(width);
        if (at_ != end_)
            throw fade::error("the checkpoint", "'" + path + "'", "it is longer than its sizes say");
    }

private:
    std::vector<float> next(int count) {
        if (end_ - at_ < 2 * count)
            throw fade::error("the checkpoint", std::to_string(end_ - at_) + " bytes short of its end",
                              "it holds fewer weights than its sizes say");
        std::vector<float> out;
        for (int i = 0; i < count; ++i, at_ += 2)
            out.push_back(fade::to_f32(fade::f16{std::uint16_t((at_[0] & 0xff) | (at_[1] & 0xff) << 8)}));
        return out;
    }

    const char *at_, *end_;
};

}  // namespace gpt
