// A convolution with its inputs made, ready to run.
#pragma once
#include "../matrix.hpp"
#include "call.hpp"
#include "request.hpp"

namespace fade::bench {

/// A tensor as images of pixels of channels: of a filter, filters of taps of channels.
struct conv_tensor {
    std::string name;
    index images, pixels, channels;
    bool channels_first;

    /// Where the channels of a pixel begin, and how far they lie apart.
    index first(index image, index pixel) const {
        return image * pixels * channels + (channels_first ? pixel : pixel * channels);
    }
    index step() const { return channels_first ? pixels : 1; }
};

/// The tensors that a pass reads, and last the one that it writes.
std::vector<conv_tensor> tensors_of(const conv_request& request);
/// The same as matrices.
std::vector<matrix> matrices_of(const conv_request& request);

/// y, dx or dw.
std::string_view result_name(conv_pass pass);

class conv_data {
public:
    explicit conv_data(const conv_request& request);

    const conv_call& call() const { return call_; }
    const buffer_set& buffers() const { return buffers_; }
    const buffer& result() const { return buffers_.all().back(); }

private:
    buffer_set buffers_;
    conv_call call_;
};

/// A call whose addresses mean nothing but alignment: enough to choose a kernel for a problem of any size.
conv_call call_without_memory(const conv_request& request);

}  // namespace fade::bench
