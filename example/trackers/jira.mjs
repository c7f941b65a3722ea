// Jira Cloud as a tracker for loopdash: the issues of JIRA_PROJECT with the label JIRA_LABEL. JIRA_TOKEN is a token of JIRA_EMAIL.
// An issue is done if its status is in the category "done", by whatever name. Else the label human-gated tells, and the step is in
// the last comment that begins with "Left to a person: ". Its id is what its label loopdash-id:… says, or else its key.
import { json } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

process.on("uncaughtException", ({ message }) => process.stderr.write(`${message}\n`, () => process.exit(1)));
const { JIRA_URL, JIRA_EMAIL, JIRA_TOKEN, JIRA_PROJECT, JIRA_LABEL = "loopdash", JIRA_ISSUE_TYPE = "Task" } = process.env;
const verb = process.argv.at(-1);
const [ID, REPO, GATED, STEP] = ["loopdash-id:", "repo:", "human-gated", "Left to a person: "];
const STATES = { new: "open", indeterminate: "open", done: "done" }; // by category
const FIELDS = ["summary", "description", "labels", "status", "updated"];
const PROJECT = `project = "${JIRA_PROJECT}"`;
const QUERY = `${PROJECT} AND labels = "${JIRA_LABEL}"`;

async function call(method, path, body) {
  const authorization = `Basic ${Buffer.from(`${JIRA_EMAIL}:${JIRA_TOKEN}`).toString("base64")}`;
  const options = { method, headers: { authorization, "content-type": "application/json" }, signal: AbortSignal.timeout(20_000) };
  const response = await fetch(`${JIRA_URL}/rest/api/2/${path}`, { ...options, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`Jira: ${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  return text === "" ? undefined : JSON.parse(text);
}

async function search(jql, before) {
  const pages = [];
  do {
    const { nextPageToken } = pages.at(-1) ?? {};
    pages.push(await call("POST", "search/jql", { jql: `${jql} ORDER BY key`, fields: FIELDS, maxResults: 100, nextPageToken }));
  } while (pages.at(-1).nextPageToken);
  const issues = pages.flatMap((page) => page.issues);
  const now = JSON.stringify(issues); // several pages are of one instant if they are the same twice
  return pages.length === 1 || now === before ? issues : search(jql, now);
}

const print = (...lines) => process.stdout.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
const read = (key) => call("GET", `issue/${key}?fields=${FIELDS}`);
const labelOf = ({ fields }, prefix) => fields.labels.find((name) => name.startsWith(prefix))?.slice(prefix.length);
const idOf = (issue) => labelOf(issue, ID) ?? issue.key;
const isState = (it, { state, step }) => it.state === state && (state !== GATED || it.step.trim() === step.trim());
const relabel = (key, act) => call("PUT", `issue/${key}`, { update: { labels: [{ [act]: GATED }] } });
const comment = (key, body) => body && call("POST", `issue/${key}/comment`, { body });

function stateOf({ key, fields }) {
  const state = STATES[fields.status.statusCategory.key];
  if (!state) throw new Error(`the status of ${key} has no category`);
  return state === "open" && fields.labels.includes(GATED) ? GATED : state;
}

async function ticket(issue) {
  const { key, fields } = issue;
  const [id, state, repo] = [idOf(issue), stateOf(issue), labelOf(issue, REPO)];
  const common = {
    id,
    title: fields.summary,
    body: fields.description ?? "",
    state,
    version: fields.updated,
    url: `${JIRA_URL}/browse/${key}`,
  };
  if (state !== GATED) return { ...common, repo };
  const { comments } = await call("GET", `issue/${key}/comment?orderBy=-created&maxResults=100`);
  const step = comments
    .find(({ body }) => body.startsWith(STEP))
    ?.body.slice(STEP.length)
    .split(/\r?\n/)[0];
  return { ...common, repo, step: step?.trim() || `see the comments of ${key}` };
}

async function move(key, categories) {
  const { transitions } = await call("GET", `issue/${key}/transitions`);
  const [way] = categories.flatMap((category) => transitions.filter(({ to }) => to.statusCategory.key === category));
  if (!way) throw new Error(`${key} has no transition to a status of the category ${categories.join(" or ")}`);
  await call("POST", `issue/${key}/transitions`, { transition: { id: way.id } });
}

async function found(key) {
  const issue = await read(key); // the search is behind by some seconds
  const isIt = (one) => one.key === key && one.fields.updated === issue.fields.updated;
  while (!(await search(QUERY)).some(isIt)) await pause(500);
  return ticket(issue);
}

const verbs = {
  async snapshot() {
    const tickets = await Promise.all((await search(QUERY)).map(ticket));
    print(...tickets, { tickets: tickets.length });
  },
  async taken() {
    const ids = new Set((await search(PROJECT)).flatMap((issue) => [issue.key, idOf(issue)]));
    print(...[...ids].map((id) => ({ id })), { taken: ids.size });
  },
  async set({ id, state, step, note, from }) {
    const { key } = (await search(QUERY)).find((issue) => idOf(issue) === id) ?? {};
    if (!key) throw new Error(`there is no ticket ${id}`);
    const before = await ticket(await read(key));
    if (from?.every((allowed) => !isState(before, allowed))) return print({ conflict: before });
    if (isState(before, { state, step })) return print({ before, after: before });
    await comment(key, state === GATED ? `${STEP}${step}\n\n${note}` : note);
    if (state === GATED) await relabel(key, "add");
    if ((state === "done") !== (before.state === "done")) await move(key, state === "done" ? ["done"] : ["new", "indeterminate"]);
    if (state !== GATED) await relabel(key, "remove");
    print({ before, after: await found(key) });
  },
  async file({ id, title, body, repo, note }) {
    const isIt = (issue) => [issue.key, idOf(issue)].some((name) => name.toLowerCase() === id.toLowerCase());
    let issue = (await search(PROJECT)).find(isIt);
    if (issue && (idOf(issue) !== id || issue.fields.summary !== title)) return print({ taken: idOf(issue) });
    if (!issue) {
      const labels = [JIRA_LABEL, ID + id, REPO + repo];
      const kind = { project: { key: JIRA_PROJECT }, issuetype: { name: JIRA_ISSUE_TYPE } };
      issue = await call("POST", "issue", { fields: { ...kind, summary: title, description: body, labels } });
      await comment(issue.key, note);
      return print({ filed: await found(issue.key) });
    }
    print({ filed: await ticket(await read(issue.key)) });
  },
};

if (!Object.hasOwn(verbs, verb)) throw new Error(`unknown verb ${verb}`);
await verbs[verb](verb === "set" || verb === "file" ? await json(process.stdin) : undefined);
