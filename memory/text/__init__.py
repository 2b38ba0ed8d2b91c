"""Text utilities: prompt escaping, transcripts, quote matching, shingles, item validation, cursors."""
