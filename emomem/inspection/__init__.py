"""Looking into a memory: what is shown, the page that shows it, and a server for that page."""
