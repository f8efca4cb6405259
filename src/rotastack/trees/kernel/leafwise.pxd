"""Grow a boosted tree: the leaf of the largest gain is split first.

The histogram of the smaller child is computed from its rows; the histogram of the larger child is the parent's
histogram less that of the smaller child. If there was no memory for a leaf's histogram, both children's histograms are
computed from rows.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcpy

from rotastack.trees.kernel.cutting cimport BinnedCut, Bounds, find_cut
from rotastack.trees.kernel.heap cimport pop, push
from rotastack.trees.kernel.histograms cimport Bins, Packing, fill_histogram, take_away, words_of
from rotastack.trees.kernel.interrupts cimport pass_by
from rotastack.trees.kernel.memory cimport take
from rotastack.trees.kernel.structures cimport MISSING_RIGHT, Node, Watch


# A node for rows as codes: a row goes right if code + shift, modulo 256, is more than `cut`. If missing values go left,
# the shift turns their code, which is the last one, to 0.
cdef struct Step:
    int32_t column              # -1 in a leaf
    int32_t child
    uint8_t shift
    uint8_t cut


# A leaf that may still be split.
cdef struct Leaf:
    int32_t first               # its rows are rows[first:last]
    int32_t last
    int32_t depth
    int32_t slot                # number of its histogram; -1 without one
    int64_t total               # the sum of its words
    BinnedCut cut


# The data, limits and scratch memory of a growing tree.
cdef struct Leafwise:
    Bins bins
    Packing packing
    Bounds bounds
    Py_ssize_t max_leaves
    int64_t max_depth
    float* cuts                 # (column, 256)
    const double* weights       # (row,); NULL if all weights are 1
    const int64_t* words        # (row,)
    int64_t* ordered            # (row,): scratch
    int32_t* columns            # (n_columns,): columns of this tree
    Py_ssize_t n_columns
    uint32_t* rows
    uint32_t* spare             # (row,): scratch
    Leaf* leaves                # (node,), as are `gains`
    double* gains
    int32_t* heap
    int64_t* histograms         # (slot, word)
    Py_ssize_t n_cells
    int32_t* free_slots
    Py_ssize_t n_free
    Watch watch


cdef inline int take_leafwise(list kept, Leafwise* tree, Py_ssize_t n_rows, Py_ssize_t most_words) except -1:
    """Allocate the memory of a tree of known columns and largest number of leaves; at least three histograms fit."""
    cdef Py_ssize_t most_nodes = 2 * tree.max_leaves - 1, i
    cdef Py_ssize_t n_words = words_of(256 * tree.n_columns, tree.packing.counted_apart)
    cdef Py_ssize_t n_slots = max(3, min(tree.max_leaves + 2, most_words // n_words))
    tree.words = <int64_t*> take(kept, n_rows, sizeof(int64_t))
    tree.ordered = <int64_t*> take(kept, n_rows, sizeof(int64_t))
    tree.rows = <uint32_t*> take(kept, n_rows, sizeof(uint32_t))
    tree.spare = <uint32_t*> take(kept, n_rows, sizeof(uint32_t))
    tree.leaves = <Leaf*> take(kept, most_nodes, sizeof(Leaf))
    tree.gains = <double*> take(kept, most_nodes, sizeof(double))
    tree.heap = <int32_t*> take(kept, tree.max_leaves + 1, sizeof(int32_t))
    tree.histograms = <int64_t*> take(kept, n_slots * n_words, sizeof(int64_t))
    tree.free_slots = <int32_t*> take(kept, n_slots, sizeof(int32_t))
    tree.n_free = n_slots
    for i in range(n_slots):
        tree.free_slots[i] = <int32_t> i
    return 0


cdef inline int64_t* histogram_of(const Leafwise* tree, int32_t slot) noexcept nogil:
    return tree.histograms + slot * words_of(tree.n_cells, tree.packing.counted_apart)


cdef inline Py_ssize_t grow_leafwise(
    Leafwise* tree, Py_ssize_t n, Node* nodes, Step* steps, double* weight
) except -1 nogil:
    """Grow a tree on ``rows[:n]``; return the number of nodes. Children have larger numbers than their parents.

    The `child` of a leaf is -1. `weight` receives the sum of weights of each node; without weights, its number of rows.
    """
    cdef Py_ssize_t n_nodes = 1, n_leaves = 1, n_waiting = 0, i, n_left
    cdef int32_t node, child, slot
    cdef int64_t total = 0
    cdef Leaf* leaf = &tree.leaves[0]
    cdef Leaf* small
    cdef Leaf* large
    for i in range(n):
        total += tree.words[tree.rows[i]]
    leaf[0] = Leaf(0, <int32_t> n, 0, -1, total)
    weight[0] = weight_of(tree, 0, n)
    end_here(nodes, steps, 0)
    if may_be_split(tree, leaf) and tree.max_leaves > 1:
        leaf.slot = take_slot(tree)
        fill(tree, leaf)
        n_waiting = search(tree, 0, n_waiting)
    while n_waiting > 0 and n_leaves < tree.max_leaves:
        node = pop(tree.heap, n_waiting, tree.gains)
        n_waiting -= 1
        leaf = &tree.leaves[node]
        child = <int32_t> n_nodes
        n_nodes += 2
        n_leaves += 1
        pass_by(&tree.watch, leaf.last - leaf.first)
        n_left = split(tree, leaf, &nodes[node], &steps[node], child)
        small = &tree.leaves[child]
        large = &tree.leaves[child + 1]
        small[0] = Leaf(leaf.first, leaf.first + <int32_t> n_left, leaf.depth + 1, -1, leaf.cut.left)
        large[0] = Leaf(small.last, leaf.last, leaf.depth + 1, -1, leaf.total - leaf.cut.left)
        for i in range(2):
            end_here(nodes, steps, child + i)
            weight[child + i] = weight_of(tree, tree.leaves[child + i].first, tree.leaves[child + i].last)
        direct_missing(tree, &leaf.cut, weight[child + 1] > weight[child], &nodes[node], &steps[node])
        if n_leaves == tree.max_leaves:
            break
        if large.last - large.first < small.last - small.first:
            small, large = large, small
        slot = leaf.slot
        if not may_be_split(tree, large):
            if slot >= 0:
                free_slot(tree, slot)
            continue
        small.slot = take_slot(tree)
        if slot >= 0 or may_be_split(tree, small):
            fill(tree, small)
        if slot >= 0:
            large.slot = slot
            take_away(
                histogram_of(tree, slot), histogram_of(tree, small.slot), tree.n_cells, tree.packing.counted_apart
            )
        else:
            large.slot = take_slot(tree)
            fill(tree, large)
        for i in range(2):
            n_waiting = search(tree, <int32_t> (child + i), n_waiting)
    return n_nodes


cdef inline bint may_be_split(const Leafwise* tree, const Leaf* leaf) noexcept nogil:
    return leaf.last - leaf.first >= 2 * tree.bounds.min_count and leaf.depth < tree.max_depth


cdef inline int32_t take_slot(Leafwise* tree) noexcept nogil:
    tree.n_free -= 1
    return tree.free_slots[tree.n_free]


cdef inline void free_slot(Leafwise* tree, int32_t slot) noexcept nogil:
    tree.free_slots[tree.n_free] = slot
    tree.n_free += 1


cdef inline int fill(Leafwise* tree, const Leaf* leaf) except -1 nogil:
    cdef Py_ssize_t n = leaf.last - leaf.first
    pass_by(&tree.watch, n * tree.n_columns)
    fill_histogram(
        &tree.bins, tree.columns, tree.n_columns, tree.packing.counted_apart, tree.rows + leaf.first, n,
        tree.words, tree.ordered, histogram_of(tree, leaf.slot),
    )
    return 0


cdef inline Py_ssize_t search(Leafwise* tree, int32_t node, Py_ssize_t n_waiting) except -1 nogil:
    """Find the best cut of a node, and push the node on the heap if it has one; return the size of the heap."""
    cdef Leaf* leaf = &tree.leaves[node]
    leaf.cut.column = -1
    if may_be_split(tree, leaf):
        pass_by(&tree.watch, tree.n_cells)
        find_cut(
            &tree.bins, tree.columns, tree.n_columns, histogram_of(tree, leaf.slot), leaf.total,
            leaf.last - leaf.first, &tree.packing, &tree.bounds, &leaf.cut,
        )
    if leaf.cut.column < 0 or tree.n_free < 2:      # the next two children need two
        free_slot(tree, leaf.slot)
        leaf.slot = -1
    if leaf.cut.column >= 0:
        tree.gains[node] = leaf.cut.gain
        push(tree.heap, n_waiting, node, tree.gains)
        n_waiting += 1
    return n_waiting


cdef inline void end_here(Node* nodes, Step* steps, Py_ssize_t node) noexcept nogil:
    nodes[node] = Node(-1, 0, -1)
    steps[node] = Step(-1, 0, 0, 0)


cdef inline double weight_of(const Leafwise* tree, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    cdef const double* weights = tree.weights
    cdef const uint32_t* rows = tree.rows
    cdef double total = 0.0
    cdef Py_ssize_t i
    if weights == NULL:
        return <double> (last - first)
    for i in range(first, last):
        total += weights[rows[i]]
    return total


cdef inline Py_ssize_t split(
    Leafwise* tree, const Leaf* leaf, Node* node, Step* step, int32_t child
) noexcept nogil:
    """Move the rows that go left before the other rows, stably; return the number of rows that go left."""
    cdef const uint8_t* codes = tree.bins.codes + leaf.cut.column * tree.bins.stride
    cdef uint32_t* rows = tree.rows + leaf.first
    cdef uint32_t* spare = tree.spare
    cdef Py_ssize_t i, n = leaf.last - leaf.first, n_left = 0
    cdef uint32_t row
    cdef uint8_t cut
    cdef uint8_t shift
    cdef bint right
    node[0] = Node(leaf.cut.column, tree.cuts[256 * leaf.cut.column + leaf.cut.code], child)
    step[0] = Step(leaf.cut.column, child, 0, <uint8_t> leaf.cut.code)
    direct_missing(tree, &leaf.cut, True, node, step)
    cut, shift = step.cut, step.shift
    for i in range(n):
        row = rows[i]
        right = <uint8_t> (codes[row] + shift) > cut
        rows[n_left] = row
        spare[i - n_left] = row
        n_left += not right
    memcpy(rows + n_left, spare, (n - n_left) * sizeof(uint32_t))
    return n_left


cdef inline void direct_missing(
    const Leafwise* tree, const BinnedCut* cut, bint heavier_right, Node* node, Step* step
) noexcept nogil:
    """Send missing values to the side that the cut chose, or to the heavier side if the node had none."""
    cdef bint right = cut.missing_right if cut.has_missing else heavier_right
    node.column = cut.column | (MISSING_RIGHT if right else 0)
    step.shift = 0 if right else <uint8_t> (256 - tree.bins.n_bins[cut.column])
    step.cut = <uint8_t> (cut.code + step.shift)


cdef inline int32_t leaf_by_codes(
    const Step* steps, const uint8_t* codes, Py_ssize_t stride
) noexcept nogil:
    """Return the leaf of a row whose codes are `stride` bytes apart."""
    cdef int32_t node = 0
    cdef const Step* step = steps
    while step.column >= 0:
        node = step.child + (<uint8_t> (codes[step.column * stride] + step.shift) > step.cut)
        step = &steps[node]
    return node
