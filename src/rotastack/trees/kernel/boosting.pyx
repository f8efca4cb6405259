"""Gradient boosting: rounds of small trees, each grown on the gradients of the loss at the current scores."""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from rotastack.trees.kernel.batches import NODE
from rotastack.trees.kernel.binning cimport CUTS, SAMPLE, make_cuts, sample_rows, write_codes
from rotastack.trees.kernel.cutting cimport Bounds
from rotastack.trees.kernel.histograms cimport pack, share_bits
from rotastack.trees.kernel.interrupts cimport pass_by, start_watch
from rotastack.trees.kernel.leafwise cimport Leaf, Leafwise, Step, grow_leafwise, leaf_by_codes, take_leafwise
from rotastack.trees.kernel.losses cimport (
    LOGISTIC, SOFTMAX, SQUARES, Loss, exp_negative, loss_of, of_logistic, of_softmax, of_squares,
)
from rotastack.trees.kernel.memory cimport resize, take
from rotastack.trees.kernel.sampling cimport draw_subset, state_of
from rotastack.trees.kernel.scratch cimport take_parts, take_sorter, take_view
from rotastack.trees.kernel.structures cimport Node, Parts, Sorter, View, Watch
from rotastack.trees.kernel.views cimport choose_view, count_mapped, map_view
from rotastack.trees.kernel.writing cimport Written, make_room

LOSSES = {"squares": SQUARES, "logistic": LOGISTIC, "softmax": SOFTMAX}

STEP = np.dtype([("column", np.int32), ("child", np.int32), ("shift", np.uint8), ("cut", np.uint8)], align=True)

HISTOGRAM_WORDS = 1 << 23
"""Largest number of 8-byte words that a booster keeps for its histograms; at least three histograms are kept."""

cdef enum:
    MANY = 0x7FFFFFFF               # more than any number of rows, leaves or levels

cdef double MIN_HESSIAN = 1e-3      # smallest sum of hessians of a child


cdef class Booster:
    """One booster: the bins of its rows, its scores, and the trees grown so far.

    Here the training rows have the numbers 0, 1, ...; the held-out rows have the following numbers.
    """

    cdef list kept
    cdef Leafwise tree
    cdef Loss loss
    cdef uint64_t seed
    cdef Py_ssize_t n_rows          # training rows
    cdef Py_ssize_t n_held
    cdef Py_ssize_t n_outputs
    cdef Py_ssize_t width           # columns of the view
    cdef Py_ssize_t n_sampled
    cdef Py_ssize_t max_bins
    cdef Py_ssize_t n_rounds        # rounds grown so far
    cdef Py_ssize_t most_nodes      # of a tree, at most
    cdef double rate
    cdef double l2
    cdef const double* base         # (output,)
    cdef double* scores             # (output, row): scores of the training rows
    cdef double* sums               # (output, held-out row): scores without the base
    cdef const double* target       # (row,): includes held-out rows
    cdef const double* weights
    cdef double* gradients          # (output, row)
    cdef double* hessians
    cdef double* outputs            # (node,): leaf values of a tree
    cdef double* row_scores         # (output,)
    cdef const uint32_t* members    # (row,): row numbers in the data
    cdef uint32_t* left_out         # (row,): training rows outside a round's sample
    cdef uint32_t* sampled          # (row,)
    cdef int32_t* not_drawn         # columns that a tree does not use
    # The trees grown so far:
    cdef list arrays                # of `written`
    cdef object step_array, size_array
    cdef Written written
    cdef Step* steps
    cdef int64_t* sizes
    cdef Py_ssize_t n_trees
    cdef Py_ssize_t tree_room       # number of trees that fit

    def __init__(self, rows, task, const uint8_t[::1] stop=None):
        """Take the rows of a :class:`rotastack.trees.boosters.BoosterRows`, and cut the columns of its view into bins.

        `task` is a :class:`rotastack.trees.boosters.BoostingTask`. For `stop` see `interrupts.pxd`.
        """
        options, start = task.options, rows.start
        cdef const uint32_t[::1] members = rows.members
        cdef const double[::1] target = rows.target, weights = rows.weights, base = start
        cdef Py_ssize_t n_rows = rows.n_rows, width = task.views.widths()[task.view_of[rows.number]]
        cdef Py_ssize_t n_drawn = options.n_drawn(width), n_sampled = max(1, round(options.subsample * n_rows))
        cdef Py_ssize_t min_count = min(options.min_samples_leaf, MANY)
        cdef list kept = [rows, start]
        cdef Py_ssize_t n = members.shape[0], n_outputs = base.shape[0], i, k
        cdef Leafwise* tree = &self.tree
        self.kept = kept
        self.loss = <Loss> <int> LOSSES[rows.loss]
        self.seed = task.seeds[rows.number]
        self.n_rows, self.n_held, self.n_outputs = n_rows, n - n_rows, n_outputs
        self.width, self.n_sampled, self.max_bins = width, n_sampled, options.max_bins
        self.rate, self.l2 = options.learning_rate, options.l2_regularization
        self.n_rounds = 0
        self.base, self.target, self.weights, self.members = &base[0], &target[0], &weights[0], &members[0]
        self.scores = <double*> take(kept, n_outputs * n_rows, sizeof(double))
        self.sums = <double*> take(kept, n_outputs * self.n_held, sizeof(double))
        self.gradients = <double*> take(kept, n_outputs * n_rows, sizeof(double))
        self.hessians = <double*> take(kept, n_outputs * n_rows, sizeof(double))
        self.left_out = <uint32_t*> take(kept, n_rows, sizeof(uint32_t))
        self.sampled = <uint32_t*> take(kept, n_rows, sizeof(uint32_t))
        tree.bins.codes = <uint8_t*> take(kept, width * n, 1)
        tree.cuts = <float*> take(kept, width * CUTS, sizeof(float))
        tree.bins.n_bins = <int32_t*> take(kept, width, sizeof(int32_t))
        tree.bins.begin = <int32_t*> take(kept, n_drawn + 1, sizeof(int32_t))
        self.not_drawn = <int32_t*> take(kept, width, sizeof(int32_t))
        tree.columns = <int32_t*> take(kept, n_drawn, sizeof(int32_t))
        for k in range(n_outputs):
            for i in range(n_rows):
                self.scores[k * n_rows + i] = base[k]
            for i in range(self.n_held):
                self.sums[k * self.n_held + i] = 0.0

        cdef Py_ssize_t most_leaves = max(1, min(n_sampled // min_count, options.max_leaf_nodes or MANY))
        self.most_nodes = 2 * most_leaves - 1
        share_bits(&tree.packing, n_sampled)
        tree.bins.stride = n
        tree.bounds = Bounds(min_count, 1, 0.0)
        tree.max_leaves = most_leaves
        tree.max_depth = min(options.max_depth or MANY, MANY)
        tree.weights = self.weights if task.weighted else NULL
        tree.n_columns = n_drawn
        take_leafwise(kept, tree, n_rows, HISTOGRAM_WORDS)
        self.outputs = <double*> take(kept, self.most_nodes, sizeof(double))
        self.row_scores = <double*> take(kept, n_outputs, sizeof(double))
        self.arrays = [np.empty(0, NODE), np.empty(0), np.empty(0), np.empty(0, np.int32), np.empty((0, 1))]
        self.step_array, self.size_array = np.empty(0, STEP), np.empty((0, 4), np.int64)
        self.n_trees = self.tree_room = 0
        self.written.n_nodes = self.written.n_values = self.written.room = 0

        self.put_in_bins(task.data, task.views.tables(), task.view_of[rows.number], stop)

    cdef int put_in_bins(self, const float[:, ::1] data, views, Py_ssize_t number, const uint8_t[::1] stop) except -1:
        """Cut the columns of a view of the data, (n_columns, n_rows), into bins made from the rows of the rows."""
        cdef list kept = []
        cdef View view
        cdef Parts parts
        cdef Sorter sorter
        cdef Py_ssize_t n = self.n_rows + self.n_held, size = min(self.n_rows, <Py_ssize_t> SAMPLE), j, n_cuts
        cdef uint32_t* sampled = <uint32_t*> take(kept, size, sizeof(uint32_t))
        cdef uint64_t state = self.seed
        cdef const float* column
        cdef Leafwise* tree = &self.tree
        cdef Watch* watch = &tree.watch
        cdef float* cuts
        start_watch(watch, stop)
        take_sorter(kept, &sorter, size)
        take_parts(kept, views, &parts)
        choose_view(&parts, number)
        view.n_rows = data.shape[1]
        view.data = &data[0, 0]
        view.missing = NULL     # the bins check each value
        take_view(kept, &view, self.width, count_mapped(&parts))
        with nogil:
            map_view(&parts, &view, watch)
            size = sample_rows(self.members, self.n_rows, &state, sampled)
            for j in range(self.width):
                pass_by(watch, 4 * (size + n))
                column = view.columns[j]
                cuts = tree.cuts + j * CUTS
                n_cuts = make_cuts(column, sampled, size, self.max_bins, &sorter, cuts)
                tree.bins.n_bins[j] = <int32_t> n_cuts + 1
                write_codes(column, self.members, n, cuts, n_cuts, tree.bins.codes + j * n)
        return 0

    def grow(self, Py_ssize_t n_rounds, const uint8_t[::1] stop=None):
        """Grow the trees of more rounds; return the weighted sum of held-out losses after each round."""
        cdef Py_ssize_t r, k
        cdef double[::1] losses = np.empty(n_rounds)
        start_watch(&self.tree.watch, stop)
        with nogil:
            for r in range(n_rounds):
                self.find_gradients()
                draw_subset(
                    state_of(self.seed, 2 * self.n_rounds), self.n_rows, self.n_sampled, self.sampled, self.left_out
                )
                for k in range(self.n_outputs):
                    self.grow_tree(k)
                self.n_rounds += 1
                losses[r] = self.held_loss()
        return np.asarray(losses)

    def held_scores(self):
        """Return the current scores of the held-out rows without the base, (output, row)."""
        cdef double[:, ::1] sums = np.empty((self.n_outputs, self.n_held))
        if self.n_held > 0:
            memcpy(&sums[0, 0], self.sums, self.n_outputs * self.n_held * sizeof(double))
        return np.asarray(sums)

    def add_rounds(self, double[:, ::1] sums, Py_ssize_t first, Py_ssize_t last, const uint8_t[::1] stop=None):
        """Add the outputs of the trees of rounds `first` to `last` - 1 to held-out scores."""
        cdef Py_ssize_t t
        start_watch(&self.tree.watch, stop)
        if self.n_held == 0:
            return
        with nogil:
            for t in range(first * self.n_outputs, last * self.n_outputs):
                self.add_held(t, &sums[t % self.n_outputs, 0])

    def trees(self, Py_ssize_t n_rounds):
        """Return nodes, impurity, weight, counts, values and sizes of the trees of the first `n_rounds` rounds."""
        cdef Py_ssize_t n_trees = n_rounds * self.n_outputs
        sizes = self.size_array[:n_trees]
        n_nodes, n_values = int(sizes[:, 0].sum()), int(sizes[:, 1].sum())
        of_nodes = [array[:n_nodes].copy() for array in self.arrays[:4]]
        return *of_nodes, self.arrays[4][:n_values].copy(), sizes[:, :3].copy()

    cdef int find_gradients(self) except -1 nogil:
        cdef Py_ssize_t n = self.n_rows
        pass_by(&self.tree.watch, 4 * n * self.n_outputs)
        if self.loss == SQUARES:
            of_squares(self.scores, self.target, self.weights, n, self.gradients, self.hessians)
        elif self.loss == LOGISTIC:
            of_logistic(self.scores, self.target, self.weights, n, self.gradients, self.hessians)
        else:
            of_softmax(self.scores, self.target, self.weights, n, self.n_outputs, self.gradients, self.hessians)
        return 0

    cdef void draw_columns(self) noexcept nogil:
        """Draw the columns of the next tree, and set the layout of its histograms."""
        cdef Leafwise* tree = &self.tree
        cdef Py_ssize_t k, n = tree.n_columns
        cdef int32_t cells = 0
        draw_subset(state_of(self.seed, 2 * self.n_trees + 1), self.width, n, tree.columns, self.not_drawn)
        for k in range(n):
            tree.bins.begin[k] = cells
            cells += tree.bins.n_bins[tree.columns[k]] + 1
        tree.bins.begin[n] = cells
        tree.n_cells = cells

    cdef int grow_tree(self, Py_ssize_t k) except -1 nogil:
        """Grow a tree for output k, and add its outputs to the scores."""
        cdef Leafwise* tree = &self.tree
        cdef Py_ssize_t n = self.n_sampled, i, n_nodes
        cdef double bound
        cdef const double* gradients = self.gradients + k * self.n_rows
        cdef const double* hessians = self.hessians + k * self.n_rows
        if self.written.n_nodes + self.most_nodes > self.written.room or self.n_trees == self.tree_room:
            with gil:
                self.make_room()
        self.draw_columns()
        for i in range(n):
            tree.rows[i] = self.sampled[i]
        pass_by(&tree.watch, 4 * n)
        if not pack(&tree.packing, gradients, hessians, self.sampled, n, tree.words):
            self.refuse()
        tree.bounds.l2 = self.l2 * tree.packing.hessian_scale
        # If all hessians are nearly 0, the quanta are so small that the bound exceeds the largest possible sum.
        bound = min(MIN_HESSIAN * tree.packing.hessian_scale, <double> tree.packing.hessian_mask + 1.0)
        tree.bounds.min_hessian = max(1, <int64_t> bound)
        n_nodes = grow_leafwise(
            tree, n, self.written.nodes + self.written.n_nodes, self.steps + self.written.n_nodes,
            self.written.weight + self.written.n_nodes,
        )
        self.finish_tree(n_nodes, gradients, hessians, self.scores + k * self.n_rows)
        if self.n_held > 0:
            self.add_held(self.n_trees - 1, self.sums + k * self.n_held)
        return 0

    cdef int finish_tree(
        self, Py_ssize_t n_nodes, const double* gradients, const double* hessians, double* scores
    ) except -1 nogil:
        """Compute the values of the leaves, and add the values to the scores of the rows."""
        cdef Leafwise* tree = &self.tree
        cdef Written* written = &self.written
        cdef Node* nodes = written.nodes + written.n_nodes
        cdef const Step* steps = self.steps + written.n_nodes
        cdef double* impurity = written.impurity + written.n_nodes
        cdef double unit = 1.0, gradient, hessian, value
        cdef const Leaf* leaf
        cdef Py_ssize_t node, i, n_leaves = 0, deepest = 0, n_out = self.n_rows - self.n_sampled
        cdef uint32_t row
        cdef int64_t* sizes = self.sizes + 4 * self.n_trees
        if tree.packing.gradient_scale > 0.0 and tree.packing.hessian_scale > 0.0:
            unit = tree.packing.hessian_scale / tree.packing.gradient_scale / tree.packing.gradient_scale
        for node in range(n_nodes - 1, -1, -1):
            leaf = &tree.leaves[node]
            written.count[written.n_nodes + node] = leaf.last - leaf.first
            deepest = max(deepest, leaf.depth)
            if steps[node].column >= 0:
                impurity[node] = tree.gains[node] * unit + impurity[steps[node].child] + impurity[steps[node].child + 1]
                continue
            impurity[node] = 0.0
            gradient = hessian = 0.0
            for i in range(leaf.first, leaf.last):
                row = tree.rows[i]
                gradient += gradients[row]
                hessian += hessians[row]
            # In single precision, which halves the size of leaf values in files of models.
            value = <float> (-self.rate * gradient / (hessian + self.l2)) if hessian + self.l2 > 0.0 else 0.0
            if not fabs(value) < INFINITY:
                self.refuse()
            nodes[node].child = <int32_t> (written.n_values + n_leaves)
            written.values[written.n_values + n_leaves] = value
            self.outputs[node] = value
            n_leaves += 1
            for i in range(leaf.first, leaf.last):
                scores[tree.rows[i]] += value
        for node in range(n_nodes):
            impurity[node] /= written.weight[written.n_nodes + node]
        pass_by(&tree.watch, 8 * n_out)
        for i in range(n_out):
            row = self.left_out[i]
            scores[row] += self.outputs[leaf_by_codes(steps, tree.bins.codes + row, tree.bins.stride)]
        sizes[0], sizes[1], sizes[2], sizes[3] = n_nodes, n_leaves, deepest, written.n_nodes
        written.n_nodes += n_nodes
        written.n_values += n_leaves
        self.n_trees += 1
        return 0

    cdef int refuse(self) except -1 nogil:
        with gil:
            raise ValueError(
                f"the scores overflow in round {self.n_rounds + 1}; lower learning_rate or raise "
                "l2_regularization"
            )

    cdef int add_held(self, Py_ssize_t t, double* sums) except -1 nogil:
        """Add the outputs of tree t for the held-out rows to their scores."""
        cdef Py_ssize_t begin = self.sizes[4 * t + 3], stride = self.tree.bins.stride, i
        cdef const Step* steps = self.steps + begin
        cdef const Node* nodes = self.written.nodes + begin
        cdef const uint8_t* codes = self.tree.bins.codes + self.n_rows
        pass_by(&self.tree.watch, 8 * self.n_held)
        for i in range(self.n_held):
            sums[i] += self.written.values[nodes[leaf_by_codes(steps, codes + i, stride)].child]
        return 0

    cdef double held_loss(self) noexcept nogil:
        """Return the weighted sum of the losses of the held-out rows."""
        cdef double total = 0.0
        cdef double* scores = self.row_scores
        cdef Py_ssize_t i, k
        for i in range(self.n_held):
            for k in range(self.n_outputs):
                scores[k] = self.base[k] + self.sums[k * self.n_held + i]
            total += self.weights[self.n_rows + i] * loss_of(
                self.loss, scores, 1, self.n_outputs, self.target[self.n_rows + i]
            )
        return total

    cdef int make_room(self) except -1:
        """Make room for one more tree, and for as many trees again as are grown."""
        cdef Py_ssize_t size = self.most_nodes + 2 * self.written.n_nodes
        self.steps = <Step*> resize(self.step_array, size)
        make_room(self.arrays, &self.written, size, size)
        self.tree_room = 2 * self.n_trees + 1
        self.sizes = <int64_t*> resize(self.size_array, (self.tree_room, 4))
        return 0


def _exp(double x):
    """Return e to the power of a number that is at most 0, for tests."""
    return exp_negative(x)
