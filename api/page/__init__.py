"""The memory page: a browser's login, and the files of the page, which use the API as any client does."""
