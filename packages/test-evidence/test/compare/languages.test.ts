import picomatch from "picomatch";
import { describe, expect, test } from "vitest";
import { isCoverageConfiguration, isTestFile, languageFamily, SEARCHED_NAMES } from "../../src/compare/languages.ts";

const isSearched = picomatch([...SEARCHED_NAMES], { basename: true, dot: true });

const CODE = `
js: a.js b/a.jsx a.mjs a.cjs a.ts a.tsx a.mts a.cts a.vue a.svelte a.astro a.d.ts A.TS
python: a.py a.pyi a.pyx
go: a_test.go
rust: src/a.rs
jvm: A.java A.kt build.gradle.kts A.groovy A.scala
dotnet: A.cs A.fs A.vb
ruby: a.rb a.rake
php: a.php
c: a.c a.h a.cc a.cpp a.cxx a.hpp a.hh a.m a.mm
swift: A.swift
elixir: a.ex a.exs
shell: a.sh a.bash test/a.bats
dart: a.dart
`;

const CONFIGURATION = `
package.json .nycrc .nycrc.json .c8rc .c8rc.json jest.config.js jest.config.ts vitest.config.mts vitest.workspace.ts
vite.config.js karma.conf.js pyproject.toml setup.cfg tox.ini pytest.ini .coveragerc codecov.yml codecov.yaml .codecov.yml
.codecov.yaml pom.xml build.gradle build.gradle.kts .simplecov noxfile.py Makefile makefile
`;

describe("the family of a file", () => {
  const rows = CODE.trim()
    .split("\n")
    .flatMap((row) => {
      const [family = "", files = ""] = row.split(": ");
      return files.split(" ").map((file) => [file, family] as const);
    });

  test.for(rows)("%s: %s", ([file, family]) => {
    expect(languageFamily(file)).toBe(family);
    expect(isSearched(file.toLowerCase())).toBe(true);
  });

  test.for(["README.md", "a.json", "a.ts.txt", "a.ts/README", "a.pyc", "Makefile"])("%s: none", (file) => {
    expect(languageFamily(file)).toBeUndefined();
  });
});

describe("demands on coverage may stand in", () => {
  test.for(CONFIGURATION.trim().split(/\s+/))("%s", (file) => {
    expect([isCoverageConfiguration(file), isCoverageConfiguration(`sub/${file}`)]).toEqual([true, true]);
    expect(file === "makefile" || isSearched(`sub/${file}`)).toBe(true);
  });

  test.for(["my-package.json", "package.json5", "packageXjson", "pom.xml.bak", "codecov.yml/notes", "xcodecov.yml"])(
    "not in %s",
    (file) => {
      expect(isCoverageConfiguration(file)).toBe(false);
    },
  );
});

describe("a file of tests", () => {
  test.for([
    "test/a.ts",
    "tests/a.py",
    "src/spec/a.rb",
    "specs/a.rb",
    "src/__tests__/a.js",
    "e2e/a.ts",
    "src/a.test.ts",
    "a_test.go",
    "test_a.py",
    "a-spec.js",
    "a.specs.js",
    "src/ATest.java",
    "ATests.cs",
    "ASpec.groovy",
  ])("is %s", (file) => {
    expect(isTestFile(file)).toBe(true);
  });

  test.for([
    "src/a.ts",
    "latest/a.ts",
    "testing/a.ts",
    "src/contest.ts",
    "src/attestation.ts",
    "inspect.js",
    "src/Testimony.java",
  ])("is not %s", (file) => {
    expect(isTestFile(file)).toBe(false);
  });
});
