"""One goal on any page, watched as it happens: the parts of run_page.py."""
