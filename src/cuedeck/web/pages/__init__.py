"""One module per section: functions from what is asked to a page, or from a form to the next address."""
