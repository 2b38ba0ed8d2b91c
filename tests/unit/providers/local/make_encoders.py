"""Make the small encoders that the tests use, and the vectors that the reference implementation computes with them.

Each encoder has random weights, so its vectors mean nothing; they only have to come out the same. The script runs
outside the project's environment, as torch is gigabytes:

    python -m venv /tmp/reference
    /tmp/reference/bin/pip install torch transformers sentence-transformers
    /tmp/reference/bin/python tests/unit/providers/local/make_encoders.py

It writes one directory for each encoder below `encoders/`, in the layout that `sentence-transformers` saves and loads,
and `encoders/reference.json`: for each encoder its texts, and what `SentenceTransformer.encode_query` and
`encode_document` return for them on the CPU, as base64 of little-endian float32. The committed files were made with
sentence-transformers 6.2.0, transformers 5.23.0 and torch 2.13.0.
"""
# ruff: noqa: S106 - the tokens are signs of a vocabulary

import base64
import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Normalize, Pooling, Transformer
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertModel,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaModel,
    XLMRobertaConfig,
    XLMRobertaModel,
)

OUT = Path(__file__).with_name("encoders")
TEXTS = [
    "tea",
    "Where did I put the blue umbrella?",
    "My sister's name is Inès; she lives in Zürich.",
    "  spaces   and\ttabs\nand lines ",
    "昨日、駅で友達に会った。",
    "Мне нравится чай.",
    "🍵 and unknown signs ☃",
    "The oven failed again in the morning, so we ate cold bread, and then we walked along the river until it rained.",
    "long " * 60,
    "",
]
SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 24,
    "max_position_embeddings": 40,
}


def word_pieces():
    """A tokenizer like BERT's, lower-casing."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(TEXTS[:-3], trainers.WordPieceTrainer(vocab_size=120, special_tokens=special))
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.decoder = decoders.WordPiece()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def unigrams():
    """A tokenizer like XLM-RoBERTa's: sentence pieces with scores."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(" {2,}", " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(vocab_size=110, special_tokens=special, unk_token="<unk>")
    tokenizer.train_from_iterator(TEXTS[:-3], trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    tokenizer.decoder = decoders.Metaspace()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        cls_token="<s>",
        eos_token="</s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
    )


def make(name, model_class, config_class, tokenizer, *, pooling, prompts, max_length, normalise=True, **config):
    """Save an encoder with random weights; its directory."""
    directory = OUT / name
    bare = directory.with_suffix(".bare")
    settings = config_class(vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, **SIZES | config)
    model = model_class(settings, add_pooling_layer=False)
    for parameter in model.parameters():
        # Wider than the usual start, so that attention is not nearly uniform.
        torch.nn.init.normal_(parameter, std=0.4)
    model.save_pretrained(bare)
    tokenizer.save_pretrained(bare)
    transformer = Transformer(str(bare), max_seq_length=max_length)
    modules = [transformer, Pooling(transformer.get_embedding_dimension(), pooling_mode=pooling)]
    encoder = SentenceTransformer(modules=modules + [Normalize()] * normalise, prompts=prompts, device="cpu")
    encoder.save_pretrained(str(directory), create_model_card=False)
    shutil.rmtree(bare)
    return directory


def recast(directory, dtype):
    """Store the weights with 16 bits, as several published models do."""
    path = directory / "model.safetensors"
    save_file({name: tensor.to(dtype) for name, tensor in load_file(path).items()}, path, metadata={"format": "pt"})


def with_old_pooling_config(directory):
    """Write the pooling as releases before 5.2 did, which is how most published models have it."""
    path = directory / "1_Pooling" / "config.json"
    config = json.loads(path.read_text())
    mode = config.pop("pooling_mode")
    width = config.pop("embedding_dimension")
    names = {"cls": "cls_token", "mean": "mean_tokens", "max": "max_tokens", "mean_sqrt_len": "mean_sqrt_len_tokens"}
    chosen = {f"pooling_mode_{written}": short == mode for short, written in names.items()}
    path.write_text(json.dumps({"word_embedding_dimension": width, **chosen}, indent=2))


def with_vocabulary_file(directory):
    """Replace `tokenizer.json` by the `vocab.txt` that old BERT models have alone."""
    vocabulary = json.loads((directory / "tokenizer.json").read_text())["model"]["vocab"]
    (directory / "vocab.txt").write_text("".join(f"{word}\n" for word in sorted(vocabulary, key=vocabulary.get)))


def vectors(encode):
    """Base64 of what an encoder makes of each text, alone, of unit length."""
    made = [encode(text, normalize_embeddings=True) for text in TEXTS]
    return [base64.b64encode(vector.astype("<f4").tobytes()).decode() for vector in made]


def main():
    """Make all encoders and their reference vectors."""
    torch.manual_seed(7)
    shutil.rmtree(OUT, ignore_errors=True)
    words, pieces = word_pieces(), unigrams()
    e5 = make(
        *("like-e5", BertModel, BertConfig, words),
        pooling="mean",
        prompts={"query": "query: ", "document": "passage: "},
        max_length=32,
    )
    arctic = make(
        *("like-arctic", BertModel, BertConfig, words),
        pooling="cls",
        prompts={"query": "Represent this sentence for searching relevant passages: "},
        max_length=None,
    )
    recast(arctic, torch.float16)
    with_old_pooling_config(arctic)
    bge_m3 = make(
        *("like-bge-m3", XLMRobertaModel, XLMRobertaConfig, pieces),
        pooling="cls",
        prompts={},
        max_length=38,
        type_vocab_size=1,
        layer_norm_eps=1e-5,
    )
    recast(bge_m3, torch.bfloat16)
    multilingual_e5 = make(
        *("like-multilingual-e5-small", BertModel, BertConfig, pieces),
        pooling="mean",
        prompts={"query": "query: ", "passage": "passage: "},
        max_length=36,
    )
    distilled = make(
        *("like-distilroberta", RobertaModel, RobertaConfig, pieces),
        pooling="max",
        prompts={},
        max_length=20,
        normalise=False,
        type_vocab_size=1,
        layer_norm_eps=1e-5,
    )
    reference = {}
    for directory in (e5, arctic, bge_m3, multilingual_e5, distilled):
        encoder = SentenceTransformer(str(directory), device="cpu", model_kwargs={"dtype": torch.float32})
        reference[directory.name] = {
            "queries": vectors(encoder.encode_query),
            "documents": vectors(encoder.encode_document),
        }
    with_vocabulary_file(arctic)
    (arctic / "tokenizer.json").unlink()
    (OUT / "reference.json").write_text(json.dumps({"texts": TEXTS, "encoders": reference}, indent=1))


if __name__ == "__main__":
    main()
