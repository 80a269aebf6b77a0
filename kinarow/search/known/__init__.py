"""Values known without a search: opening books, strategies, and the atlas of solved empty boards."""
