"""
Are random rotations uniform?
=============================

Does a random rotation prefer some directions? The first sphere shows the images of one vector under 10,000 random
rotations (thesis, figure 1.2). The second shows vectors with two uniform angles. The colour of a point is its mean
distance to all other points, including points behind the sphere. Both spheres have one colour scale.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import pairwise_distances_chunked

from rotastack.resampling import rotation_groups

N = 10_000
AZIMUTH, ELEVATION = 35, 28  # In degrees; +x, +y and +z are all in front.
a, b = np.radians([AZIMUTH, ELEVATION])
FRONT = np.array([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)])  # Direction towards the viewer.

# %%
# Two ways to draw a direction
# ----------------------------
# The first row of a uniform (Haar) rotation is the image of the first unit vector. Uniform longitudes and
# latitudes seem equally random. But circles of latitude are shorter near the poles and get the same number of points.

rotations = rotation_groups(3, 1, N, random_state=0, identity_first=False)[0]
rng = np.random.default_rng(0)
longitude, latitude = rng.uniform(-np.pi, np.pi, N), rng.uniform(-np.pi / 2, np.pi / 2, N)
points = {
    "uniform rotations": rotations[:, 0],
    "naive: two uniform angles": np.stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], axis=1
    ),
}

# %%
# Distances to other points
# -------------------------
# The colour of a point is its mean distance to all other points.


def mean_distances(rows):
    """Return each row's mean distance to all other rows, with a few megabytes of distances in memory at a time."""
    sums = pairwise_distances_chunked(rows, reduce_func=lambda d, _: d.sum(axis=1), working_memory=16)
    return np.concatenate(list(sums)) / (len(rows) - 1)


distances = {title: mean_distances(rows) for title, rows in points.items()}
low, high = min(d.min() for d in distances.values()), max(d.max() for d in distances.values())
pale = high + 0.15 * (high - low)  # The farthest points stay visible on white.

figure, axes = plt.subplots(1, 2, figsize=(6, 4), subplot_kw={"projection": "3d"}, layout="constrained")
for axis, (title, rows) in zip(axes, points.items(), strict=True):
    front = rows @ FRONT > 0
    dots = axis.scatter(
        *rows[front].T, c=distances[title][front], cmap="YlOrRd_r", vmin=low, vmax=pale, s=4, linewidths=0,
        depthshade=False, rasterized=True,
    )  # fmt: skip
    axis.view_init(ELEVATION, AZIMUTH)
    axis.set_proj_type("ortho")
    axis.set_box_aspect((1, 1, 1), zoom=1.3)
    axis.set_axis_off()
    axis.set_title(title, y=0.98, fontsize=11)
figure.colorbar(dots, ax=axes, location="bottom", shrink=0.5, label="mean distance to the other points (dark: close)")
plt.show()

# %%
# Result: with uniform rotations, points in all places have about the same mean distance to the other points. With two
# uniform angles, points crowd at the poles.
