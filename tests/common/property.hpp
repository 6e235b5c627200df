// Properties by rapidcheck inside doctest: a fresh seed each run, printed; RC_PARAMS="seed=N" repeats a run.
#pragma once
#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <sstream>
#include <string>

namespace fade::test {

/// Tries `property` on `times` random inputs; it draws them by *gen. RC_PARAMS="max_success=N" changes the
/// number of all.
template <class Property>
void holds(const std::string& what, int times, Property property) {
    using namespace rc::detail;
    TestParams params = configuration().testParams;  // prints the seed when it is first asked
    if (params.maxSuccess == TestParams().maxSuccess) params.maxSuccess = times;
    TestMetadata about;
    about.id = about.description = what;
    const auto result = checkTestable(property, about, params);
    if (!result.template is<SuccessResult>()) printResultMessage(result, std::cerr << what << ": ");
    CHECK_MESSAGE(result.template is<SuccessResult>(), what);
}

/// Fails the property with the input that was tried, in words, and what is wrong with it; passes if nothing
/// is.
template <class Input>
void must_be_right(const Input& input, const std::string& wrong) {
    if (wrong.empty()) return;
    std::ostringstream said;
    said << input << ": " << wrong;
    RC_FAIL(said.str());
}

}  // namespace fade::test
