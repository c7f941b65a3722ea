// GitLab as a tracker for loopdash: the issues of GITLAB_PROJECT ("group/name", or a number) with the label GITLAB_LABEL.
// A closed issue is done. Else the label human-gated tells, and the step is in the last note that begins with "Left to a person: ".
// The id of an issue is what its label loopdash-id:… says, or else issue-<number>. GITLAB_TOKEN needs the scope "api".
import { json } from "node:stream/consumers";

process.on("uncaughtException", ({ message }) => process.stderr.write(`${message}\n`, () => process.exit(1)));
const { GITLAB_URL = "https://gitlab.com", GITLAB_TOKEN, GITLAB_PROJECT, GITLAB_LABEL = "loopdash" } = process.env;
const verb = process.argv.at(-1);
const [ID, REPO, GATED, STEP] = ["loopdash-id:", "repo:", "human-gated", "Left to a person: "];
const STATES = { opened: "open", closed: "done" };

async function call(method, path, body) {
  const url = `${GITLAB_URL}/api/v4/projects/${encodeURIComponent(GITLAB_PROJECT)}/issues${path}`;
  const headers = { "private-token": GITLAB_TOKEN, "content-type": "application/json" };
  const response = await fetch(url, { method, headers, body: JSON.stringify(body), signal: AbortSignal.timeout(20_000) });
  if (!response.ok) throw new Error(`GitLab: ${method} ${path}: ${response.status} ${(await response.text()).slice(0, 300)}`);
  return { answer: await response.json(), nextPage: response.headers.get("x-next-page") };
}

async function list(label, before) {
  const issues = [];
  for (let page = "1"; page; ) {
    const filter = new URLSearchParams({
      scope: "all",
      state: "all",
      order_by: "created_at",
      sort: "asc",
      per_page: 100,
      page,
      ...label,
    });
    const { answer, nextPage } = await call("GET", `?${filter}`);
    issues.push(...answer);
    if (!nextPage && page === "1") return issues;
    page = nextPage;
  }
  const now = JSON.stringify(issues); // several pages are of one instant if they are the same twice
  return now === before ? issues : list(label, now);
}

const print = (...lines) => process.stdout.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
const query = () => list({ labels: GITLAB_LABEL });
const labelOf = ({ labels }, prefix) => labels.find((name) => name.startsWith(prefix))?.slice(prefix.length);
const idOf = (issue) => labelOf(issue, ID) ?? `issue-${issue.iid}`;
const isState = (it, { state, step }) => it.state === state && (state !== GATED || it.step.trim() === step.trim());
const note = (iid, text) => text && call("POST", `/${iid}/notes`, { body: shielded(text) });
// GitLab takes a line that begins with a slash for a command ("/close") and removes it. A backslash before it is plain Markdown.
const shielded = (text) => text.replace(/^(?=\\*\/)/gm, "\\");
const unshielded = (text) => text.replace(/^\\(?=\\*\/)/gm, "");

async function ticket(issue) {
  const { description, iid, title, updated_at: version, web_url: url } = issue;
  const isGated = issue.state === "opened" && issue.labels.includes(GATED);
  const state = isGated ? GATED : STATES[issue.state];
  const common = { id: idOf(issue), title, body: unshielded(description ?? ""), state, repo: labelOf(issue, REPO), version, url };
  if (!isGated) return common;
  const { answer: notes } = await call("GET", `/${iid}/notes?sort=desc&order_by=created_at&per_page=100`);
  const step = notes
    .find(({ body, system }) => !system && body.startsWith(STEP))
    ?.body.slice(STEP.length)
    .split(/\r?\n/)[0];
  return { ...common, step: step?.trim() || `see the notes of issue ${iid}` };
}

const verbs = {
  async snapshot() {
    const tickets = await Promise.all((await query()).map(ticket));
    print(...tickets, { tickets: tickets.length });
  },
  async taken() {
    const issues = await list();
    print(...issues.map((issue) => ({ id: idOf(issue) })), { taken: issues.length });
  },
  async set({ id, state, step, note: text, from }) {
    const { iid } = (await query()).find((issue) => idOf(issue) === id) ?? {};
    if (!iid) throw new Error(`there is no ticket ${id}`);
    const before = await ticket((await call("GET", `/${iid}`)).answer);
    if (from?.every((allowed) => !isState(before, allowed))) return print({ conflict: before });
    if (isState(before, { state, step })) return print({ before, after: before });
    await note(iid, state === GATED ? `${STEP}${step}\n\n${text}` : text);
    const isClosed = before.state === "done";
    const event = state === "done" ? !isClosed && "close" : isClosed && "reopen";
    const label = { [state === GATED ? "add_labels" : "remove_labels"]: GATED };
    await call("PUT", `/${iid}`, { ...label, ...(event && { state_event: event }) });
    print({ before, after: await ticket((await call("GET", `/${iid}`)).answer) });
  },
  async file({ id, title, body, repo, note: text }) {
    let issue = (await list()).find((one) => idOf(one).toLowerCase() === id.toLowerCase());
    if (issue && (idOf(issue) !== id || issue.title !== title)) return print({ taken: idOf(issue) });
    if (!issue) {
      const labels = [GITLAB_LABEL, ID + id, REPO + repo].join();
      ({ answer: issue } = await call("POST", "", { title, description: shielded(body), labels }));
      await note(issue.iid, text);
    }
    print({ filed: await ticket((await call("GET", `/${issue.iid}`)).answer) });
  },
};

if (!Object.hasOwn(verbs, verb)) throw new Error(`unknown verb ${verb}`);
await verbs[verb](verb === "set" || verb === "file" ? await json(process.stdin) : undefined);
