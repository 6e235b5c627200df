// What batch normalisation refuses before anything is written.
#pragma once
#include <fade/kernel/batch_norm/problem.hpp>
#include <fade/kernel/image/check.hpp>
#include <utility>

namespace FADE_NAMESPACE::kernel {

inline void check_batch_norm(const batch_norm_problem& p) {
    require(p.batch >= 0 && p.batch < index(1) << 31, "batch", p.batch, "it must be between 0 and 2^31 - 1");
    require(p.channels >= 0, "channels", p.channels, "it must be at least 0");
    for (const auto& [name, size] :
         {std::pair{"size.d", p.size.d}, {"size.h", p.size.h}, {"size.w", p.size.w}})
        require(size >= 1, name, size, "it must be at least 1");
    check_image_elements("x", p.batch, p.channels, p.size);
    require_real(p.epsilon >= 0 && p.epsilon < 1e30, "epsilon", p.epsilon,
                 "it must be 0 or positive, and finite");
    require_real(p.momentum >= 0 && p.momentum <= 1, "momentum", p.momentum, "it must be between 0 and 1");
}

/// A vector of one value a channel.
inline image_memory channel_vector(const batch_norm_problem& p, const char* name, const void* at,
                                   bool is_written, bool is_optional = false) {
    return {name, at, p.batch > 0 ? p.channels * index(sizeof(float)) : 0, is_written, is_optional};
}

/// Images; a result may be an operand, so it is looked at as one that is read.
template <class T>
image_memory images_of(const batch_norm_problem& p, const char* name, const T* at) {
    return {name, at, p.batch * p.channels * p.size.volume() * index(sizeof(T))};
}

template <class T>
void check_training(const batch_norm_problem& p, const batch_norm_operands<T>& o) {
    check_batch_norm(p);
    require(p.batch * p.size.volume() != 1 || !o.running_variance, "batch", p.batch,
            "of one pixel a channel has no variance to be kept");
    check_images(images_of(p, "x", o.x), images_of(p, "y", static_cast<const T*>(o.y)),
                 channel_vector(p, "weight", o.weight, false, true),
                 channel_vector(p, "bias", o.bias, false, true), channel_vector(p, "mean", o.mean, true),
                 channel_vector(p, "inverse_root", o.inverse_root, true),
                 channel_vector(p, "running_mean", o.running_mean, true, true),
                 channel_vector(p, "running_variance", o.running_variance, true, true));
}

template <class T>
void check_inference(const batch_norm_problem& p, const batch_norm_inference_operands<T>& o) {
    check_batch_norm(p);
    check_images(images_of(p, "x", o.x), channel_vector(p, "mean", o.mean, false),
                 channel_vector(p, "variance", o.variance, false));
    const auto apart = [&](const char* name, const float* at) {
        image_memory y = images_of(p, "y", static_cast<const T*>(o.y));
        y.is_written = true;
        check_images(y, channel_vector(p, name, at, false, true));
    };
    apart("weight", o.weight), apart("bias", o.bias), apart("mean", o.mean), apart("variance", o.variance);
}

template <class T>
void check_gradient(const batch_norm_problem& p, const batch_norm_gradient_operands<T>& o) {
    check_batch_norm(p);
    check_images(images_of(p, "x", o.x), images_of(p, "dy", o.dy),
                 images_of(p, "dx", static_cast<const T*>(o.dx)),
                 channel_vector(p, "weight", o.weight, false, true), channel_vector(p, "mean", o.mean, false),
                 channel_vector(p, "inverse_root", o.inverse_root, false),
                 channel_vector(p, "dweight", o.dweight, true), channel_vector(p, "dbias", o.dbias, true));
    image_memory dx = images_of(p, "dx", static_cast<const T*>(o.dx));
    dx.is_written = true;
    check_images(dx, images_of(p, "x", o.x));
}

}  // namespace FADE_NAMESPACE::kernel
