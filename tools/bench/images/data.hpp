// An operator over images with its inputs made, ready to run.
#pragma once
#include "../matrix.hpp"
#include "request.hpp"

namespace fade::bench {

/// What a problem reads, and then what it writes, the main result first.
std::vector<matrix> tensors_of(const image_request& request);

/// The names of what it writes.
std::vector<std::string_view> names_written(const image_problem& problem);

/// Where the pixels of a channel of an image lie, in images of `size`: the first, and how many elements from
/// one to the next.
struct plane_place {
    index first, step, count;
};
plane_place plane_of(const image_problem& problem, const spatial& size, index image, int channel);

class image_data {
public:
    explicit image_data(const image_request& request);

    const image_call& call() const { return call_; }
    const buffer_set& buffers() const { return buffers_; }
    /// Elements of a tensor as doubles.
    std::vector<double> values(std::string_view tensor, const plane_place& at) const;

private:
    void make(const buffer& b);
    void make_grid(const buffer& b) const;
    void make_indices(const buffer& b) const;
    void make_statistics(const buffer& b) const;

    const image_request* request_;
    buffer_set buffers_;
    image_call call_;
};

/// A call whose addresses mean nothing but alignment: enough to choose kernels for a problem of any size.
image_call call_without_memory(const image_request& request);

}  // namespace fade::bench
