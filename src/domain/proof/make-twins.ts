import type { TestFile, Twin, TwinnedFile, TwinOptions } from "./twin.ts";

const TEST = /^test\("([^"\n]{1,200})", \(\) => (assert\.equal\([^\n]{1,200}, )(\d{1,6})\)\);$/gm;

/** Stands in until twins of each runner are made. */
export function makeTwins(_runner: string, file: TestFile, { draw, isPassing, most }: TwinOptions): TwinnedFile | undefined {
  const twins: Twin[] = [];
  const text = file.text.replace(TEST, (whole, name: string, call: string, n: string) => {
    if (twins.length >= most || !isPassing(name)) return whole;
    const fresh = `${name} ${draw(2 ** 30)} times`;
    const [fails, passes] = draw(2) === 0 ? [name, fresh] : [fresh, name];
    twins.push({ fails, passes, original: name });
    return `test("${passes}", () => ${call}${n}));\ntest("${fails}", () => ${call}${Number(n) + 1}));`;
  });
  return twins.length === 0 ? undefined : { path: file.path, text, twins };
}
