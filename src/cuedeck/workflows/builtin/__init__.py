"""The seven workflows that come with the product, one module each."""

from __future__ import annotations

from cuedeck.workflows.model import Workflow


def builtin_workflows() -> list[Workflow]:
    """All seven, in the contract's order."""
    from cuedeck.workflows.builtin import (
        change_logger,
        concept_tracker,
        daily_digest,
        deletion_monitor,
        markdown_analyzer,
        spec_review,
        task_complete,
    )

    return [
        change_logger.WORKFLOW,
        markdown_analyzer.WORKFLOW,
        concept_tracker.WORKFLOW,
        deletion_monitor.WORKFLOW,
        daily_digest.WORKFLOW,
        task_complete.WORKFLOW,
        spec_review.WORKFLOW,
    ]
