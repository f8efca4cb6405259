"""Mix the stored members of several pools into one pool."""

from collections.abc import Sequence

import xarray as xr


def mixed(names: Sequence[str], pools: Sequence[xr.Dataset]) -> xr.Dataset:
    """Return one pool of the members of `pools`, which were trained on the same cells.

    Weights of votes are scaled, so that a member has the weight 1 on average, whatever its pool. Out-of-bag rows are kept if
    all pools have them. If a pool failed, so has the mixed one.
    """
    failed = [f"pool {n}: {p.attrs['message']}" for n, p in zip(names, pools, strict=True) if p.attrs["status"] != "ok"]
    parts = []
    for name, pool in zip(names, pools, strict=True):
        known = pool["member"].values if "member" in pool.coords else range(pool.sizes["member"])
        part = pool.assign_coords(member=[f"{name} {m}" for m in known])
        if "voter_weights" in part:
            part["voter_weights"] = part["voter_weights"] / part["voter_weights"].mean("voter")
        parts.append(part)
    shared = [v for v in parts[0].data_vars if all(v in part for part in parts)]
    of_members = [v for v in shared if "member" in parts[0][v].dims]
    of_voters = [v for v in shared if "voter" in parts[0][v].dims]
    joined = xr.concat([part[of_members] for part in parts], dim="member", join="inner", combine_attrs="drop")
    if of_voters:
        joined = joined.assign(xr.concat([part[of_voters] for part in parts], dim="voter").data_vars)
    joined = joined.assign({v: parts[0][v] for v in shared if v not in of_members and v not in of_voters})
    ended = {"status": "failed" if failed else "ok", "message": "; ".join(failed)}
    return joined.assign_attrs(**ended, metrics={"members": joined.sizes["member"]})
