import { describe, expect, test } from "vitest";
import { examples, foundIn } from "./marked.ts";

/** Every spelling that a pattern lets through: with and without each blank and each part that need not be there. */
const MARKED = `
a.py holds a lint or type rule:
  #type:ignore
  # type: ignore
  x() # noqa
  x() #noqa: E1
  # ruff:noqa
  # ruff: noqa
  # flake8:noqa
  # flake8: noqa
  # pylint:disable=x
  # pylint: disable=x
  # pylint: skip-file
  # pyright:ignore
  # pyright: ignore
  # pyright: basic
  # pyright: reportMissingImports=false
  # pyright: reportMissingImports = none
  # mypy:ignore-errors
  # mypy: ignore-errors
  # mypy: disable-error-code=x
  # mypy: allow-untyped-defs
  # pyre-ignore[1]
  # pyre-fixme[1]
  # nosec
  #nosec
  # pytype:disable=x
  # pytype: disable=x
  @no_type_check
  @typing.no_type_check
  # NoQA
a.py holds coverage:
  #pragma:no cover
  # pragma: no cover
  # pragma no cover
  #pragma:nocover
  # pragma : no branch
test_a.py holds a test:
  @pytest.mark.flaky
  @flaky
  @pytest.mark.skip
  @mark.skipif(x)
  @mark.xfail
  pytest.skip('x')
  pytest.xfail('x')
  pytest.importorskip('x')
  @unittest.skip('x')
  @unittest.skipIf(x, 'x')
  @unittest.skipUnless(x, 'x')
  @unittest.expectedFailure
  raise unittest.SkipTest
  @skip
  @skipIf(x, 'x')
  @skipUnless(x, 'x')
  @expectedFailure
  self.skipTest('x')
  self.skipTest ('x')
  raise SkipTest
  raise  SkipTest
  collect_ignore = []
  collect_ignore_glob = []
a.go holds a lint or type rule:
  x() //nolint
  x() // nolint:x
  //lint:ignore x
  //lint:file-ignore x
  //#nosec
  // nosec
  // revive:disable
  /* #nosec */
  /*#nosec*/
a_test.go holds a test:
  t.Skip()
  b.Skip ()
  t.Skipf()
  t.SkipNow()
  FIt('x')
    FIt ('x')
  XDescribe('x')
  PContext('x')
  FSpecify('x')
  XWhen('x')
  //go:build ignore
a.rs holds a lint or type rule:
  #[allow(x)]
  #![allow (x)]
  #[ allow(x)]
  #[expect(x)]
  #[cfg_attr(test, allow(x))]
  #[cfg_attr (test,expect(x))]
  #![cfg_attr(t, allow (x))]
a.rs holds a test:
  #[ignore]
  #[ ignore]
  #[cfg_attr(test, ignore)]
  #[cfg_attr (test,ignore)]
  #[cfg_attr(t, ignore = 'x')]
A.kt holds a lint or type rule:
  @SuppressWarnings('x')
  @file:Suppress('x')
  @Suppress('x')
  @SuppressFBWarnings('x')
  @SuppressLint('x')
  @nowarn
  //noinspection X
  // noinspection X
  // NOPMD
  // NOSONAR
  // CHECKSTYLE:OFF
  // CHECKSTYLE.OFF
  // CHECKSTYLE: OFF
ATest.java holds a test:
  @Disabled
  @DisabledOnOs(X)
  @Ignore
  @IgnoreIf({ x })
  @IgnoreRest
  @PendingFeature
  @Test(enabled=false)
  @Test (enabled = false)
  @Test(groups = 'x', enabled = false)
A.cs holds a lint or type rule:
  #pragma warning disable
  #pragma  warning  disable X
  [SuppressMessage('x')]
  [SuppressMessage ('x')]
  #nullable disable
  #nullable  disable
A.cs holds a test:
  [Ignore]
  [ Ignore]
  [Explicit]
  [Fact(Skip='x')]
  [Theory (Skip = 'x')]
  [Test(Name = 'x', Skip='x')]
a.rb holds a lint or type rule:
  #rubocop:disable X
  # rubocop:todo X
  # rubocop: disable X
  # standard:disable X
  #standard:disable X
a.rb holds coverage:
  # :nocov:
  #:nocov:
spec/a_spec.rb holds a test:
  xit('x')
    fit 'x' do
  xdescribe(X)
  fcontext"x"
  fspecify 'x'
  xexample 'x'
  skip 'x'
  skip
  pending
  pending('x')
  it 'x',:focus do
  it 'x', :focus do
  it 'x', focus: true do
  it 'x',focus:true do
  it 'x', skip: 'x' do
  it 'x',skip: true do
a.php holds a lint or type rule:
  // phpcs:ignore
  // phpcs:disable
  @phpcs:x
  @phpstan-ignore-line
  @psalm-suppress X
  @phan-suppress X
  @noinspection X
a.php holds coverage:
  @codeCoverageIgnore
tests/a.php holds a test:
  $this->markTestSkipped('x');
  $this->markTestIncomplete ('x');
  it('x')->skip();
  it('x')->only ();
a.cc holds a lint or type rule:
  // NOLINT
  // NOLINTNEXTLINE
  // NOLINTBEGIN
  #pragma GCC diagnostic ignored 'x'
  # pragma  clang  diagnostic  ignored 'x'
  #pragma warning(disable: 1)
  # pragma warning ( disable: 1)
  // cppcheck-suppress x
a.cc holds coverage:
  // LCOV_EXCL_LINE
  // GCOVR_EXCL_LINE
  // GCOV_EXCL_LINE
a.cc holds a test:
  GTEST_SKIP();
  TEST(A, DISABLED_b)
  TEST (A, DISABLED_b)
  TEST_F(A, DISABLED_b)
  TEST_P(A, DISABLED_b)
  TEST(DISABLED_A, b)
a.swift holds a lint or type rule:
  // swiftlint:disable x
a.swift holds a test:
  throw XCTSkip('x')
  try XCTSkipIf(x)
  try XCTSkipUnless(x)
a.ex holds a lint or type rule:
  # credo:disable-for-this-file
  #credo:disable-for-next-line
a.exs holds a test:
  @tag :skip
  @tag  skip: 'x'
  @moduletag :skip
  @describetag skip: true
a.sh holds a lint or type rule:
  # shellcheck disable=SC1
  #shellcheck  disable=SC1
test/a.bats holds a test:
  skip
    skip 'x'
a.dart holds a lint or type rule:
  // ignore: x
  //ignore:x
  // ignore_for_file: x
test/a.dart holds a test:
  test('x', f, skip: true);
  test('x', f, skip:true);
  test('x', f, skip: 'x');
  test("x", f, skip:"x");
`;

/** What a pattern must not take for its own: another word, another place in the line, another value. */
const PLAIN = `
a_test.go holds nothing:
  x := FIt('x')
  a.FIt('x')
  // write //go:build ignore above it
spec/a_spec.rb holds nothing:
  a.skip 'x'
  x = pending 'x'
  skipped 'x'
  skip?('x')
  skip=1
  skip.call
a.rb holds nothing:
  xit 'x' do
  skip 'x'
a.php holds nothing:
  it('x')->skip();
  $this->markTestSkipped('x');
a.sh holds nothing:
  skip
test/a.bats holds nothing:
  echo skip
  do-skip
  skipped
a.dart holds nothing:
  test('x', f, skip: true);
a.exs holds nothing:
  @tag skipped: true
`;

describe("every spelling of a marker is found", () => {
  test.for(examples(MARKED))("%s: %s", ([path, line, what]) => {
    expect(foundIn(path, line)).toEqual([what]);
  });
});

describe("another word, place or value is none", () => {
  test.for(examples(PLAIN))("%s: %s", ([path, line]) => {
    expect(foundIn(path, line)).toEqual([]);
  });
});
