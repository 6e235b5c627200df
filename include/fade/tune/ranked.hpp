// What the static model says of the policies of a call, without the machine.
#pragma once
#include <algorithm>
#include <fade/core/namespace.hpp>
#include <limits>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::tune {

/// What the model says of one policy. Nothing here was timed.
template <class Choice>
struct ranked {
    Choice choice{};         ///< what a row of a database would hold
    double relative = 0;     ///< modelled time over that of the first; infinite where no figure is known
    std::string evidence{};  ///< what the figure rests on
};

namespace detail {

inline constexpr double no_figure = std::numeric_limits<double>::infinity();

/// From costs, in any unit, to times over that of the first, which costs least.
template <class Choice>
std::vector<ranked<Choice>> in_order(const std::vector<ranked<Choice>>& given) {
    std::vector<ranked<Choice>> all;  // libstdc++'s stable sorts take memory by what C++17 deprecates
    for (const ranked<Choice>& r : given)
        all.insert(std::ranges::upper_bound(all, r.relative, {}, &ranked<Choice>::relative), r);
    const double first = all.empty() ? no_figure : all.front().relative;
    for (ranked<Choice>& r : all)
        r.relative = first < r.relative ? r.relative / first : first == no_figure ? no_figure : 1;
    return all;
}

/// Is the choice among those that are ranked?
template <class Choice>
bool has(const std::vector<ranked<Choice>>& all, const Choice& choice) {
    return std::ranges::find(all, choice, &ranked<Choice>::choice) != all.end();
}

}  // namespace detail
}  // namespace FADE_NAMESPACE::tune
