"""Classifies nodes as Business or Private without a model, by the example sentences that are most similar to them.

Many short examples cover a root better than one description of it. Their votes count for what a scene is about, apart
from who took part and when (`subject_vectors.py`): with MiniLM they classify 84 % of the sample month's scenes as a
person does, of which 71 % are Private, and 95 % of LoCoMo's development notes (71 % Private), counted with the topics
that notes get (`make quality`). The examples are not made from either. What a Being's memories are about so far counts
too: where nearly all are Private, calling all Private would else be right more often.
"""

import math
from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np

from schemas.nodes.nodes import Root
from store.nodes.embeddings import Vector

NEAREST_EXAMPLES = 7
# The more of a Being's memories are of one root, the clearer must the votes be for the other (Bayes' rule): a share of
# the votes counts for so much in the logarithm of the odds. More of what people tell is Private, so that a Being begins
# as if it had so many memories, of which so large a share is Business.
ODDS_OF_VOTES = 8.0
MEMORIES_BEFORE = 10
BUSINESS_BEFORE = 0.35
EXAMPLES: Mapping[Root, Sequence[str]] = {
    "Business": (
        "A client placed a large order and agreed on the price.",
        "The customer complained about the product and asked for a refund.",
        "We sent the invoice and the customer paid it.",
        "The supplier raised the price of the material.",
        "The delivery of parts was late and production stopped.",
        "The team worked late to meet the deadline of the project.",
        "The meeting with the manager was moved to Monday.",
        "She got promoted and received a higher salary.",
        "He applied for a new job and had an interview.",
        "A colleague left the company and they hired somebody new.",
        "The landlord raised the rent of the shop.",
        "They signed the contract and the lease for the office.",
        "A repair in the workshop cost more than the quote.",
        "The craftsman measured the damage and named a price.",
        "The accounts show that the business made a loss.",
        "They finished half of the pieces that were ordered.",
        "We bought raw material and tools for the workshop.",
        "The apprentice learned to make her first piece.",
        "The bank refused the loan for the company.",
        "They launched the website and the first customers signed up.",
        "The server crashed and the developers fixed the bug.",
        "He prepared a presentation for the board.",
        "She taught her class and graded the exams.",
        "The budget was cut and the plan for the quarter changed.",
        "Tax returns, insurance and paperwork for the firm.",
        "The stock was damaged by water and had to be replaced.",
        "They sold the last goods at the market stall.",
        "The order will be ready in time for the event.",
        "A business trip by train to visit a supplier.",
        "He negotiated with the lawyer about a clause in the contract.",
        "She was laid off when the factory closed.",
        "He gave notice at the agency to become self-employed.",
        "They founded a start-up and are raising money from investors.",
        "The bakery that he runs is doing well this year.",
        "She wrote a plan for the café and counted what it will cost.",
        "The newsletter and the advertisements brought new buyers.",
        "He is studying accounting to qualify for a better position.",
        "She asked a lawyer whom she met at a trade fair for advice on her firm.",
        "They discussed how to win more clients for the agency.",
        "The farm sells its cheese to restaurants in the city.",
        "He wants to become a nurse and is looking at training courses.",
        "The union and the employer agreed on shorter shifts.",
        "She repairs bicycles for a living and has rented a garage for it.",
        "The designs for the spring collection went to the printer.",
        "Opening hours, prices and staff of the salon.",
        "The boss praised the report and asked for another.",
        "They sewed until midnight to finish the goods that were ordered.",
        "She counted the finished pieces and noted what is still to be made.",
        "He hired a roofer to mend the roof of the workshop.",
        "She encouraged him to go on with his restaurant.",
    ),
    "Private": (
        "She had dinner with her family and they laughed a lot.",
        "He quarrelled with his best friend and felt sorry.",
        "They made up and hugged each other.",
        "Her father told her that he is in love.",
        "They got married and danced all night.",
        "It was her birthday and there was a party with cake.",
        "She could not sleep and lay awake at night.",
        "He slept well and woke up rested.",
        "She went swimming in the cold sea.",
        "They went for a walk in the rain.",
        "He baked bread from his grandmother's recipe.",
        "She cooked soup and drank tea in the kitchen.",
        "Her wrist hurt and the doctor prescribed rest.",
        "He was ill and stayed in bed with a fever.",
        "The cat stole a piece of fish from the table.",
        "The dog ran away and was found in the neighbour's garden.",
        "Birds came to the window to be fed.",
        "They played a game and solved a crossword puzzle.",
        "She practised the piano and sang in the choir.",
        "He read a novel and watched a film.",
        "They visited the grave of her mother and cried.",
        "She wrote a letter to her friend.",
        "He missed his childhood and felt lonely.",
        "They planned a holiday at the seaside.",
        "The children built a snowman.",
        "She bought herself a new hat and a dress.",
        "They gossiped about the neighbours.",
        "A joke made everybody laugh at the table.",
        "He meditated and thought about his life.",
        "She planted flowers in the garden.",
        "He believes that kindness matters more than success.",
        "She is grateful to her sister, who stood by her in hard times.",
        "They cheered each other up and promised to keep going.",
        "He admires how brave his friend is.",
        "She paints watercolours in the evening to calm down.",
        "He goes to the gym and feels stronger.",
        "They marched for peace with people of their town.",
        "She found a parish where she feels welcome.",
        "He spends Saturdays helping out at a soup kitchen.",
        "Her grandfather left her an old watch that she loves.",
        "He told her who he really is, and she accepted him.",
        "The baby said its first word.",
        "She wants to have children one day.",
        "They slept in a tent by the river and watched the stars.",
        "He won a medal at the swimming contest as a boy.",
        "A weekend in Vienna with an old friend.",
        "The song reminds her of her first love.",
        "He is proud of his daughter and told her so.",
        "She is preparing an exhibition of her own pictures in the village hall.",
        "The theatre group of the children rehearsed for its play.",
        "He bought new boots for hiking.",
        "They applied for a bigger flat for the family.",
        "The old tomcat lay in the sun in front of the door.",
        "She hopes for a future in which everybody is treated well.",
    ),
}
TEXTS = [text for texts in EXAMPLES.values() for text in texts]
_ROOTS: list[Root] = [root for root, texts in EXAMPLES.items() for _ in texts]


def nearest_roots(nodes: Mapping[UUID, Vector], examples: Vector, known: Mapping[Root, int]) -> dict[UUID, Root]:
    """Choose each node's root by a vote of its NEAREST_EXAMPLES, weighted by cosine similarity.

    Args:
        nodes: Unit vectors of what the nodes are about, by node id.
        examples: The unit vectors of TEXTS, shape (len(TEXTS), dimensions), of the same model.
        known: How many of the Being's memories are below each root.
    """
    if not nodes:
        return {}
    similarities = np.stack(list(nodes.values())) @ examples.T
    nearest = np.argsort(-similarities, axis=1, kind="stable")[:, :NEAREST_EXAMPLES]
    weights = np.take_along_axis(similarities, nearest, axis=1)
    is_business = np.array([root == "Business" for root in _ROOTS])[nearest]
    votes = np.where(is_business, weights, -weights).sum(axis=1)
    margins = _margin(known) * np.abs(weights).sum(axis=1)
    return {
        node_id: "Business" if vote > margin else "Private"
        for node_id, vote, margin in zip(nodes, votes, margins, strict=True)
    }


def _margin(known: Mapping[Root, int]) -> float:
    """The share of the votes by which Business must lead; below 0 where most memories are Business."""
    business = BUSINESS_BEFORE * MEMORIES_BEFORE + known.get("Business", 0)
    private = (1 - BUSINESS_BEFORE) * MEMORIES_BEFORE + known.get("Private", 0)
    return math.log(private / business) / ODDS_OF_VOTES
