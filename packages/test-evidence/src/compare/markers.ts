import type { Silenced } from "./hunk.ts";
import type { LanguageFamily } from "./languages.ts";

/** One kind of suppression. Every pattern needs time linear to the line's length. */
export interface Marker {
  readonly what: Silenced;
  readonly families: readonly LanguageFamily[];
  readonly pattern: RegExp;
  /** Searched only in test files: elsewhere the words mean something else. */
  readonly inTestsOnly?: true;
}

const RULE = "a lint or type rule";
const TEST = "a test";
const COVERAGE = "coverage";

/**
 * The markers, from the documentation of each tool: ESLint, TypeScript, Biome, oxlint, TSLint, JSHint, Flow, Vue, c8, istanbul;
 * Flake8, Ruff, mypy, Pyright, Pylint, Pyre, Bandit, coverage.py, pytest, unittest; golangci-lint, staticcheck, gosec; rustc
 * and clippy; javac, Kotlin, Checkstyle, PMD, SpotBugs, SonarQube, JUnit, TestNG; Roslyn, xUnit, NUnit, MSTest; RuboCop, RSpec,
 * SimpleCov; PHP_CodeSniffer, PHPStan, Psalm, PHPUnit, Pest; clang-tidy, GCC, MSVC, GoogleTest, lcov; SwiftLint, XCTest;
 * Credo, ExUnit; ShellCheck, Bats; the Dart analyser.
 */
export const MARKERS: readonly Marker[] = [
  {
    what: RULE,
    families: ["js"],
    pattern:
      /\b(?:eslint-disable|tslint:disable|oxlint-disable|biome-ignore|jshint\s+ignore|jscs:disable|deno-lint-ignore|vue-ignore|svelte-ignore)[\w-]*|@ts-(?:ignore|nocheck|expect-error)\b|\$Flow(?:FixMe|Ignore|Issue|ExpectedError)\b|@flow-?ignore\b/,
  },
  // ESLint takes rules from comments too: /* eslint no-undef: "off" */.
  { what: RULE, families: ["js"], pattern: /\/\*\s?eslint\s[^*]{0,300}?:\s?\[?\s?["'`]?(?:off|warn|0|1)\b/ },
  { what: COVERAGE, families: ["js"], pattern: /\b(?:istanbul|c8|v8|node:coverage)\s+(?:ignore|disable)\b/ },
  {
    what: TEST,
    families: ["js"],
    pattern:
      /\b(?:it|test|describe|context|suite|specify|bench|Deno\.test)(?:\s?\.\s?\w{1,40}){0,5}\s?(?:\.\s?|\?\.\s?|\[\s?["'`])(?:skip|skipIf|runIf|only|fails|failing|fixme|ignore)\b/,
  },
  { what: TEST, families: ["js"], pattern: /^\s*[xf](?:it|test|describe|context|specify|suite)(?:\.\w{1,40}){0,3}\s?\(\s?["'`]/ },
  // A test that is run until it passes proves nothing (adversary case A19).
  { what: TEST, families: ["js"], pattern: /\bjest\.retryTimes\s?\(\s?[1-9]|\bthis\.retries\s?\(\s?[1-9]/ },
  { what: TEST, families: ["js"], pattern: /^\s*(?:it|test|describe|suite)\b.{0,300}?[{,]\s?retry\s?:\s?[1-9{]/ },
  { what: TEST, families: ["python"], pattern: /\bmark\.flaky\b|@flaky\b/ },
  { what: TEST, families: ["js"], pattern: /^\s*\.(?:only|skip)\s?\(\s?["'`]/ },
  { what: TEST, families: ["js"], pattern: /[{,]\s?(?:skip|only)\s?:\s?(?:true\b|["'`])/, inTestsOnly: true },
  { what: TEST, families: ["js"], pattern: /\b(?:t|ctx|context|this)\.skip\s?\(/, inTestsOnly: true },
  {
    what: RULE,
    families: ["python"],
    pattern:
      /#\s?(?:type:\s?ignore|(?:ruff:\s?|flake8:\s?)?noqa\b|pylint:\s?(?:disable|skip-file)|pyright:\s?(?:ignore|basic|report\w{1,60}\s?=\s?(?:false|none))|mypy:\s?(?:ignore|disable|allow)|pyre-(?:ignore|fixme)|nosec\b|pytype:\s?disable)|@(?:typing\.)?no_type_check\b/i,
  },
  { what: COVERAGE, families: ["python"], pattern: /#\s?pragma\s?:?\s?no\s?(?:cover|branch)/i },
  {
    what: TEST,
    families: ["python"],
    pattern:
      /\bmark\.(?:skip|skipif|xfail)\b|\bpytest\.(?:skip|xfail|importorskip)\b|\bunittest\.(?:skip|skipIf|skipUnless|expectedFailure|SkipTest)\b|@(?:skip|skipIf|skipUnless|expectedFailure)\b|\.skipTest\s?\(|\braise\s+SkipTest\b|\bcollect_ignore(?:_glob)?\b/,
  },
  {
    what: RULE,
    families: ["go"],
    pattern: /\/\/\s?(?:nolint\b|lint:(?:file-)?ignore\b|#nosec\b|nosec\b|revive:disable)|\/\*\s?#nosec\b/,
  },
  {
    what: TEST,
    families: ["go"],
    pattern: /\b[tb]\.(?:Skip|Skipf|SkipNow)\s?\(|^\s*[FXP](?:It|Describe|Context|Specify|When)\s?\(|^\/\/go:build\s+ignore\b/,
  },
  { what: RULE, families: ["rust"], pattern: /#!?\[\s?(?:cfg_attr\s?\(.{1,200}?,\s?)?(?:allow|expect)\s?\(/ },
  { what: TEST, families: ["rust"], pattern: /#\[\s?(?:cfg_attr\s?\(.{1,200}?,\s?)?ignore\b/ },
  {
    what: RULE,
    families: ["jvm"],
    pattern:
      /@(?:file:)?(?:SuppressWarnings|Suppress|SuppressFBWarnings|SuppressLint|nowarn)\b|\/\/\s?(?:noinspection\b|NOPMD\b|NOSONAR\b|CHECKSTYLE[.:]\s?OFF)/,
  },
  {
    what: TEST,
    families: ["jvm"],
    pattern: /@(?:Disabled\w{0,40}|Ignore|IgnoreIf|IgnoreRest|PendingFeature)\b|@Test\s?\([^)]{0,200}\benabled\s?=\s?false/,
  },
  { what: RULE, families: ["dotnet"], pattern: /#pragma\s+warning\s+disable\b|\bSuppressMessage\s?\(|#nullable\s+disable\b/i },
  { what: TEST, families: ["dotnet"], pattern: /\[\s?(?:Ignore|Explicit)\b|\b(?:Fact|Theory|Test)\s?\([^)]{0,200}\bSkip\s?=/ },
  { what: RULE, families: ["ruby"], pattern: /#\s?rubocop:\s?(?:disable|todo)\b|#\s?standard:disable\b/ },
  { what: COVERAGE, families: ["ruby"], pattern: /#\s?:nocov:/ },
  {
    what: TEST,
    families: ["ruby"],
    pattern:
      /^\s*(?:[xf](?:it|describe|context|specify|example)|skip|pending)\b(?:\s?[("'\s]|$)|,\s?(?::focus\b|focus:\s?true|skip:)/,
    inTestsOnly: true,
  },
  {
    what: RULE,
    families: ["php"],
    pattern: /\bphpcs:(?:ignore|disable)|@phpcs:|@phpstan-ignore|@psalm-suppress|@phan-suppress|@noinspection/,
  },
  { what: COVERAGE, families: ["php"], pattern: /@codeCoverageIgnore/ },
  { what: TEST, families: ["php"], pattern: /\bmarkTest(?:Skipped|Incomplete)\s?\(|->(?:skip|only)\s?\(/, inTestsOnly: true },
  {
    what: RULE,
    families: ["c"],
    pattern:
      /\bNOLINT(?:NEXTLINE|BEGIN)?\b|#\s?pragma\s+(?:GCC|clang)\s+diagnostic\s+ignored\b|#\s?pragma\s+warning\s?\(\s?disable\b|cppcheck-suppress\b/,
  },
  { what: COVERAGE, families: ["c"], pattern: /\b(?:LCOV|GCOVR?|GCOV)_EXCL_/ },
  { what: TEST, families: ["c"], pattern: /\bGTEST_SKIP\b|\bTEST(?:_[FP])?\s?\([^)]{0,200}\bDISABLED_/ },
  { what: RULE, families: ["swift"], pattern: /\bswiftlint:disable\b/ },
  { what: TEST, families: ["swift"], pattern: /\bXCTSkip(?:If|Unless)?\b/ },
  { what: RULE, families: ["elixir"], pattern: /#\s?credo:disable/ },
  { what: TEST, families: ["elixir"], pattern: /@(?:module|describe)?tag\s+(?::skip\b|skip:)/ },
  { what: RULE, families: ["shell"], pattern: /#\s?shellcheck\s+disable\b/ },
  { what: TEST, families: ["shell"], pattern: /^\s*skip\b/, inTestsOnly: true },
  { what: RULE, families: ["dart"], pattern: /\/\/\s?ignore(?:_for_file)?:/ },
  { what: TEST, families: ["dart"], pattern: /\bskip:\s?(?:true\b|["'])/, inTestsOnly: true },
];
