/** An oracle of a person's own for embedded trackers: exit codes and nothing else. `also` is what else it takes for done. */
export const OWN = (also = "false", before = "") => `import fs from "node:fs";
try {
  const batch = JSON.parse(fs.readFileSync(process.argv.at(-1), "utf8"));
  ${before}
  const { tickets } = JSON.parse(fs.readFileSync(batch.tracker.file, "utf8").slice(0, 1e7));
  const ids = new Set(tickets.map((t) => t.id));
  const bad = tickets.some((t) => !["open", "done", "human-gated"].includes(t.state));
  if (batch.tickets.length === 0 || new Set(batch.tickets).size !== batch.tickets.length || ids.size !== tickets.length || bad) process.exit(2);
  const all = batch.tickets.map((id) => tickets.find((t) => t.id === id));
  process.exit(all.includes(undefined) ? 2 : all.every((t) => t.state === "done" || (t.state === "human-gated" && t.humanStep?.trim()) || (${also})) ? 0 : 1);
} catch { process.exit(2); }
`;
