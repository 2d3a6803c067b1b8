"""What pyproject.toml asks for, and the files that pin it, agree."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
REQUIREMENT = re.compile(r"^([\w.-]+)(?:\[[\w,.-]+\])?(?:(>=|==)([\w.]+))?$")


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def lowest():
    """The lowest version that the project, or an extra of its, takes of each package."""
    project = PROJECT["project"]
    extras = project["optional-dependencies"].values()
    asked = [*project["dependencies"], *(one for extra in extras for one in extra)]
    found = {}
    for one in asked:
        name, _, version = REQUIREMENT.match(one).groups()
        if name != project["name"]:
            assert version, f"{one} has no lowest version"
            assert found.setdefault(normal(name), version) == version, f"two of {name}"
    return found


def pinned(file):
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {normal(name): version for name, version in pins}


def test_the_lowest_versions_are_those_that_the_project_takes():
    assert pinned("constraints-lowest.txt") == lowest()


def test_all_that_is_installed_for_tests_and_docs_is_pinned():
    groups = PROJECT["dependency-groups"].values()
    asked = {normal(REQUIREMENT.match(one)[1]) for group in groups for one in group}
    pins = pinned("constraints.txt")
    assert not (asked | lowest().keys()) - pins.keys()


def test_the_versions_of_python_that_are_declared():
    project = PROJECT["project"]
    named = [one.rpartition(" :: ")[2] for one in project["classifiers"] if "Python :: 3." in one]
    assert named == ["3.11", "3.12", "3.13"]
    assert project["requires-python"] == ">=3.11"
