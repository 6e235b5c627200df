// Refusals on their way out of the library: what is thrown inside becomes a status and the error of the
// thread.
#pragma once
#include <fade.h>
#include <fade/core/error.hpp>
#include <new>

namespace fade::c {

/// Something that the library has no kernel or no device for.
class unsupported : public error {
public:
    using error::error;
};

/// Keeps a refusal for fade_last_error() and says its status.
fade_status keep(fade_status status, const std::string& argument, const std::string& value,
                 const std::string& rule) noexcept;
fade_status keep(const error& e, fade_status status) noexcept;
/// The status of a fade::error: runtimes are named by their functions.
fade_status status_of(const error& e) noexcept;

/// f(), of which no exception gets out.
template <class F>
fade_status guarded(F&& f) noexcept {
    try {
        f();
        return FADE_OK;
    } catch (const unsupported& e) {
        return keep(e, FADE_UNSUPPORTED);
    } catch (const error& e) {
        return keep(e, status_of(e));
    } catch (const std::bad_alloc&) {
        return keep(FADE_NO_MEMORY, "memory", "used up", "the call needs more of it");
    } catch (const std::exception& e) {
        return keep(FADE_INTERNAL, "the library", "at fault", e.what());
    } catch (...) {
        return keep(FADE_INTERNAL, "the library", "at fault",
                    "something was thrown that is no std::exception");
    }
}

}  // namespace fade::c
