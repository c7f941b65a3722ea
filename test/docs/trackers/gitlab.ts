import { type ApiAnswer, type ApiRequest, type StandIn, serve } from "./stand-in.ts";

interface Issue {
  readonly iid: number;
  readonly title: string;
  readonly description: string | null;
  readonly web_url: string;
  state: "opened" | "closed";
  labels: string[];
  updated_at: string;
}

const PAGE = 2;
const NOT_FOUND: ApiAnswer = { status: 404, body: { message: "404 Not found" } };

/** A stand-in for the part of GitLab's REST API (version 4) that the example uses: the issues of one project, team/app. */
export function serveGitLab(): Promise<StandIn> {
  const issues: Issue[] = [];
  let writes = 0;
  const now = (): string => {
    writes += 1;
    return new Date(writes).toISOString();
  };
  const notes = new Map<number, { readonly body: string; readonly system: boolean }[]>();

  /** Quick actions are executed and removed from the text, as GitLab does with lines that begin with one. */
  const withoutActions = (issue: Pick<Issue, "iid" | "state">, text: string): string =>
    text.replace(/^\/(close|reopen)$\n?/gm, (_, action: string) => {
      issue.state = action === "close" ? "closed" : "opened";
      return "";
    });
  const create = ({ title = "", description = "", labels = "" }: Readonly<Record<string, unknown>>): Issue => {
    const iid = issues.length + 1;
    const state: { state: Issue["state"]; readonly iid: number } = { state: "opened", iid };
    const text = withoutActions(state, String(description));
    const names = String(labels).split(",").filter(Boolean);
    const issue = {
      ...state,
      title: String(title),
      description: text === "" ? null : text,
      labels: names,
      updated_at: now(),
      web_url: `https://gitlab.example/team/app/-/issues/${iid}`,
    };
    issues.push(issue);
    notes.set(iid, []);
    return issue;
  };
  create({ title: "An issue of people", labels: "loopdash" });
  create({ title: "An issue that is not for loopdash" });

  const list = ({ query }: ApiRequest): ApiAnswer => {
    const label = query.get("labels");
    const found = issues.filter(({ labels }) => label === null || labels.includes(label));
    const page = Number(query.get("page") ?? "1");
    const next = page * PAGE < found.length ? String(page + 1) : "";
    return { body: found.slice((page - 1) * PAGE, page * PAGE), headers: { "x-next-page": next } };
  };
  const change = (issue: Issue, { add_labels, remove_labels, state_event }: Readonly<Record<string, unknown>>): ApiAnswer => {
    issue.labels = issue.labels.filter((label) => label !== remove_labels);
    if (typeof add_labels === "string" && !issue.labels.includes(add_labels)) issue.labels.push(add_labels);
    if (state_event === "close") issue.state = "closed";
    if (state_event === "reopen") issue.state = "opened";
    issue.updated_at = now();
    notes.get(issue.iid)?.push({ body: "changed the issue", system: true });
    return { body: issue };
  };
  const ofIssue = ({ body, method }: ApiRequest, issue: Issue, rest: string): ApiAnswer => {
    switch (`${method} ${rest}`) {
      case "GET ":
        return { body: issue };
      case "PUT ":
        return change(issue, body);
      case "GET notes":
        return { body: notes.get(issue.iid)?.toReversed() };
      case "POST notes":
        notes.get(issue.iid)?.push({ body: withoutActions(issue, String(body["body"])), system: false });
        issue.updated_at = now();
        return { status: 201, body: {} };
      default:
        return NOT_FOUND;
    }
  };

  return serve("/api/v4/projects/team%2Fapp/issues", (request) => {
    if (request.headers["private-token"] !== "t0ken") return { status: 401, body: { message: "401 Unauthorized" } };
    if (request.path === "") return request.method === "POST" ? { status: 201, body: create(request.body) } : list(request);
    const [, iid, rest = ""] = /^\/(\d+)(?:\/(\w+))?$/.exec(request.path) ?? [];
    const issue = issues.find((each) => String(each.iid) === iid);
    return issue === undefined ? NOT_FOUND : ofIssue(request, issue, rest);
  });
}
