"""What a tree is grown from and what it becomes: the structures that all parts of the kernel share.

A structure holds addresses only. Their memory belongs to the entry point (see `memory.pxd`).
Functions copy the addresses that their inner loops use to locals: for all a compiler knows, a
number that is written might be one of the addresses.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t


cdef enum Criterion:
    GINI
    ENTROPY
    GAIN_RATIO
    SQUARED_ERROR
    C45


cdef enum Splitter:
    BEST
    RANDOM


cdef enum:
    MISSING_RIGHT = 1 << 30     # the bit of a node's `column` that says where missing values go
    COLUMN = MISSING_RIGHT - 1  # the bits that hold the column


# A node sends a row to `child` if its value in `column` is at most `cut`, else to `child` + 1. A missing
# value (NaN) goes to `child` + 1 if `MISSING_RIGHT` is set, else to `child`: to the side that was found to be
# better where rows of the node miss their value, otherwise to the child of larger weight. In a
# leaf `column` is -1 and `child` encodes its output: -1 - c if all its rows are of class c,
# otherwise the row of its output in the table of leaf values.
cdef struct Node:
    int32_t column
    float cut
    int32_t child


# The data as a tree sees them. Column j is column s = source[j] of `data` if s >= 0, else column
# -1 - s of `stored`, which holds the view's mapped columns. Both are (column, row).
cdef struct View:
    const float* data
    uint8_t* missing            # (n_columns,): which columns have missing values; NULL if none does
    float* stored
    int32_t* source
    const float** columns       # (n_columns,): where they start
    Py_ssize_t n_columns
    Py_ssize_t n_rows


cdef inline const float* column_of(const View* view, Py_ssize_t j) noexcept nogil:
    return view.columns[j]


cdef inline bint may_miss(const View* view, Py_ssize_t j) noexcept nogil:
    """Return whether values of column j are missing."""
    return view.missing != NULL and view.missing[j]


cdef inline Py_ssize_t column_in(Node node) noexcept nogil:
    """Return the column of a node that is no leaf."""
    return node.column & COLUMN


cdef inline void place_columns(View* view) noexcept nogil:
    """Write where the columns start, as their sources tell."""
    cdef Py_ssize_t j, s
    for j in range(view.n_columns):
        s = view.source[j]
        view.columns[j] = view.data + s * view.n_rows if s >= 0 else view.stored + (-1 - s) * view.n_rows


# A linear view, part by part. A row of `parts` is (first, n_in, matrix, n_out): it reads the data
# columns columns[first:first + n_in]. With matrix < 0 its outputs are these columns, else it maps
# them by matrices[matrix:matrix + n_in * n_out], row after row, with fills[first:first + n_in] for missing values.
cdef struct Parts:
    const int64_t* parts        # (n_parts, 4)
    Py_ssize_t n_parts
    const int32_t* columns
    const float* matrices
    const float* fills          # NULL: outputs of missing values are missing
    float* inputs               # with fills, scratch: filled columns
    int32_t* numbers            # 0, 1, ...


# What is to be predicted, and by what splits are judged.
cdef struct Task:
    Criterion criterion
    Py_ssize_t n_outputs        # classes, or 1 for a regression
    const int32_t* y            # (row,): class numbers
    const double* target        # (row,): the same as floats, or the targets of a regression
    const double* table         # x log2 x of 0, 1, ...; NULL if weights are not whole
    double* pairs               # (row, 2): weight in the tree's bag, weight times target


# What all trees of a call have in common.
cdef struct Limits:
    int64_t max_depth
    int64_t min_split
    int64_t min_leaf
    double min_share
    int64_t max_leaves          # 0: grow depth first, without a limit
    double min_decrease
    double ccp_alpha
    double confidence           # of C4.5: 0 prunes nothing
    double quantile             # of the normal distribution at 1 - confidence
    bint raising
    bint constant_leaf          # a node in which all columns drawn are constant stays a leaf


# How the trees of a batch search for splits.
cdef struct Search:
    Splitter splitter
    int64_t max_features
    int64_t n_cuts


# Scratch for the sorting of a node's rows.
cdef struct Sorter:
    uint64_t* keys              # (n_rows + 8,)
    uint64_t* other             # (n_rows + 8,)
    float* values               # (n_rows,)
    uint32_t* rows              # (n_rows,)
    int32_t* starts             # (STARTS,)


# The sorted keys of every column j of the bag, orders[j * n_bag:(j + 1) * n_bag], or with `compact`
# small[j * n_bag:(j + 1) * n_bag]; then `apart` says where cuts are (see `compact.pxd`). C4.5 also
# keeps the sorted values of the whole bag, `ranked`.
cdef struct Presorted:
    bint used
    bint compact
    bint may_be_compact         # where all rows of a bag weigh 1
    Py_ssize_t n_bag
    uint64_t* orders
    uint32_t* small
    uint16_t* apart
    float* ranked
    uint32_t* small_other       # (n_rows,): scratch


# Gains of information where all rows weigh 1: see `unit_entropy.pxd`.
cdef struct Units:
    uint8_t* classes            # (n_rows,)
    int64_t* h                  # (n_rows + 1,): h(x)
    # Of a node:
    int64_t of_classes          # sum of h over its classes
    int64_t* of_sides           # (n_rows + 1,): sum of h over the sides of a cut
    int64_t* tables             # (n_rows + 2,): of each class
    uint32_t* begin             # (n_classes,): where the table of a class begins
    uint32_t* following         # (n_classes,): scratch
    bint two                    # whether it has two classes only:
    uint8_t one                 # one of them,
    const int64_t* of_one       # and the tables of both
    const int64_t* of_other


# The ones of sparse columns: see `sparse.pxd`.
cdef struct Ones:
    const uint32_t* ones        # NULL without such columns
    const int64_t* first_one
    int32_t* stands


# The split of a node: `column` is that of a `Node`, -1 if there is none; `gain` is the decrease of impurity times weight.
cdef struct Split:
    int32_t column
    float cut
    double gain


# One candidate split for each column that is searched, where all are known before one is chosen.
cdef struct Candidates:
    int32_t* order              # (n_columns,): the columns, in the order in which they are drawn; of C4.5: those of nodes
    double* gains
    double* ratios
    float* cuts
    int32_t* places             # of C4.5


# The tree while it grows. The rows of a node are rows[first[node]:last[node]].
cdef struct Growing:
    uint32_t* rows
    Node* nodes                 # (2 n_rows + 1,), as all of node
    double* impurity
    double* weight
    int32_t* first
    int32_t* last
    int32_t* depth
    double* gains               # of C4.5: training errors
    int32_t* open
    double* totals              # (2, n_outputs): class weights of the two newest nodes
    double* left                # (3, n_outputs): scratch
    uint32_t* spare             # (n_rows,): scratch
    uint32_t* found             # (n_rows,): scratch
    uint8_t* side               # (n_rows,): whether the last split sent a row to the left


# A node that is searched for a split: its rows are `n` from place `first`, and what `describe` finds.
cdef struct Described:
    Py_ssize_t first
    Py_ssize_t n
    double* total               # (n_outputs,)
    double whole
    double squares
    double base
    double impurity


# When a call shall end early: see `interrupts.pxd`.
cdef struct Watch:
    int64_t n_values            # looked at since the last check
    const uint8_t* stop         # not 0 once another thread has asked for an end; or NULL


# Scratch of C4.5's pruning, all of node.
cdef struct Pruning:
    double* estimates           # expected errors
    int32_t* begin              # the newcomers of a node
    int32_t* end
    uint8_t* waiting            # whether the node is still to be looked at


# All that growing a tree takes.
cdef struct Grower:
    View view
    Task task
    Limits limits
    Search search
    Ones ones
    Sorter sorter
    Presorted presorted
    Units units
    Candidates candidates
    Growing growing
    Pruning pruning             # of C4.5
    Watch watch
    uint64_t state              # of the random numbers
