"""Write a grown tree to the arrays that hold all trees of a call."""

from libc.stdint cimport int32_t, int64_t

from rotastack.trees.kernel.memory cimport resize
from rotastack.trees.kernel.structures cimport SQUARED_ERROR, Growing, Node, Task

# All trees of a call, one after the other.
cdef struct Written:
    Node* nodes
    double* impurity
    double* weight
    int32_t* count
    double* values              # (n_values, n_outputs): outputs of leaves
    Py_ssize_t n_nodes          # number of nodes written so far
    Py_ssize_t n_values
    Py_ssize_t room             # number of nodes that fit
    Py_ssize_t values_room


cdef inline int make_room(list arrays, Written* written, Py_ssize_t n_nodes, Py_ssize_t n_values) except -1:
    """Resize the arrays, which are in the order of the structure, to the given numbers of nodes and of values."""
    written.room = written.values_room = 0
    written.nodes = <Node*> resize(arrays[0], n_nodes)
    written.impurity = <double*> resize(arrays[1], n_nodes)
    written.weight = <double*> resize(arrays[2], n_nodes)
    written.count = <int32_t*> resize(arrays[3], n_nodes)
    written.values = <double*> resize(arrays[4], (n_values, arrays[4].shape[1]))
    written.room, written.values_room = n_nodes, n_values
    return 0


cdef inline bint has_value(const Growing* tree, Py_ssize_t leaf, const Task* task) noexcept nogil:
    """Return whether a leaf needs an entry in the table of values; a leaf of one class needs none."""
    return task.criterion == SQUARED_ERROR or tree.impurity[leaf] > 0.0


cdef inline Py_ssize_t count_values(const Growing* tree, Py_ssize_t n_nodes, const Task* task) noexcept nogil:
    cdef Py_ssize_t node, n = 0
    for node in range(n_nodes):
        n += tree.nodes[node].column < 0 and has_value(tree, node, task)
    return n


cdef inline void write_tree(Growing* tree, const Task* task, Written* written, int64_t* sizes) noexcept nogil:
    """Append the nodes that the root reaches, and the values of their leaves; the arrays must have room.

    `sizes` receives the number of nodes, the number of leaves and the depth.
    """
    cdef Node* nodes = written.nodes + written.n_nodes
    cdef int32_t* open = tree.open
    cdef int32_t* number = tree.depth       # whose memory is free by now
    cdef Py_ssize_t n_nodes = 1, n_leaves = 0, n_open = 1, place
    cdef int32_t node, child
    open[0] = 0
    number[0] = 0
    # Depth first, so that the nodes on the path of a row lie close together.
    while n_open > 0:
        n_open -= 1
        node = open[n_open]
        nodes[number[node]] = tree.nodes[node]
        place = written.n_nodes + number[node]
        written.impurity[place] = tree.impurity[node]
        written.weight[place] = tree.weight[node]
        written.count[place] = tree.last[node] - tree.first[node]
        if tree.nodes[node].column < 0:
            n_leaves += 1
            nodes[number[node]].cut = 0
            nodes[number[node]].child = write_output(tree, node, task, written)
            continue
        child = tree.nodes[node].child
        nodes[number[node]].child = <int32_t> n_nodes
        number[child] = <int32_t> n_nodes
        number[child + 1] = <int32_t> n_nodes + 1
        n_nodes += 2
        open[n_open] = child + 1
        open[n_open + 1] = child
        n_open += 2
    written.n_nodes += n_nodes
    sizes[0], sizes[1], sizes[2] = n_nodes, n_leaves, depth_of(nodes, n_nodes, tree.depth)


cdef inline int32_t write_output(
    const Growing* tree, Py_ssize_t leaf, const Task* task, Written* written
) noexcept nogil:
    """Return the code of a leaf's output, and write the output to the table of values if it needs an entry."""
    cdef const double* pairs = task.pairs
    cdef int32_t entry = <int32_t> written.n_values
    cdef double* values = written.values + entry * task.n_outputs
    cdef double whole = 0.0
    cdef Py_ssize_t i, c, row
    if not has_value(tree, leaf, task):
        return -1 - task.y[tree.rows[tree.first[leaf]]]
    for c in range(task.n_outputs):
        values[c] = 0.0
    for i in range(tree.first[leaf], tree.last[leaf]):
        row = tree.rows[i]
        whole += pairs[2 * row]
        if task.criterion == SQUARED_ERROR:
            values[0] += pairs[2 * row + 1]
        else:
            values[task.y[row]] += pairs[2 * row]
    for c in range(task.n_outputs):
        values[c] /= whole
    written.n_values += 1
    return entry


cdef inline Py_ssize_t depth_of(const Node* nodes, Py_ssize_t n_nodes, int32_t* depth) noexcept nogil:
    """Return the depth of the deepest leaf of a written tree, in which children have larger numbers than parents."""
    cdef Py_ssize_t node, deepest = 0
    depth[0] = 0
    for node in range(n_nodes):
        deepest = max(deepest, depth[node])
        if nodes[node].column >= 0:
            depth[nodes[node].child] = depth[node] + 1
            depth[nodes[node].child + 1] = depth[node] + 1
    return deepest
