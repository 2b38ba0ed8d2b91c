"""The tokens and cost of a chat completion: the most is reserved before it, and the used are settled after it.

INVARIANT  The reservation is never below the highest usage of a request with a limit; where the platform pays within a
           budget, each has one. The settled usage is never below the received answer.
"""

from memory.proxy.wires.wire import RequestBody
from providers.chat.chat_answer import ChatAnswer
from providers.completion import Usage
from providers.tokens import MOST_BYTES_PER_TOKEN
from schemas.settings import Settings

# The most tokens that a server's own template adds to a prompt.
TEMPLATE_TOKENS = 256
# The context is measured in estimated tokens, each of which stands for 3 bytes at most.
CONTEXT_BYTES = 3


def most_usage(chat: RequestBody, settings: Settings) -> Usage:
    """Return the most tokens that a request may use.

    No tokenizer makes more tokens of a text than it has bytes, so all of the body counts, a token for each byte: tools,
    their calls, schemas and names. A picture, sound, file or any part that is no text counts as the operator says.
    """
    media = chat.media * settings.proxy_media_tokens
    context = settings.proxy_context_tokens * CONTEXT_BYTES
    limit = chat.answer_limit or settings.proxy_answer_tokens
    return Usage(
        input_tokens=chat.prompt_bytes + media + context + TEMPLATE_TOKENS,
        # Parts of a prediction that the answer has not are charged as output.
        output_tokens=(limit + chat.prediction_bytes) * chat.choices,
    )


def used(reserved: Usage, answer: ChatAnswer) -> Usage:
    """Return a call's usage, as the upstream reports it.

    Missing reports, and those below the least for the received bytes, count at the most: the prompt as reserved, and
    the answer by its bytes. An upstream may report its tokens in every piece; of a stream that broke off, the bytes
    count where they are more.

    Args:
        reserved: The most that the request may use.
        answer: The answer.
    """
    usage = answer.usage or Usage()
    least = -(-(answer.came - answer.payload) // MOST_BYTES_PER_TOKEN)
    output = usage.output_tokens
    if answer.usage is None or output < least or not answer.complete:
        output = max(output, answer.came)
    if not answer.readable and answer.usage is None:
        output = max(output, reserved.output_tokens)
    if not usage.prompt_tokens:
        return Usage(input_tokens=reserved.input_tokens, output_tokens=output)
    return Usage(usage.input_tokens, output, usage.cache_read_tokens, usage.cache_write_tokens)
