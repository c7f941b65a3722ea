import { describe, expect, test } from "vitest";
import { examples, foundIn } from "./marked.ts";

/** Every spelling that a pattern lets through: with and without each blank and each part that need not be there. */
const MARKED = `
src/a.ts holds a lint or type rule:
  // eslint-disable
  // eslint-disable-next-line
  // tslint:disable:no-any
  // oxlint-disable-next-line
  // biome-ignore-all lint: why
  /* jshint ignore:start */
  /* jshint  ignore:line */
  // jscs:disable
  // deno-lint-ignore no-any
  <!-- vue-ignore -->
  <!-- svelte-ignore a11y -->
  // @ts-ignore
  // @ts-nocheck
  // @ts-expect-error
  // $FlowFixMe
  // $FlowIgnore[x]
  // $FlowIssue
  // $FlowExpectedError
  // @flowignore
  // @flow-ignore
  /*eslint a:0*/
  /* eslint no-undef: "off" */
  /* eslint no-undef:'off', b: 2 */
  /* eslint no-undef: \`warn\` */
  /* eslint no-undef: 1 */
  /* eslint no-undef: ["off"] */
  /* eslint no-undef: [ "warn", {}] */
  /* eslint no-undef:[0] */
  /* eslint a: 2, b: 2, c: 0 */
src/a.ts holds coverage:
  /* istanbul ignore next */
  /* c8  ignore start */
  /* v8 ignore if */
  /* node:coverage disable */
  /* node:coverage ignore next 3 */
test/a.test.ts holds a test:
  it.skip('x', f)
  test.skip('x', f)
  describe.skip('x', f)
  context.only('x', f)
  suite.skip('x', f)
  specify.skip('x', f)
  bench.skip('x', f)
  Deno.test.ignore('x', f)
  it.skipIf(x)('x', f)
  it.runIf(x)('x', f)
  it.only('x', f)
  it.fails('x', f)
  it.failing('x', f)
  it.fixme('x', f)
  it .only('x', f)
  it. only('x', f)
  it .concurrent.only('x', f)
  it. concurrent.only('x', f)
  it.a.b.c.d.e.only('x', f)
  it?.only('x', f)
  it?. only('x', f)
  it['only']('x', f)
  it[ 'only']('x', f)
  it["only"]("x", f)
  it[\`only\`]('x', f)
  xit('x', f)
  fit('x', f)
  xtest('x', f)
    xdescribe('x', f)
  fcontext('x', f)
  fspecify('x', f)
  xsuite('x', f)
  xit ('x', f)
  xit( 'x', f)
  xit("x", f)
  xit(\`x\`, f)
  xit.each('x', f)
  xit.each.of.these('x', f)
  jest.retryTimes(2)
  jest.retryTimes ( 3)
  jest.retryTimes( 9)
  this.retries(1)
  this.retries ( 2)
    jest.retryTimes(10)
  it('x', {retry: 2}, f)
  it('x', { retry:2 }, f)
  test('x', { timeout: 5, retry : 1 }, f)
    describe('x', {retry:{ count: 2 }}, f)
  suite('x', {retry: 9}, f)
  it('',{retry:1}, f)
  .only('x', f)
    .skip('x', f)
  .skip ('x', f)
  .skip( 'x', f)
  .only("x", f)
  .only(\`x\`, f)
  run('x', {skip: true}, f)
  run('x', { only: true }, f)
  run('x', {a, skip:true}, f)
  run('x', {a,skip : true}, f)
  run('x', {skip: 'later'}, f)
  run("x", {skip: "later"}, f)
  run('x', {skip: \`later\`}, f)
  t.skip()
  ctx.skip('x')
  ctx.skip ('x')
  this.skip()
  this.skip ()
`;

/** What a pattern must not take for its own: another word, another place in the line, another value. */
const PLAIN = `
test/a.test.ts holds nothing:
  const x = xit('x');
  exit('x')
  const it2 = f(xit);
  xit(name)
  jest.retryTimes(0)
  this.retries(0)
  retry({ retry: 2 })
  run(it, { retry: 2 })
  unit('x', { retry: 2 })
  it('x', { retry: 0 }, f)
  rows.only('x')
  run('x', { skip: false }, f)
  run('x', { skip: 10 }, f)
  /* eslint a: 2 */
src/a.ts holds nothing:
  run('x', { skip: true }, f)
  t.skip()
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
