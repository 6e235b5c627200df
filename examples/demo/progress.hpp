// A bar on stderr: redrawn on a terminal, a single line at the end elsewhere.
#pragma once
#include <string>

namespace demo {

class progress {
public:
    progress(std::string what, int count);
    void show(int done, float loss);

private:
    std::string what_;
    int count_;
    bool terminal_;
};

}  // namespace demo
