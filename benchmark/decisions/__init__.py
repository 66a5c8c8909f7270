"""A run's stored decisions without a browser: made up again, asked of other models, exported."""
