// expect: an operation that needs memory has workspace_bytes(), which gives std::size_t, what_needs() and
// place(void*)
#include <fade/device.hpp>
#include <fade/device/operation.hpp>

struct forgetful {
    fade::report report;
    const fade::report& said() const { return report; }
    std::size_t workspace_bytes() const { return 64; }
    const char* what_needs() const { return "this needs"; }
    template <class F>
    void each_launch(F) {}
};

void call(fade::host_device& device) {
    forgetful operation;
    fade::run_operation(device, operation);
}
