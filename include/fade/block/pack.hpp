// From global memory straight into the panels that a CPU micro-kernel streams.
#pragma once
#include <fade/block/operand.hpp>
#include <fade/block/shared_layout.hpp>

namespace fade::block {

/// Copies tile after tile of an operand, converted to the type of the panels; what does not exist becomes zero.
template <class Block, class T, class Layout>
class panel_packer {
    using target = typename Layout::element;

public:
    panel_packer(Block&, const operand<T>& from) : from_(from) {}

    void advance(index steps) { from_.tile += steps * from_.k_stride; }

    /// Packs the first `depth` steps of k; the layout's depth stays the pitch of a panel.
    void pack(Block& block, const shared_tile<Layout>& to, int depth) {
        for (int p = 0; p * Layout::panel < from_.rows; ++p) {
            target* panel = reinterpret_cast<target*>(block.shared + to.at(p * Layout::panel, 0));
            const T* source = from_.tile + p * Layout::panel * from_.row_stride;
            const int rows = least(from_.rows - p * Layout::panel, Layout::panel);
            if (rows < Layout::panel) pack_rest(panel, source, rows, depth);
            else if (from_.row_stride == 1) pack_rows(panel, source, depth);
            else pack_columns(panel, source, depth);
        }
    }

private:
    void pack_rows(target* panel, const T* source, int depth) const {
        for (int k = 0; k < depth; ++k)
            for (int r = 0; r < Layout::panel; ++r) panel[k * Layout::panel + r] = convert<target>(source[k * from_.k_stride + r]);
    }
    void pack_columns(target* panel, const T* source, int depth) const {
        for (int k = 0; k < depth; ++k)
            for (int r = 0; r < Layout::panel; ++r) panel[k * Layout::panel + r] = convert<target>(source[r * from_.row_stride + k * from_.k_stride]);
    }
    void pack_rest(target* panel, const T* source, int rows, int depth) const {
        for (int k = 0; k < depth; ++k)
            for (int r = 0; r < Layout::panel; ++r)
                panel[k * Layout::panel + r] = r < rows ? convert<target>(source[r * from_.row_stride + k * from_.k_stride]) : target{};
    }

    operand<T> from_;
};

}  // namespace fade::block
