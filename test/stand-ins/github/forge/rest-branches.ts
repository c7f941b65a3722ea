import type { RestAnswer } from "../rest.ts";
import { type At, repositoryBody } from "./bodies.ts";
import { protectionOf } from "./checks.ts";
import { branches, branchTip, git } from "./git.ts";
import type { Found } from "./host.ts";
import type { Protection } from "./model.ts";
import { Refusal } from "./refusal.ts";
import { type ForgeRequest, listAnswer, type Routes } from "./rest-request.ts";

/** The repository, its branches, and what protects them. */
export const branchRoutes: Routes = {
  "get ": (request) => ({
    status: 200,
    body: repositoryBody(request, request.found, { canPush: request.canWrite, isAdmin: request.isAdmin }),
  }),
  "get /branches/{branch}": branch,
  "get /branches/{branch}/protection/required_status_checks": requiredChecks,
  "get /rules/branches/{branch}": (request) => {
    const protection = protectionOf(request.found.forge, branchName(request));
    const rules = protection === undefined || protection.source === "classic" ? [] : rulesOf(request.found, protection);
    return listAnswer(request, rules, (rule) => rule);
  },
  "get /git/ref/{ref}": reference,
  "delete /git/refs/{ref}": deleteReference,
};

function branchName({ operation }: ForgeRequest): string {
  return operation.parameters["branch"] ?? "";
}

async function branch(request: ForgeRequest): Promise<RestAnswer> {
  const { found, web } = request;
  const name = branchName(request);
  const sha = await branchTip(found.folder, name);
  if (sha === undefined) throw new Refusal(404, "Branch not found");
  const url = `${request.api}/repos/${found.repo.fullName}/branches/${encodeURIComponent(name)}`;
  const protection = protectionOf(found.forge, name);
  const isClassic = protection !== undefined && protection.source !== "rules";
  const contexts = isClassic ? protection.contexts : [];
  const level = isClassic && contexts.length > 0 ? "non_admins" : "off";
  return {
    status: 200,
    body: {
      name,
      commit: await commitBody(request, found, sha),
      _links: { html: `${web}/${found.repo.fullName}/tree/${name}`, self: url },
      protected: protection !== undefined,
      protection: {
        enabled: isClassic,
        required_status_checks: { enforcement_level: level, contexts, checks: checksOf(contexts) },
      },
      protection_url: `${url}/protection`,
    },
  };
}

async function commitBody({ api, web }: At, { repo, folder }: Found, sha: string): Promise<object> {
  const text = await git(folder, ["show", "-s", "--date=unix", "--format=%T%n%P%n%an%n%ae%n%ad%n%B", sha]);
  const [tree = "", parents = "", name = "", email = "", seconds = "0", ...lines] = text.split("\n");
  const url = `${api}/repos/${repo.fullName}/commits`;
  const date = new Date(Number(seconds) * 1000).toISOString();
  return {
    sha,
    node_id: `C_${sha}`,
    url: `${url}/${sha}`,
    html_url: `${web}/${repo.fullName}/commit/${sha}`,
    comments_url: `${url}/${sha}/comments`,
    author: null,
    committer: null,
    parents: parents
      .split(" ")
      .filter((parent) => parent !== "")
      .map((parent) => ({ sha: parent, url: `${url}/${parent}`, html_url: `${web}/${repo.fullName}/commit/${parent}` })),
    commit: {
      url: `${url}/${sha}`,
      author: { name, email, date },
      committer: { name: "GitHub", email: "noreply@github.com", date },
      message: lines.join("\n").trim(),
      tree: { sha: tree, url: `${url}/${tree}` },
      comment_count: 0,
    },
  };
}

/** Only administrators may read protection, as most tokens find out. */
function requiredChecks(request: ForgeRequest): RestAnswer {
  const { found, api, isAdmin } = request;
  const name = branchName(request);
  if (!isAdmin) throw new Refusal(404, "Not Found");
  const protection = protectionOf(found.forge, name);
  if (protection === undefined || protection.source === "rules") throw new Refusal(404, "Branch not protected");
  if (protection.contexts.length === 0) throw new Refusal(404, "Required status checks not enabled");
  const url = `${api}/repos/${found.repo.fullName}/branches/${encodeURIComponent(name)}/protection/required_status_checks`;
  const { contexts, isStrict } = protection;
  return { status: 200, body: { url, strict: isStrict, contexts, checks: checksOf(contexts), contexts_url: `${url}/contexts` } };
}

function checksOf(contexts: readonly string[]): readonly object[] {
  return contexts.map((context) => ({ context, app_id: null }));
}

/** A protection as rules. */
function rulesOf({ repo, forge }: Found, protection: Protection): readonly object[] {
  const ruleset = { ruleset_source_type: "Repository", ruleset_source: repo.fullName, ruleset_id: 1 };
  const { contexts, isStrict, approvals, dismissesStale, resolvesThreads, hasLinearHistory, mergeQueue } = protection;
  const { settings } = forge;
  const methods = [
    ...(settings.allowMerge ? ["merge"] : []),
    ...(settings.allowSquash ? ["squash"] : []),
    ...(settings.allowRebase ? ["rebase"] : []),
  ];
  const rules: { readonly type: string; readonly parameters?: object }[] = [
    {
      type: "pull_request",
      parameters: {
        allowed_merge_methods: methods,
        dismiss_stale_reviews_on_push: dismissesStale,
        require_code_owner_review: false,
        require_last_push_approval: false,
        required_approving_review_count: approvals,
        required_review_thread_resolution: resolvesThreads,
      },
    },
  ];
  if (contexts.length > 0) {
    const required = contexts.map((context) => ({ context }));
    rules.push({
      type: "required_status_checks",
      parameters: { required_status_checks: required, strict_required_status_checks_policy: isStrict },
    });
  }
  if (hasLinearHistory) rules.push({ type: "required_linear_history" });
  if (mergeQueue !== null)
    rules.push({
      type: "merge_queue",
      parameters: {
        check_response_timeout_minutes: 60,
        grouping_strategy: "ALLGREEN",
        max_entries_to_build: 1,
        max_entries_to_merge: 1,
        merge_method: mergeQueue.toUpperCase(),
        min_entries_to_merge: 1,
        min_entries_to_merge_wait_minutes: 0,
      },
    });
  return rules.map((rule) => ({ ...rule, ...ruleset }));
}

async function reference({ found, operation, api }: ForgeRequest): Promise<RestAnswer> {
  const ref = operation.parameters["ref"] ?? "";
  const sha = ref.startsWith("heads/") ? await branchTip(found.folder, ref.slice("heads/".length)) : undefined;
  if (sha === undefined) throw new Refusal(404, "Not Found");
  const url = `${api}/repos/${found.repo.fullName}/git`;
  const object = { type: "commit", sha, url: `${url}/commits/${sha}` };
  return { status: 200, body: { ref: `refs/${ref}`, node_id: `REF_${ref}`, url: `${url}/refs/${ref}`, object } };
}

async function deleteReference({ found, forge, operation }: ForgeRequest): Promise<RestAnswer> {
  const { folder, repo } = found;
  const name = (operation.parameters["ref"] ?? "").replace(/^heads\//, "");
  const before = await branches(folder);
  if (!before.has(name)) throw new Refusal(422, "Reference does not exist");
  if (protectionOf(found.forge, name) !== undefined) throw new Refusal(422, "Cannot delete protected branch");
  await git(folder, ["update-ref", "-d", `refs/heads/${name}`]);
  await forge.pulls.pushed(repo.fullName, before, await branches(folder));
  return { status: 204, isWrite: true };
}
