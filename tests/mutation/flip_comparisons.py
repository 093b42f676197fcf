#!/usr/bin/env python3
"""Flips comparison operators of the rules, one at a time, and counts how many flips the tests catch.

usage: flip_comparisons.py [--count N] [--seed N] [--build DIR]

Works on a copy of the committed tree in DIR (default build/mutation), so that nothing here is touched. A flip that does
not compile counts as caught by nobody and is drawn again. Survivors are printed as a diff line each. Exit code 1 when
fewer than 95 % are caught.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["src/backends/megatron/rules", "src/backends/torchtitan/rules", "src/backends/maxtext/rules",
           "src/config", "src/layout", "src/estimate"]
RULE_FILES = ["*rules*.cpp", "advice.cpp"]  # of the folders that hold other things as well
FLIPS = {"==": "!=", "!=": "==", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}
# Spaces on both sides: an operator, not a template's brackets, an arrow or a stream.
OPERATOR = re.compile(r"(?<= )(==|!=|<=|>=|<|>)(?= )")


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def code_part(line):
    """The line without strings and comments, with blanks in their place."""
    line = re.sub(r'"(\\.|[^"\\])*"', lambda found: " " * len(found.group()), line)
    return re.sub(r"//.*", lambda found: " " * len(found.group()), line)


def places(tree):
    """Every comparison of the rules: (file, line number, column, operator)."""
    out = []
    for folder in FOLDERS:
        patterns = ["*.cpp"] if folder.endswith("/rules") else RULE_FILES
        for path in sorted({file for pattern in patterns for file in (tree / folder).glob(pattern)}):
            for number, line in enumerate(path.read_text().splitlines()):
                if line.lstrip().startswith(("#", "template")):
                    continue
                for found in OPERATOR.finditer(code_part(line)):
                    out.append((path, number, found.start(), found.group()))
    return out


def flip(place):
    path, number, column, operator = place
    lines = path.read_text().splitlines(keepends=True)
    old = lines[number]
    lines[number] = old[:column] + FLIPS[operator] + old[column + len(operator):]
    path.write_text("".join(lines))
    return old.strip(), lines[number].strip()


def is_caught(build, environment):
    """None when the flip does not compile."""
    # One after the other: most flips never get beyond the first. The last holds what the messages say (docs/rules.md).
    for test in ("test_rules", "test_unit", "test_differential", "test_golden"):
        if run(["ninja", "-C", build, f"tests/{test}", "primus-plan"]).returncode != 0:
            return None
        try:
            result = run([build / "tests" / test, "--gtest_brief=1", "--gtest_fail_fast"], env=environment, timeout=300)
        except subprocess.TimeoutExpired:
            return test + " (never ends)"
        if result.returncode != 0:
            return test
    return ""


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--count", type=int, default=50)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "mutation")
    asked = asked.parse_args()

    tree = asked.build / "tree"
    run(["rm", "-rf", tree], check=True)
    tree.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], stdout=subprocess.PIPE, check=True)
    subprocess.run(["tar", "-x", "-C", tree], input=archive.stdout, check=True)
    build = asked.build / "build"
    configured = run(["cmake", "-S", tree, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                      "-DCMAKE_CXX_FLAGS_RELEASE=-O1"])
    if configured.returncode != 0:
        sys.exit(configured.stdout)
    environment = dict(os.environ)
    shared = ROOT.parent / "shared"
    environment.setdefault("PRIMUS_PLAN_ORACLE_DIR", str(shared / "oracle"))
    environment.setdefault("PRIMUS_PLAN_CORPUS_DIR", str(shared / "corpus"))
    print("building and testing without a flip", flush=True)
    if is_caught(build, environment) != "":
        sys.exit("the tests fail without any flip")

    drawn = places(tree)
    random.Random(asked.seed).shuffle(drawn)
    print(f"{len(drawn)} comparisons, {asked.count} flips", flush=True)
    caught, tried = 0, 0
    for place in drawn:
        if tried == asked.count:
            break
        kept = place[0].read_text()
        old, new = flip(place)
        by = is_caught(build, environment)
        place[0].write_text(kept)
        if by is None:
            continue
        tried += 1
        caught += by != ""
        where = f"{place[0].relative_to(tree)}:{place[1] + 1}"
        print(f"{tried:3} {'caught by ' + by if by else 'SURVIVED':24} {where}: {old}" + ("" if by else f"  ->  {new}"), flush=True)
    print(f"{caught} of {tried} flips are caught")
    sys.exit(0 if caught * 100 >= tried * 95 else 1)


if __name__ == "__main__":
    main()
