"""Reports on communities: bottom up, within a window of tokens, every statement with its records (GraphRAG)."""

from qcg_neo4j.indexing.report.stage import ReportReport, ReportSettings, estimate_reports, write_reports

__all__ = ["ReportReport", "ReportSettings", "estimate_reports", "write_reports"]
