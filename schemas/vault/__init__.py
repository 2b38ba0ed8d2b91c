"""The vault's records, requests and responses, and lines of its file. Fields and defaults are the vault seed's."""
