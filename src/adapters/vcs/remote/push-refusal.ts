/** A remote's words about a push that failed by its own fault: a full disk, a lock, a crash. They say nothing about the push. */
const OWN_FAULT =
  /unpacker error|failed to (?:lock|update ref|write)|cannot lock ref|internal (?:server )?error|time-?out|unable to migrate/i;

/** A branch whose name another one's is in the way of (`a` and `a/b`): no time mends that. Words of git's files and reftable backends. */
const IN_THE_WAY = /\bdirectory file conflict\b|\bcannot lock ref '[^']*': '[^']*' exists; cannot create\b/i;

/** Refusals of what a change holds: GitHub's GH001 (large files) and push protection. */
const CONTENT = /\bGH00[12]\b|push protection|\bsecrets?\b|\blarge files?\b|\bfile size\b|\bexceeds\b/i;

/** Beginnings of what GitHub, GitLab, Gitea, Bitbucket, Azure DevOps and git-receive-pack(1) say about who may push where. */
const RIGHTS =
  /^(?:- |GitLab: |Gitea: |TF\d+: )*(?:GH006\b|protected branch|you (?:are|have) (?:not allowed to push|insufficient permission)|not allowed to push|permission to \S+ denied|insufficient permission|write access\b|.{0,20}\bread.?only$|branch is currently checked out|branch \S+ can only be modified through|pushes to this branch are not permitted|changes must be made through|cannot (?:create|update) (?:ref|this protected ref)|(?:\d+ of \d+ )?required status checks?\b|commits must have verified signatures)/i;

/** The words of a remote about a push that it has refused. */
export interface RefusalWords {
  /** The words in brackets, which are git's or the server's: no hook writes them. */
  readonly why: string;
  /** Lines of hooks, which may quote what the change holds. */
  readonly told: readonly string[];
}

/** Splits what git prints about a refused push: the line of its branch (git-push(1), OUTPUT), and what came from the remote. */
export function refusalWords(line: string, stderr: string): RefusalWords {
  const why = /\(([^)]*)\)\s*$/.exec(line)?.[1] ?? "it does not say why";
  const told = stderr.split("\n").flatMap((each) => {
    const said = /^remote: +(?:error: )?(.*\S)\s*$/.exec(each)?.[1];
    return said === undefined ? [] : [said];
  });
  return { why, told };
}

/** True if the remote failed by itself. Words of hooks do not count: they may quote a name that the change chose. */
export function isOwnFault(words: RefusalWords): boolean {
  return OWN_FAULT.test(words.why) && !isInTheWay(words);
}

/** True if another branch is in the way. Lines that come with git's own failure are no hook's. */
function isInTheWay({ why, told }: RefusalWords): boolean {
  return IN_THE_WAY.test(why) || (OWN_FAULT.test(why) && told.some((each) => IN_THE_WAY.test(each)));
}

/** True if the refusal is about who may push there, whatever the change is. Only how a line begins counts: a name comes later in it. */
export function isForbidden(refusal: RefusalWords): boolean {
  const words = [refusal.why, ...refusal.told];
  if (isInTheWay(refusal)) return true;
  return !words.some((each) => CONTENT.test(each)) && words.some((each) => RIGHTS.test(each));
}
