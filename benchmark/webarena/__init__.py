"""WebArena: its tasks and sites, the logins, what runs its episodes, and who judges them."""
