"""The structures that all parts of the kernel share: data, options, scratch memory and grown trees.

A structure holds addresses only; the entry point owns the memory (see `memory.pxd`). Functions copy the addresses that
their inner loops use to local variables, because the compiler must assume that each written number may change an
address in a structure.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t


cdef enum Criterion:
    GINI
    ENTROPY
    SQUARED_ERROR
    C45


cdef enum Splitter:
    BEST
    RANDOM


cdef enum:
    MISSING_RIGHT = 1 << 30     # the bit of a node's `column` that sends missing values right
    COLUMN = MISSING_RIGHT - 1  # the bits that hold the column


# A node sends a row to `child` if its value in `column` is at most `cut`, else to `child` + 1. A missing value (NaN)
# goes to `child` + 1 if `MISSING_RIGHT` is set, else to `child`. This is the better side if training rows of the node
# miss the value, otherwise the child of larger weight. The `column` of a leaf is -1, and its `child` encodes its
# output: -1 - c if all its rows are of class c, otherwise the row of its output in the table of leaf values.
cdef struct Node:
    int32_t column
    float cut
    int32_t child


# A view of the data. Column j is column s = source[j] of `data` if s >= 0, else column -1 - s of `stored`, which holds
# the mapped columns of the view. `data` and `stored` have the axes (column, row).
cdef struct View:
    const float* data
    uint8_t* missing            # (n_columns,): 1 for columns with missing values; NULL without any
    float* stored
    int32_t* source
    const float** columns       # (n_columns,): address of each column
    Py_ssize_t n_columns
    Py_ssize_t n_rows


cdef inline bint may_miss(const View* view, Py_ssize_t j) noexcept nogil:
    """Return whether column j has missing values."""
    return view.missing != NULL and view.missing[j]


cdef inline Py_ssize_t column_in(Node node) noexcept nogil:
    """Return the column of a node that is not a leaf."""
    return node.column & COLUMN


# The parts of a linear view: `n_parts` rows of `every`, which holds the parts of all views of a call, those of view v
# from row starts[v] on. A row of `parts` is (first, n_in, matrix, n_out): the part reads the data columns
# columns[first:first + n_in]. With matrix < 0 its outputs are these columns. Otherwise it maps the columns by
# matrices[matrix:matrix + n_in * n_out], stored row by row, with fills[first:first + n_in] in place of missing values.
cdef struct Parts:
    const int64_t* parts        # (n_parts, 4)
    Py_ssize_t n_parts
    const int32_t* columns
    const float* matrices
    const float* fills          # NULL without fills: outputs of missing values are missing
    float* inputs               # scratch for filled columns
    int32_t* numbers            # 0, 1, ...
    const int64_t* starts
    const int64_t* every        # (row, 4)


# The targets, the weights and the criterion of splits.
cdef struct Task:
    Criterion criterion
    Py_ssize_t n_outputs        # classes, or 1 for a regression
    const int32_t* y            # (row,): class numbers
    const double* target        # (row,): class numbers as floats, or the targets of a regression
    const double* table         # x log2 x for x = 0, 1, ...; NULL without a table
    double* pairs               # (row, 2): weight in the tree's bag, weight times target


# The limits that all trees of a call share.
cdef struct Limits:
    int64_t max_depth
    int64_t min_split
    int64_t min_leaf
    double ccp_alpha
    double confidence           # of C4.5; 0 for no pruning
    double quantile             # of the normal distribution at 1 - confidence
    bint raising
    bint constant_leaf          # a node stays a leaf if all drawn columns are constant


# Trees that share data, view and options; the last three fields are the rule for splits. See `BATCH` in `batches.pyx`.
cdef struct Batch:
    int64_t data_set
    int64_t mask
    int64_t view
    int64_t first_tree
    int64_t n_trees
    int64_t splitter            # a `Splitter`
    int64_t max_features
    int64_t n_cuts


# Scratch for the sorting of a node's rows.
cdef struct Sorter:
    uint64_t* keys              # (n_rows + 8,)
    uint64_t* other             # (n_rows + 8,)
    float* values               # (n_rows,)
    uint32_t* rows              # (n_rows,)
    int32_t* starts             # (STARTS,)


# The sorted keys of each column j of the bag: orders[j * n_bag:(j + 1) * n_bag], or with `compact`
# small[j * n_bag:(j + 1) * n_bag]. With `compact`, `apart` holds the places of cuts (see `compact.pxd`). C4.5 also
# keeps the sorted values of the whole bag, `ranked`.
cdef struct Presorted:
    bint used
    bint compact
    bint may_be_compact         # compact keys are possible if all rows of a bag have weight 1
    Py_ssize_t n_bag
    uint64_t* orders
    uint32_t* small
    uint16_t* apart
    float* ranked
    uint32_t* small_other       # (n_rows,): scratch


# Information gains for rows of weight 1: see `unit_entropy.pxd`.
cdef struct Units:
    uint8_t* classes            # (n_rows,)
    int64_t* h                  # (n_rows + 1,): h(x)
    # Of a node:
    int64_t of_classes          # sum of h over its classes
    int64_t* of_sides           # (n_rows + 1,): sum of h over the sides of a cut
    int64_t* tables             # (n_rows + 2,): the tables of all classes
    uint32_t* begin             # (n_classes,): position of each class's table
    uint32_t* following         # (n_classes,): scratch
    bint two                    # whether the node has exactly two classes:
    uint8_t one                 # the first of the two,
    const int64_t* of_one       # and the tables of both classes
    const int64_t* of_other


# The ones of sparse columns: see `sparse.pxd`.
cdef struct Ones:
    const uint32_t* ones        # NULL without such columns
    const int64_t* first_one
    int32_t* stands


# The split of a node: `column` as in `Node`, -1 without a split; `criteria.pxd` defines `merit`.
cdef struct Split:
    int32_t column
    float cut
    double merit


# The order of the searched columns, and C4.5's candidate splits, one for each column.
cdef struct Candidates:
    int32_t* order              # (n_columns,): the columns in drawn order; with C4.5, values for `column` of a node
    double* gains
    double* ratios
    int32_t* places


# The tree while it grows. The rows of a node are rows[first[node]:last[node]].
cdef struct Growing:
    uint32_t* rows
    Node* nodes                 # (2 n_rows + 1,), as are the other arrays by node
    double* impurity
    double* weight
    int32_t* first
    int32_t* last
    int32_t* depth
    double* errors              # training errors, with C4.5
    int32_t* open
    double* totals              # (2, n_outputs): class weights of the two newest nodes
    double* left                # (3, n_outputs): scratch
    uint32_t* spare             # (n_rows,): scratch
    uint32_t* found             # (n_rows,): scratch
    uint8_t* side               # (n_rows,): whether the last split sent a row to the left


# A node that is searched for a split: its `n` rows start at place `first`; `describe` writes the other fields.
cdef struct Described:
    Py_ssize_t first
    Py_ssize_t n
    double* total               # (n_outputs,): class weights, or the weighted sum of targets
    double whole                # weight
    double squares              # sum of the squared class weights
    double impurity


# The state of the checks for an early end of a call: see `interrupts.pxd`.
cdef struct Watch:
    int64_t n_values            # processed since the last check
    const uint8_t* stop         # another thread sets it to 1 to end the call; or NULL


# Scratch memory of C4.5's pruning, by node.
cdef struct Pruning:
    double* estimates           # expected errors
    int32_t* begin              # range of the rows that a raised branch adds to a node
    int32_t* end
    uint8_t* waiting            # whether the node is still to be pruned


# All data, options and scratch memory for growing a tree.
cdef struct Grower:
    View view
    Task task
    Limits limits
    Batch search
    Ones ones
    Sorter sorter
    Presorted presorted
    Units units
    Candidates candidates
    Growing growing
    Pruning pruning             # of C4.5
    Watch watch
    uint64_t state              # of the random number generator
