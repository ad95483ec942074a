"""The parts of torch-geometric that are used; its import warns of what newer versions of torch deprecate."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", FutureWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    from torch_geometric import seed_everything
    from torch_geometric.nn import VGAE, GraphConv
    from torch_geometric.utils import k_hop_subgraph, scatter

__all__ = ["VGAE", "GraphConv", "k_hop_subgraph", "scatter", "seed_everything"]
