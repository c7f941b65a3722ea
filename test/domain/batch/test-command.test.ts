import { describe, expect, it } from "vitest";
import { findTestCommand, testCommandSource } from "../../../src/domain/batch/test-command.ts";

const commandOf = (files: Readonly<Record<string, string>>) => findTestCommand(new Map(Object.entries(files)))?.join(" ");
const npm = (test: unknown, more: object = {}) => JSON.stringify({ scripts: { test }, ...more });

describe("findTestCommand", () => {
  it.each([
    ["npm test", { "package.json": npm("vitest run") }],
    ["pnpm test", { "package.json": npm("vitest run"), "pnpm-lock.yaml": "" }],
    ["yarn test", { "package.json": npm("jest", { packageManager: "yarn@4.1.0" }), "pnpm-lock.yaml": "" }],
    ["bun run test", { "package.json": npm("jest"), "bun.lock": "" }],
    ["python3 -m pytest", { "pytest.ini": "" }],
    ["python3 -m pytest", { "pyproject.toml": "[tool.pytest.ini_options]\n" }],
    ["python3 -m pytest", { "pyproject.toml": '[project]\ndependencies = [\n  "pytest>=8",\n]\n' }],
    ["python3 -m pytest", { "setup.cfg": "[tool:pytest]\n" }],
    ["python3 -m pytest", { "tox.ini": "[tox]\nenvlist = py3\n[pytest]\n" }],
    ["tox", { "tox.ini": "[tox]\nenvlist = py3\n" }],
    ["make test", { Makefile: ".PHONY: test\ntest: build\n\tgo test\n", "go.mod": "module x" }],
    ["python3 -m pytest", { "tox.ini": "[testenv]\ndeps = pytest\ncommands = py.test {posargs}\n" }],
    ["python3 -m pytest", { "tox.ini": "[testenv]\ncommands =\n    coverage run -m pytest tests\n" }],
    ["tox", { "tox.ini": "[testenv]\ndeps = pytest-cov\ncommands = python -m unittest\n" }],
    ["make check", { Makefile: "all: a\ncheck: all\n\t./run-tests.sh\n" }],
    ["make check", { Makefile: "all: a\n\t$(CC) a.c\ncheck:\n\t@$(MAKE) -C tests\n" }],
    ["make check", { Makefile: "all: a\ncheck:\n\t@echo; python3 -m unittest\n" }],
    ["make all check", { Makefile: "all: a\n\ncheck:\n\t@echo -n Run\n\t@./run-tests.sh fonts\n" }],
    ["make all check", { Makefile: "VERSION = 1\nall install: \\\n\ta\ncheck :: # nothing\n\t./run-tests.sh\n" }],
    ["make build test", { Makefile: "build: a\ntest: ; ./run-tests.sh\ncheck: lint\n" }],
    ["make test", { Makefile: "test:\n\t./run-tests.sh\n" }],
    ["make test", { GNUmakefile: "all: a\ntest: CFLAGS = -g\ntest: | all\n\t./run-tests.sh\n" }],
    ["cargo test", { "Cargo.toml": "[package]" }],
    ["go test ./...", { "go.mod": "module x", Makefile: "tests:\n\ttrue\ntest := x\n" }],
    ["npm test", { "package.json": npm("node --test"), "pytest.ini": "", "go.mod": "" }],
    ["nox", { "noxfile.py": "", Gemfile: 'gem "rspec"\n' }],
    ["deno test", { "deno.json": "{}" }],
    ["deno task test", { "deno.jsonc": '{"tasks": {"test": "deno test -A"}}' }],
    ["bundle exec rspec", { Gemfile: 'source "https://rubygems.org"\ngem "rspec-rails", "~> 7"\n', "package.json": "{}" }],
    ["vendor/bin/phpunit", { "composer.json": '{"require-dev": {"phpunit/phpunit": "^11"}}' }],
    ["vendor/bin/pest", { "composer.json": '{"require-dev": {"phpunit/phpunit": "^11", "pestphp/pest": "^3"}}' }],
    ["mvn -B test", { "pom.xml": "" }],
    ["./mvnw -B test", { "pom.xml": "", mvnw: "", "build.gradle": "" }],
    ["./gradlew test", { "build.gradle.kts": "", gradlew: "" }],
    ["gradle test", { "build.gradle": "" }],
  ])("%s", (command, files) => {
    expect(commandOf(files as unknown as Record<string, string>)).toBe(command);
  });

  it.each([
    ["package.json", { "package.json": npm("jest"), "bun.lock": "" }],
    ["its settings of pytest or tox", { "pytest.ini": "" }],
    ["its Makefile", { Makefile: "test: all" }],
    ["its Makefile, whose target check does not build by itself", { Makefile: "all: a\ncheck:\n\t./run\n" }],
    ["go.mod", { "go.mod": "" }],
    ["pom.xml", { "pom.xml": "", mvnw: "" }],
    ["composer.json", { "composer.json": '{"require-dev": {"phpunit/phpunit": "^11"}}' }],
  ])("is found in %s", (source, files) => {
    const command = findTestCommand(new Map(Object.entries(files as unknown as Record<string, string>)));
    expect(testCommandSource(command ?? ["none"])).toBe(source);
  });

  it.each([
    ["no file", {}],
    ["npm's placeholder", { "package.json": npm('echo "Error: no test specified" && exit 1') }],
    ["an empty script", { "package.json": npm(" ") }],
    ["a script that is no text", { "package.json": npm(["x"]) }],
    ["no script", { "package.json": "{}" }],
    ["no known runner", { Gemfile: '# gem "rspec"\n', "composer.json": '{"name": "phpunit/phpunit"}' }],
    ["a package.json that is not JSON", { "package.json": "{" }],
    ["a package.json that is a list", { "package.json": "[]" }],
    ["pytest in a comment, and its plugins alone", { "pyproject.toml": '# pytest\n["pytest-cov"]\n' }],
    ["a Makefile without the target", { Makefile: "all:\n\techo test:\ncheck = no\ntest := no\n" }],
  ])("nothing for %s", (_, files) => {
    expect(commandOf(files as unknown as Record<string, string>)).toBeUndefined();
  });
});
