"""MiniWoB: its tasks and sets, its pages, and what runs its episodes."""
