// How far a training has come.
#pragma once
#include <string>

namespace demo {

/// A bar on stderr: redrawn on a terminal, a line for each epoch elsewhere.
class progress {
public:
    progress(std::string what, int epochs);
    /// `done` of an epoch's steps, from 0 to 1.
    void step(int epoch, double done, float loss) const;
    void epoch(int epoch, float loss, float accuracy) const;

private:
    void bar(double epochs_done, float loss) const;
    std::string what_;
    int epochs_;
    bool terminal_;
};

}  // namespace demo
