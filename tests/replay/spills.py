"""Which kernels of a code object spill registers or use scratch memory, beyond what KNOWN says of them."""
import re

# What a symbol begins with, where, and the most that it may have: scalar registers kept in lanes, vector registers
# spilled, bytes of scratch memory. Kernels of windows of images hold the sizes of three axes and spill scalars alone.
KNOWN = [
    ('conv_entry', 'gfx', 48, 0, 0),
    ('direct_entry', 'gfx90[68]', 4, 4, 16),              # 64 registers a lane
    ('scaled_entry', 'gfx', 64, 0, 0),                    # elements read one by one
    ('row_entry.*rms_norm_rows.*row_kindE6ELb0', 'gfx9', 26, 0, 0),
    ('append_entry', 'gfx90[68a]', 2, 0, 0),
    # Up to seven tensors of f32, each with its stride.
    ('(column|row)_entry.*batch_norm.*IfE', 'gfx90', 4, 0, 0),
    ('attention_entry.*Li256E', 'gfx9', 0, 1, 0),         # one register, in another one
    ('attention_entry.*float8', 'gfx90a', 2, 0, 0),
]
COUNTS = ('.sgpr_spill_count', '.vgpr_spill_count', '.private_segment_fixed_size')


def granted(symbol, arch):
    """The most that a kernel may have of COUNTS."""
    return next((most for name, where, *most in KNOWN if re.search(name, symbol) and re.match(where, arch)), [0, 0, 0])


def spilled(kernels, arch):
    """A sentence for each kernel (metadata of AMDGPU code objects) that spills more than it may."""
    out = []
    for kernel in kernels:
        found = [kernel.get(count, 0) for count in COUNTS]
        if any(is_ > may for is_, may in zip(found, granted(kernel['.name'], arch))):
            out.append(f'{kernel[".name"]}: {found[0]} scalar and {found[1]} vector registers spilled, {found[2]} bytes of scratch')
    return out
