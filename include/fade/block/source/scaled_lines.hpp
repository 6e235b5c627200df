// Lines of an operand as a CPU takes them, multiplied by their scales on the way.
#pragma once
#include <fade/atom/cpu/pack.hpp>
#include <fade/block/source/line_scales.hpp>
#include <fade/block/source/strided.hpp>

namespace FADE_NAMESPACE::block {

/// Element (line, k) lies at `line` * line_stride + `k` * k_stride, one of the two strides being 1 or
/// neither; parts of k are `depth_of_scale` long. What is asked for is converted into `scratch`, which holds
/// it.
template <class T>
struct scaled_lines {
    const T* at;
    index line_stride, k_stride;
    line_scales scales;
    int depth_of_scale;
    float* scratch;

    static bool in_place() { return false; }
    bool along_k() const { return k_stride == 1; }
    operand<float> lines(index first, int count, index k, int depth) const {
        const T* from = at + first * line_stride + k * k_stride;
        if (along_k()) {
            atom::with_vectors<atom::copy_rows>(scratch, index(depth), from, line_stride, count, depth);
            for (int i = 0; i < count; ++i) scale_line(scratch + index(i) * depth, first + i, k, depth);
            return {scratch, nullptr, nullptr, depth, 1, count};
        }
        for (int p = 0; p < depth; ++p)
            for (int i = 0; i < count; ++i)
                scratch[index(p) * count + i] = convert<float>(from[i * line_stride + p * k_stride]) *
                                                *scales.at(first + i, (k + p) / depth_of_scale);
        return {scratch, nullptr, nullptr, 1, count, count};
    }

private:
    void scale_line(float* line, index number, index k, int depth) const {
        for (int p = 0, run; p < depth; p += run) {
            const index part = (k + p) / depth_of_scale;
            run = int(min_of<index>((part + 1) * depth_of_scale - k, depth)) - p;
            const float scale = *scales.at(number, part);
            for (int i = 0; i < run; ++i) line[p + i] *= scale;
        }
    }
};

}  // namespace FADE_NAMESPACE::block
