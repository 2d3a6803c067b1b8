"""What each package shows, and what importing it must not load."""

import importlib
import subprocess
import sys

import pytest

PUBLIC = {
    "emomem": {
        "Affect",
        "AffectContrastDetector",
        "Conflict",
        "ConflictDetector",
        "EnsembleConflictDetector",
        "FactUpdateDetector",
        "GoalConflictDetector",
        "NLIConflictDetector",
        "DeepEncoder",
        "DeepMemory",
        "DomainAdapter",
        "ConfidentAppraiser",
        "ConflictAppraiser",
        "EnsembleAppraiser",
        "fuse",
        "ReviewQueue",
        "Rule",
        "RuleAppraiser",
        "ArousalProfile",
        "AffectArray",
        "Appraiser",
        "Auto",
        "BaseAppraiser",
        "CandidatePool",
        "Character",
        "Combination",
        "Comfort",
        "Congruent",
        "Explanation",
        "HuggingFaceAppraiser",
        "Lesson",
        "LexiconAppraiser",
        "LocalAppraiser",
        "LocalEncoder",
        "MemoryUnit",
        "MetadataFields",
        "Modulated",
        "Off",
        "Policy",
        "RankQuery",
        "Ranking",
        "Salience",
        "Semantic",
        "Sequence",
        "Strategy",
    },
    "langchain_emomem": {
        "AffectEmbeddings",
        "AffectMemoryMiddleware",
        "AffectModulatedRetriever",
        "AffectReranker",
        "ChatModelAppraiser",
        "ChatModelConflictDetector",
        "ConflictAwareMemory",
        "ConflictSensitiveAgent",
        "DeepEncoder",
        "EmotionTagger",
        "LocalEmbeddings",
        "Recombination",
        "RolePlayChain",
        "migrate",
        "prompts",
    },
    "llamaindex_emomem": {
        "AffectEmbedding",
        "AffectMemoryBlock",
        "AffectModulatedRetriever",
        "AffectPostprocessor",
        "AffectQueryBundle",
        "ConflictAwareMemory",
        "ConflictSensitiveAgent",
        "DeepEncoder",
        "EmotionTagger",
        "LLMAppraiser",
        "LLMConflictDetector",
        "LocalEmbedding",
        "Recombination",
        "RolePlayWorkflow",
        "prompts",
    },
}
HEAVY = {"torch", "transformers", "sentence_transformers", "chromadb", "matplotlib"}
FRAMEWORKS = {
    "emomem": {"langchain_core", "llama_index"},
    "langchain_emomem": {"llama_index"},
    "llamaindex_emomem": {"langchain_core"},
}


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603
    return set(done.stdout.split())


@pytest.mark.parametrize("package", PUBLIC)
def test_all_names_exactly_what_is_public(package: str) -> None:
    module = importlib.import_module(package)
    assert set(module.__all__) == PUBLIC[package]
    assert list(module.__all__) == sorted(module.__all__)
    assert all(hasattr(module, name) for name in module.__all__)


@pytest.mark.parametrize("package", PUBLIC)
def test_importing_every_public_name_loads_no_heavy_part(package: str) -> None:
    loaded = loaded_by(f"from {package} import *")
    if package == "langchain_emomem":  # an older langchain-core loads transformers for itself
        loaded -= loaded_by("from langchain_core.language_models import BaseChatModel")
    assert not loaded & HEAVY


@pytest.mark.parametrize("package", PUBLIC)
def test_the_arrows_between_packages_run_one_way(package: str) -> None:
    loaded = loaded_by(f"from {package} import *")
    assert not loaded & FRAMEWORKS[package]
    assert not (loaded & PUBLIC.keys()) - {package, "emomem"}
