import { type ApiAnswer, type ApiRequest, type StandIn, serve } from "./stand-in.ts";

/** Statuses under names that say nothing: only their categories count. */
const STATUSES = [
  { name: "Backlog", statusCategory: { key: "new", name: "To Do" } },
  { name: "Fertig zur Prüfung", statusCategory: { key: "indeterminate", name: "In Progress" } },
  { name: "Abgelegt", statusCategory: { key: "done", name: "Done" } },
] as const;
type Status = (typeof STATUSES)[number];

interface Fields {
  summary: string;
  description: string | null;
  labels: string[];
  status: Status;
  updated: string;
}

interface Issue {
  readonly key: string;
  fields: Fields;
  readonly comments: { readonly body: string }[];
}

/** The search follows writes with a delay, as Jira's index does. Milliseconds. */
const INDEX_MS = 300;
/** Jira may give fewer issues than a page was asked to have. */
const PAGE = 2;
const AUTHORIZATION = `Basic ${Buffer.from("me@example.com:t0ken").toString("base64")}`;
const NOT_FOUND: ApiAnswer = {
  status: 404,
  body: { errorMessages: ["Issue does not exist or you do not have permission to see it."] },
};

/** A stand-in for the part of Jira Cloud's REST API (version 2) that the example uses: one project, APP, of me@example.com. */
export function serveJira(): Promise<StandIn> {
  const issues: Issue[] = [];
  let indexed: { readonly key: string; readonly fields: Fields }[] = [];
  let writes = 0;
  /** A write to an issue: a new time, and soon the search finds it. */
  const touch = (issue: Issue): void => {
    writes += 1;
    issue.fields.updated = new Date(writes).toISOString();
    const now = structuredClone(issues.map(({ key, fields }) => ({ key, fields })));
    setTimeout(() => {
      indexed = now;
    }, INDEX_MS);
  };
  const create = (fields: Partial<Fields>): Issue => {
    const rest = { summary: "", description: null, labels: [], ...fields, status: STATUSES[0], updated: "" };
    const issue = { key: `APP-${issues.length + 1}`, fields: rest, comments: [] };
    issues.push(issue);
    touch(issue);
    return issue;
  };
  create({ summary: "An issue of people", labels: ["loopdash"] });
  create({ summary: "An issue that is not for loopdash" });
  indexed = structuredClone(issues);

  const search = ({ jql, nextPageToken = "0" }: { jql?: string; nextPageToken?: string }): ApiAnswer => {
    const [, project, label] = /^project = "([^"]+)"(?: AND labels = "([^"]+)")? ORDER BY key$/.exec(jql ?? "") ?? [];
    if (project !== "APP") return { status: 400, body: { errorMessages: ["Error in the JQL Query"] } };
    const found = indexed.filter(({ fields }) => label === undefined || fields.labels.includes(label));
    const end = Number(nextPageToken) + PAGE;
    const page = { issues: found.slice(Number(nextPageToken), end), isLast: end >= found.length };
    return { body: { ...page, ...(end < found.length && { nextPageToken: String(end) }) } };
  };
  const change = (issue: Issue, { update }: { update?: { labels?: readonly { add?: string; remove?: string }[] } }): void => {
    for (const { add, remove } of update?.labels ?? []) {
      if (remove !== undefined) issue.fields.labels = issue.fields.labels.filter((label) => label !== remove);
      if (add !== undefined && !issue.fields.labels.includes(add)) issue.fields.labels.push(add);
    }
    touch(issue);
  };
  const transition = (issue: Issue, id: string): ApiAnswer => {
    const status = STATUSES[Number(id) - 11];
    if (status === undefined)
      return {
        status: 400,
        body: { errorMessages: ["It seems that you have tried to perform a workflow operation that is not valid."] },
      };
    issue.fields.status = status;
    touch(issue);
    return { status: 204 };
  };
  const ofIssue = ({ body, method }: ApiRequest, issue: Issue, rest: string): ApiAnswer => {
    switch (`${method} ${rest}`) {
      case "GET ":
        return { body: issue };
      case "PUT ":
        change(issue, body);
        return { status: 204 };
      case "GET comment":
        return { body: { comments: issue.comments.toReversed(), total: issue.comments.length } };
      case "POST comment":
        issue.comments.push({ body: String(body["body"]) });
        touch(issue);
        return { status: 201, body: {} };
      case "GET transitions": {
        const to = STATUSES.map((status, i) => ({ id: String(i + 11), name: `to ${status.name}`, to: status }));
        return { body: { transitions: to.filter((each) => each.to !== issue.fields.status) } };
      }
      case "POST transitions":
        return transition(issue, (body["transition"] as { id: string }).id);
      default:
        return NOT_FOUND;
    }
  };

  return serve("/rest/api/2/", (request) => {
    if (request.headers["authorization"] !== AUTHORIZATION)
      return { status: 401, body: { errorMessages: ["Client must be authenticated"] } };
    if (request.path === "search/jql") return search(request.body);
    if (request.path === "issue" && request.method === "POST") {
      const { key } = create(request.body["fields"] as Partial<Fields>);
      return { status: 201, body: { id: "1", key } };
    }
    const [, key, rest = ""] = /^issue\/([^/]+)(?:\/(\w+))?$/.exec(request.path) ?? [];
    const issue = issues.find((each) => each.key === key);
    return issue === undefined ? NOT_FOUND : ofIssue(request, issue, rest);
  });
}
