"""The wheel: all that it must hold, and a clean environment for each extra (`make check-wheel`)."""

import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
CONSTRAINTS = ROOT / "constraints.txt"

CORE = """
import numpy
from emomem import Affect, AffectArray, CandidatePool, Combination, RankQuery
sad, glad = Affect(valence=-0.8, arousal=0.6), Affect(valence=0.8, arousal=0.6)
pool = CandidatePool(AffectArray.from_affects([glad, sad]), cosine=numpy.array([0.5, 0.5]))
assert Combination().rank(pool, RankQuery(k=1, present=sad)).order[0] == 1
"""
SMOKES = {
    "": CORE,
    "langchain": """
import subprocess, sys
from pathlib import Path
from emomem import LexiconAppraiser
from langchain_core.documents import Document
from langchain_emomem import EmotionTagger
tagger = EmotionTagger(appraiser=LexiconAppraiser())
(tagged,) = tagger.transform_documents([Document("I love it!")])
assert tagged.metadata["affect_valence"] > 0
command = Path(sys.executable).with_name("emomem")
Path("in.txt").write_text("I love it!")
subprocess.run([command, "tag", "in.txt", "out.jsonl", "--appraiser", "lexicon"], check=True)
assert "affect_valence" in Path("out.jsonl").read_text()
""",
    "chroma": """
from langchain_chroma import Chroma
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_emomem import AffectModulatedRetriever
store = Chroma("smoke", DeterministicFakeEmbedding(size=8))
store.add_texts(["a", "b"], [{"affect_valence": -0.8}, {"affect_valence": 0.8}])
positive = {"valence": {"$gt": 0}}
retriever = AffectModulatedRetriever(vectorstore=store, affect="joy", affect_filter=positive)
assert [found.page_content for found in retriever.invoke("By the sea")] == ["b"]
""",
    "agents": """
from langchain.agents import create_agent
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.vectorstores import InMemoryVectorStore
from emomem import Rule, RuleAppraiser
from langchain_emomem import AffectMemoryMiddleware, ConflictAwareMemory
store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
appraiser = RuleAppraiser([Rule("love", "joy")])
memory = ConflictAwareMemory(store, user_id="ann", appraiser=appraiser)
create_agent(FakeListChatModel(responses=["hello"]), middleware=[AffectMemoryMiddleware(memory)])
""",
    "llamaindex": """
from llama_index.core.schema import TextNode
from emomem import Rule, RuleAppraiser
from llamaindex_emomem import EmotionTagger
tagger = EmotionTagger(appraiser=RuleAppraiser([Rule("love", "joy")]))
(tagged,) = tagger([TextNode(text="I love it!")])
assert tagged.metadata["affect_valence"] > 0
""",
    "huggingface": """
import torch, transformers
from emomem import HuggingFaceAppraiser, NLIConflictDetector
try:
    HuggingFaceAppraiser("./no-such-model").appraise(["I love it!"])
except Exception as error:
    assert "no-such-model" in str(error), error
else:
    raise AssertionError
""",
    "local": """
from emomem import LocalAppraiser, LocalEncoder
(affect,) = LocalAppraiser().appraise(["I love it!"])
assert affect.valence > 0 and affect.label
assert LocalEncoder().embed(["I love it!"]).shape == (1, 384)
""",
    "viz": """
import matplotlib; matplotlib.use("agg")
from emomem import Affect
from emomem.viz import circumplex
circumplex([Affect(valence=0.5, arousal=0.5)]).savefig("plane.png")
""",
    "eval": """
from emomem.evaluation.suites.conflict import load_pairs
from emomem.evaluation.users import load_users
from emomem.scenarios import scenarios
assert load_pairs("test") and load_users() and scenarios()
""",
    "all": """
import json, subprocess, sys
from pathlib import Path
command = Path(sys.executable).with_name("emomem")
shown = subprocess.run([command, "demo", "--json"], check=True, capture_output=True, text=True)
assert json.loads(shown.stdout)
""",
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of a wheel and an sdist."""
    out = tmp_path_factory.mktemp("dist")
    # The build tools are those of the dev group; the sdist is built first, the wheel from it.
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    return out


@pytest.fixture(scope="module")
def wheel(built):
    (wheel,) = built.glob("*.whl")
    return wheel


def files(package):
    """What a package holds, without what running it leaves behind."""
    found = (path for path in (ROOT / package).rglob("*") if path.is_file())
    return {str(path.relative_to(ROOT)) for path in found if "__pycache__" not in path.parts}


def test_the_wheel_holds_every_file_of_the_packages(wheel):
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == {name for package in PACKAGES for name in files(package)}
    # What a package would not work without, should the rule above ever be empty.
    kinds = {Path(name).suffix for name in held}
    assert {".py", ".pyi", ".json", ".jsonl", ".safetensors", ".html", ".css", ".js"} <= kinds


def test_the_wheel_has_its_licences_and_its_command(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (entry,) = [name for name in names if name.endswith("entry_points.txt")]
        assert "emomem = langchain_emomem.__main__:main" in archive.read(entry).decode()
    for licence in PROJECT["project"]["license-files"]:
        assert any(name.endswith(f".dist-info/licenses/{licence}") for name in names)


def test_the_sdist_can_be_tested(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    needed = {"Makefile", "constraints.txt", "constraints-lowest.txt", "mkdocs.yml", "CHANGELOG.md"}
    assert needed <= held
    assert {name for package in PACKAGES for name in files(package)} <= held


def test_every_extra_is_tried():
    assert SMOKES.keys() - {""} == PROJECT["project"]["optional-dependencies"].keys()


@pytest.mark.parametrize("extra", SMOKES)
def test_the_wheel_installs_cleanly_and_works(extra, wheel, tmp_path):
    with tempfile.TemporaryDirectory(dir=tmp_path) as folder:  # gigabytes, not to be kept
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / "bin" / "python")

        def run(*arguments):
            done = subprocess.run(  # noqa: S603
                [python, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr

        target = f"{wheel}[{extra}]" if extra else str(wheel)
        quickly = ("--quiet", "--no-compile", "--constraint", str(CONSTRAINTS))
        run("-m", "pip", "install", *quickly, target)
        run("-m", "pip", "check")
        run("-I", "-W", "error::SyntaxWarning", "-c", SMOKES[extra])
