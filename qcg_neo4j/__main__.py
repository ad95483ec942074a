"""``python -m qcg_neo4j`` is ``qcg``."""

from qcg_neo4j.cli import main

if __name__ == "__main__":
    main()
