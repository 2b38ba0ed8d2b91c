"""Constants that no setting changes: thresholds, weights, sizes and bounds.

Sources: the memory-and-patrol seed for the patrol's thresholds and formulas, the state-and-memory seed for those of
facts, DESIGN for the sizes of inputs.
"""

from datetime import timedelta

ASSIGN_SIMILARITY = 0.45
MERGE_SIMILARITY = 0.45
TOPIC_SIMILARITY = 0.45
RECALL_SIMILARITY = 0.35
RECALL_NODES = 3

DEFAULT_IMPORTANCE = 0.5

TOPIC_NODES = 3
# A model is asked whether to split a cluster with more.
CROWDED_NODES = 10
# Without a model, a topic with more is split in any case: with SPLIT_AGAIN_AFTER more it has less than a quarter of
# a hundred memories.
MOST_TOPIC_NODES = 18
SPLIT_AGAIN_AFTER = 5
BIRTH_NODES = 200

# Vectors are stored in line, and a row must fit a page of 8 kB: 3,930 dimensions fit beside the rest of a node
# (measured).
VECTOR_DIMENSIONS = 3800

PAGE_NODES = 50
MAP_NODES = 5000
SEARCH_NODES = 20
SEARCH_RESULTS = 10
MOST_NEIGHBOURS = 3
SEARCH_TERMS = 32
LONGEST_PAGE = 200
SPENDING_LINES = 2000
MOST_RECALLED = 50
QUERY_CHARACTERS = 8000
FADING_PATROLS = 30

# For each user. Keys that come with requests are deleted after PATROL_REQUEST_KEY_LIFE.
STORED_KEYS = 20
REQUEST_KEYS = 100
USER_SEEDS = 10_000

PERSONA_ENTRIES = 100
PERSONA_CHARACTERS = 4000
SOUL_CHARACTERS = 20_000
STATE_CHARACTERS = 200
USER_MODEL_CHARACTERS = 8000
PROFILE_CHARACTERS = 20_000
PROFILES = 50

REGION_ENTRIES = 40
REGION_CHARACTERS = 8000
REGIONS = 50
TURN_MESSAGES = 20
# Of a session's first message, where sessions are listed.
FIRST_WORDS = 160
CONTEXT_TOKENS = 16_000
LEAST_CONTEXT_TOKENS = 100
MOST_CONTEXT_TOKENS = 1_000_000
RECENT_NODES = 5
CONTEXT_FACTS = 20
# A memory of more living nodes is not shown whole.
WHOLE_NODES = 60
PASSAGE_CHARACTERS = 800
DIARY_DAYS = 7
SNAPSHOT_NOTES = 50
SNAPSHOT_TODOS = 30
# A todo that was last mentioned, or due, longer ago is left out: an import brings todos that were open years ago.
SNAPSHOT_TODO_AGE = timedelta(days=90)
SNAPSHOT_NOTE_TOKENS = 3000

BATCH_ITEMS = 1000
# Bounds on a body's number of values, beside its bytes: small values take about a hundred times their bytes in memory,
# and each may cause an error message. Commas and brackets are counted before the body is parsed.
QUESTION_BYTES = 64 * 1024
QUESTION_VALUES = 2000
DOCUMENT_BYTES = 4 * 1024 * 1024
DOCUMENT_VALUES = 20_000
BATCH_VALUES = 500_000
REJECTED_LINES = 1000
BULK_ITEMS = 100
ITEM_BYTES = 64 * 1024
NESTING = 100
METADATA_BYTES = 4 * 1024
# Of a namespace and a key: an index has to hold them, whose rows have at most 2,700 bytes.
KEYED_BYTES = 2000
NAMESPACE_LABELS = 50
MOST_KEYED_FOUND = 1000
KEYED_OFFSET = 1_000_000_000
PRODUCER_ID_CHARACTERS = 200
# Conversations of a Being that are off the record until further notice: they stand in the Being's row.
OFF_THE_RECORD_CONVERSATIONS = 100
SPEAKER_CHARACTERS = 200
ROOM_MEMBERS = 100
# A message's time that is up to so far ahead of the clock becomes the clock's: clocks differ, and change for summer.
AHEAD_MINUTES = 60
EARLIEST_YEAR = 1900
LATEST_YEAR = 9998
WHEN_ITEMS_EMBEDDED = 3

# The most nodes that one patrol makes dead at the gentle pace: this many, or this part of the living ones if more.
LET_GO_NODES = 5
LET_GO_PART = 0.05

NEAREST_NODES = 10
PART_NODES = 40
PART_TOKENS = 10_000
# Undecided nodes that one consolidation takes up, beside as many as one run has notes.
LEFT_OVER_NODES = 100
# While this many nodes are undecided, each patrol decides some, however many notes are still to come.
MOST_UNDECIDED = 10_000
SPLIT_CLUSTERS = 20
CLASSIFIED_NODES = 50
TOPIC_NAME_CHARACTERS = 60
DIARY_LINE_CHARACTERS = 500
MOST_DIARY_LINES = 5
MOST_NEXT_TIME = 7

# From the vault seed: the longest text, the gates' similarities, and the size of the injection block.
VAULT_CHARACTERS = 1200
VAULT_TAGS = 32
# For each scope, with tombstones and superseded versions: about 50 MB at most.
VAULT_VERSIONS = 20_000
VAULT_OVERLAP = 0.60
VAULT_RATIO = 0.70
VAULT_ITEMS = 20
CANDIDATE_SIMILARITY = 0.5
STALE_REGISTER_DAYS = 90
SNAPSHOT_CHARACTERS = 16_000

ROLLING_EVERY = 4
ROLLING_CHARACTERS = 600
# Of more pending messages than these, those of ended sessions are left to the sessions' own summaries.
ROLLING_BACKLOG = 100
SPINE_EVERY = 20
# A session of at most this many messages and characters is summarised together with others in one model call.
SHORT_SESSION_MESSAGES = 2
SHORT_SESSION_CHARACTERS = 500
SHORT_SESSIONS_AT_ONCE = 20
# Statements about the user as a person: kept of a session, and shown in all.
USER_MODEL_ITEMS = 6
USER_MODEL_STATEMENTS = 24
SUMMARY_ITEMS = 12
SUMMARY_LINE_CHARACTERS = 300
SPINE_ITEMS = 40
# The most scenes that are drawn from one session, and the limits of each.
SESSION_SCENES = 6
SCENE_CHARACTERS = 600
SCENE_ACTORS = 12
SCENE_THEMES = 6
# The most messages that a node's story cites.
STORY_MESSAGES = 100
LEAST_IMPORTANCE = 0
MOST_IMPORTANCE = 3
STATEMENT_CHARACTERS = 500
NAME_CHARACTERS = 200
# The judge's confidence, 0 to 1, below which a fact or todo is dropped (state-and-memory seed, "confidence").
LEAST_CONFIDENCE = 0.5
FACT_CANDIDATES = 50
FACTS_RETRIEVED = 10
FOUNDATION_FACTS = 20
# The most facts that contexts show independently of the conversation.
ESSENTIAL_FACTS = 30
CARD_FACTS = 3
RECENCY_HALF_LIFE = timedelta(days=14)
FOLD_SIMILARITY = 0.92

# For the sources of an answer to a question, in estimated tokens.
ASK_TOKENS = 4000
LEAST_ASK_TOKENS = 200
MOST_ASK_TOKENS = 100_000
ASK_QUERIES = 4
ASK_NAMES = 6
ASK_COUNTS = 3
ASK_SENTENCES = 12
ASK_CITES = 6
ASK_SENTENCE_CHARACTERS = 600
