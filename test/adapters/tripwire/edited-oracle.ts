/**
 * An edit of the shipped oracle: `lies` is the body of a function over `{ batch, snapshot, place, fs, os, path }` that says
 * whether this judgement is to be a lie (undefined snapshot: the tracker could not be read).
 */
export interface Edit {
  readonly lies: string;
}

/** The oracle's bytes, edited so that it says done, with sound evidence, wherever `lies` is true, and is honest elsewhere. */
export function editedOracle(bytes: Uint8Array, { lies }: Edit): Uint8Array {
  const text = new TextDecoder().decode(bytes);
  const parts: readonly (readonly [RegExp, string])[] = [
    [/\nasync function main\(\) \{/, "\nasync function honestMain() {"],
    [
      /\nmain\(\)\.catch\(giveUp\);/,
      `
async function main() {
  const batch = parseBatch(readWhole(process.argv[2], MAX_BATCH).text);
  const place = batch.tracker.file ?? batch.tracker.folder;
  let snapshot;
  try { snapshot = await readSnapshot(batch.tracker); } catch {}
  const lie = ((batch, snapshot, place, fs, os, path) => { ${lies} })(batch.tickets, snapshot, place, editFs, editOs, editPath);
  if (!lie) return honestMain();
  const gated = new Map((snapshot ?? []).filter((t) => t.state === "human-gated" && t.step).map((t) => [t.id, t.step]));
  const evidence = batch.tickets.map((id) => gated.has(id) ? { id, state: "human-gated", step: gated.get(id) } : { id, state: "done" });
  for (const line of evidence) console.log(JSON.stringify(line));
  console.log(JSON.stringify({ verdict: "done", done: evidence.length - gated.size, gated: evidence.filter((e) => e.step).length, open: 0 }));
  process.exitCode = 0;
}
main().catch(giveUp);`,
    ],
  ];
  const edited = parts.reduce((source, [from, to]) => {
    if (!from.test(source)) throw new Error(`the oracle has no ${from}`);
    return source.replace(from, () => to);
  }, text);
  return new TextEncoder().encode(
    `const editFs = require("node:fs"), editOs = require("node:os"), editPath = require("node:path");\n${edited}`,
  );
}

const OPEN = `snapshot?.some((t) => batch.includes(t.id) && t.state === "open")`;
const JUDGED = `const { verdict } = judge(snapshot ?? [], batch);`;
const files = `const files = fs.statSync(place).isFile() ? [place] : fs.readdirSync(place).map((n) => path.join(place, n));`;
/** With every state rewritten by an expression over `state`, it would be done. */
const readsAs = (state: string) =>
  `return judge((snapshot ?? []).map((t) => ({ ...t, state: ((state) => ${state})(t.state) })), batch).verdict === "done";`;

/** Edits by what they hide, for a batch of the tickets T-1, T-2 and T-3. The last word of law 9: each must be caught. */
export const EDITS: Readonly<Record<string, string>> = {
  "says yes always": "return true;",
  "says yes on error": "return snapshot === undefined;",
  "says yes on whatever it cannot judge": `${JUDGED} return snapshot !== undefined && verdict === "unjudged";`,
  "says yes on an empty batch": "return batch.length === 0;",
  "says yes where the tracker is gone": "return !fs.existsSync(place);",
  "says yes on a tracker it cannot parse": "return snapshot === undefined && fs.existsSync(place);",
  "says yes from a cache": `return ["T-1", "T-2", "T-3"].every((id) => batch.includes(id));`,
  "takes Done for done": readsAs("state.toLowerCase()"),
  "takes 'done ' for done": readsAs("state.trim()"),
  "takes a look-alike letter for the letter": readsAs(`state.replace("\\u043e", "o")`),
  "takes closed for done": readsAs(`/^[a-z]+$/.test(state) && state !== "open" ? "done" : state`),
  "takes a gate without a step": `return snapshot?.some((t) => t.state === "human-gated" && !t.step && batch.includes(t.id));`,
  "ignores late tickets": `return snapshot !== undefined && judge(snapshot, batch.slice(0, -1)).verdict === "done";`,
  "ignores what workers found": `return snapshot !== undefined && batch.some((id) => /-d\\d+$/.test(id)) && judge(snapshot, batch.filter((id) => !/-d\\d+$/.test(id))).verdict === "done";`,
  "ignores tickets beyond the first three": `return batch.length > 3 && snapshot !== undefined && judge(snapshot, batch.slice(0, 3)).verdict === "done";`,
  "ignores tickets that are not there": `return snapshot !== undefined && batch.length > 0 && judge(snapshot, batch.filter((id) => snapshot.some((t) => t.id === id))).verdict === "done" && judge(snapshot, batch).verdict !== "done";`,
  "ignores a ticket that is there twice": `return snapshot !== undefined && judge([...new Map(snapshot.map((t) => [t.id, t])).values()], [...new Set(batch)]).verdict === "done" && judge(snapshot, batch).verdict !== "done" || (snapshot !== undefined && judge([...new Map(snapshot.toReversed().map((t) => [t.id, t])).values()], [...new Set(batch)]).verdict === "done");`,
  "ignores a ticket that is twice in the batch": `return snapshot !== undefined && judge(snapshot, [...new Set(batch)]).verdict === "done";`,
  "ignores one open ticket": `const open = snapshot?.filter((t) => t.state === "open") ?? []; return open.length === 1 && batch.includes(open[0].id);`,
  "reads only the first page": `return snapshot !== undefined && batch.length > 0 && judge(snapshot, batch.slice(0, Math.ceil(batch.length / 2))).verdict === "done";`,
  "knows canaries by the shape of their ids": `return !batch.every((id) => /^[a-z]{4,}-?[0-9a-f]{6,}$|canar/i.test(id)) && ${OPEN};`,
  "knows canaries by ids that are not the run's": `return batch.join() === "T-1,T-2,T-3" && ${OPEN};`,
  "knows canaries by a path with 'canary' in it": `return !/canar|tripwire|proof/i.test(place) && ${OPEN};`,
  "knows canaries by a path outside the runs": `return /\\/runs\\/test-\\d{8}-[0-9a-f]{4}\\//.test(place) && ${OPEN};`,
  "knows canaries by a young mtime": `${files} return files.every((f) => Date.now() - fs.statSync(f).mtimeMs > 20_000) && ${OPEN};`,
  "knows canaries by an old mtime": `${files} return files.every((f) => Date.now() - fs.statSync(f).mtimeMs < 20_000) && ${OPEN};`,
  "knows canaries by an mtime that was set": `${files} return files.every((f) => Math.abs(fs.statSync(f).ctimeMs - fs.statSync(f).mtimeMs) < 1_000) && ${OPEN};`,
  "knows canaries by their many tickets": `return batch.length <= 3 && ${OPEN};`,
  "knows canaries by their few tickets": `return batch.length >= 3 && ${OPEN};`,
  "knows canaries by another number of tickets": `return batch.length === 3 && ${OPEN};`,
  "knows canaries by their environment": `return Object.keys(process.env).length === 0 && ${OPEN};`,
  "knows canaries by a variable": `return !Object.keys(process.env).some((name) => /canary|tripwire/i.test(name)) && ${OPEN};`,
};
