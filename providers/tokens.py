"""Estimates token counts without a tokenizer."""

# The longest tokens of common vocabularies are runs of blanks; text has far shorter ones on average.
MOST_BYTES_PER_TOKEN = 32


def estimated_tokens(text: str) -> int:
    """Estimate a text's tokens, erring on the high side.

    A byte-level BPE never makes more tokens than there are UTF-8 bytes, but that bound would send English in four
    times the requests. The providers' rule of thumb for English is 4 bytes a token, and other scripts take fewer; one
    token for 3 ASCII or 2 other bytes leaves room for both.
    """
    ascii_bytes = len(text.encode("ascii", "ignore"))
    other_bytes = len(text.encode("utf-8", "surrogatepass")) - ascii_bytes
    return ascii_bytes // 3 + other_bytes // 2 + 1
