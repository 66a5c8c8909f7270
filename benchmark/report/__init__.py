"""From records to what people read: tables, comparisons and pages. Runs nothing."""
