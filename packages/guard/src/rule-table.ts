/** The families of rules. Each can be switched off. */
export const FAMILIES = {
  files: "File deletion",
  git: "Git history",
  publish: "Publishing",
  infrastructure: "Machines and cloud",
  databases: "Databases",
  secrets: "Secrets",
  code: "Code that cannot be read",
} as const;

export type Family = keyof typeof FAMILIES;

interface Rule {
  readonly family: Family;
  /** One sentence: what is wrong with the command. */
  readonly reason: string;
  /** A command line that the guard allows (tested). */
  readonly alternative: string;
}

/** All rules by id. Ids are stable: settings and logs name them. */
export const RULES = {
  "delete-root": {
    family: "files",
    reason: "It deletes the root folder, a home folder or the whole worktree.",
    alternative: "git clean -nd",
  },
  "delete-outside": {
    family: "files",
    reason: "It deletes files outside the worktree and the folders for temporary files.",
    alternative: "rm -rf ./dist",
  },
  "delete-unknown": {
    family: "files",
    reason: "It deletes folders whose names are not known before it runs; an empty value can mean everything.",
    alternative: "ls -d -- ./dist",
  },
  "delete-repository": {
    family: "files",
    reason: "It deletes or moves the data of the git repository.",
    alternative: "git status",
  },
  "move-outside": {
    family: "files",
    reason: "It moves away a folder outside the worktree, or the whole worktree.",
    alternative: "cp -r ./src /tmp/src",
  },
  "overwrite-disk": {
    family: "files",
    reason: "It overwrites a disk or a partition.",
    alternative: "lsblk",
  },
  "write-protected": {
    family: "files",
    reason: "It changes a file of the system, of the git repository, of a shell's start or of a login.",
    alternative: "tee ./proposed-change.txt",
  },
  "change-permissions": {
    family: "files",
    reason: "It changes owners or permissions of whole folders outside the worktree.",
    alternative: "chmod -R u+rwX ./dist",
  },
  "git-reset": {
    family: "git",
    reason: "It discards uncommitted changes.",
    alternative: "git stash push --include-untracked",
  },
  "git-clean": {
    family: "git",
    reason: "It deletes untracked files for good.",
    alternative: "git clean -n -d",
  },
  "git-discard": {
    family: "git",
    reason: "It overwrites uncommitted changes of files.",
    alternative: "git stash push --include-untracked",
  },
  "git-remove": {
    family: "git",
    reason: "It removes whole folders with their uncommitted changes.",
    alternative: "git rm -r --cached ./dist",
  },
  "git-force-push": {
    family: "git",
    reason: "It overwrites the history of the remote.",
    alternative: "git push --force-with-lease",
  },
  "git-push-protected": {
    family: "git",
    reason: "It pushes to a branch that people merge into.",
    alternative: "git push -u origin HEAD:refs/heads/feature",
  },
  "git-delete-remote": {
    family: "git",
    reason: "It deletes branches or tags at the remote.",
    alternative: "git ls-remote --heads origin",
  },
  "git-delete-branch": {
    family: "git",
    reason: "It deletes or moves a branch although its commits may be nowhere else.",
    alternative: "git branch -d feature",
  },
  "git-drop-stash": {
    family: "git",
    reason: "It deletes stashed changes.",
    alternative: "git stash list",
  },
  "git-expire": {
    family: "git",
    reason: "It deletes commits that only the reflog still knows.",
    alternative: "git gc --auto",
  },
  "git-rewrite": {
    family: "git",
    reason: "It rewrites the whole history.",
    alternative: "git revert --no-edit HEAD",
  },
  "git-remove-worktree": {
    family: "git",
    reason: "It deletes a worktree with its uncommitted changes.",
    alternative: "git worktree list",
  },
  "git-hooks-off": {
    family: "git",
    reason: "It switches off the hooks that the repository's people have set up.",
    alternative: "git commit -m done",
  },
  "git-delete-ref": {
    family: "git",
    reason: "It deletes a reference without any check.",
    alternative: "git for-each-ref",
  },
  "publish-npm": {
    family: "publish",
    reason: "It publishes or withdraws a package of npm.",
    alternative: "npm publish --dry-run",
  },
  "publish-crate": {
    family: "publish",
    reason: "It publishes or withdraws a crate.",
    alternative: "cargo publish --dry-run",
  },
  "publish-python": {
    family: "publish",
    reason: "It publishes a Python package.",
    alternative: "python -m build",
  },
  "publish-package": {
    family: "publish",
    reason: "It publishes a package.",
    alternative: "git archive --output=./package.tar.gz HEAD",
  },
  "publish-image": {
    family: "publish",
    reason: "It publishes a container image.",
    alternative: "docker build -t app .",
  },
  "publish-release": {
    family: "publish",
    reason: "It publishes or deletes a release.",
    alternative: "gh release list",
  },
  "merge-pull-request": {
    family: "publish",
    reason: "It merges a pull request.",
    alternative: "gh pr checks",
  },
  "change-repository": {
    family: "publish",
    reason: "It deletes or changes something at the forge that a person decides about.",
    alternative: "gh repo view",
  },
  deploy: {
    family: "publish",
    reason: "It deploys to production.",
    alternative: "npm run build",
  },
  "terraform-destroy": {
    family: "infrastructure",
    reason: "It destroys infrastructure, or changes it without a person's approval.",
    alternative: "terraform plan",
  },
  "pulumi-destroy": {
    family: "infrastructure",
    reason: "It destroys infrastructure, or changes it without a person's approval.",
    alternative: "pulumi preview",
  },
  "kubernetes-delete": {
    family: "infrastructure",
    reason: "It deletes or stops something in a cluster.",
    alternative: "kubectl get all",
  },
  "helm-uninstall": {
    family: "infrastructure",
    reason: "It removes or resets a release in a cluster.",
    alternative: "helm list",
  },
  "cloud-delete": {
    family: "infrastructure",
    reason: "It deletes something in a cloud.",
    alternative: "aws sts get-caller-identity",
  },
  "docker-delete": {
    family: "infrastructure",
    reason: "It deletes volumes, or all containers or images.",
    alternative: "docker system df",
  },
  "kill-loopdash": {
    family: "infrastructure",
    reason: "It ends loopdash, which runs and judges the agents.",
    alternative: "pgrep -a node",
  },
  "machine-off": {
    family: "infrastructure",
    reason: "It stops the machine or everything that runs on it.",
    alternative: "uptime",
  },
  "remove-schedule": {
    family: "infrastructure",
    reason: "It deletes or replaces what is scheduled on this machine.",
    alternative: "crontab -l",
  },
  "sql-delete": {
    family: "databases",
    reason: "It drops tables, or deletes or changes all rows.",
    alternative: "psql -c 'SELECT count(*) FROM users'",
  },
  "document-delete": {
    family: "databases",
    reason: "It drops a collection, or deletes all documents or keys.",
    alternative: "redis-cli dbsize",
  },
  "drop-database": {
    family: "databases",
    reason: "It drops or empties a database.",
    alternative: "psql --list",
  },
  "reset-migrations": {
    family: "databases",
    reason: "It drops the database to build it anew.",
    alternative: "npx prisma migrate status",
  },
  "read-secret": {
    family: "secrets",
    reason: "It reads a file with credentials.",
    alternative: "ls -l .env",
  },
  "print-secret": {
    family: "secrets",
    reason: "It prints credentials.",
    alternative: "gh auth status",
  },
  "print-environment": {
    family: "secrets",
    reason: "It prints the environment, which may contain credentials.",
    alternative: "printenv PATH",
  },
  "commit-secret": {
    family: "secrets",
    reason: "It commits a file with credentials.",
    alternative: "git check-ignore -v .env",
  },
  "send-secret": {
    family: "secrets",
    reason: "It sends credentials over the network.",
    alternative: "curl -s https://example.com",
  },
  "unknown-code": {
    family: "code",
    reason: "It runs code that is not known before it runs.",
    alternative: "curl -fsSL https://example.com/install.sh -o install.sh",
  },
  unreadable: {
    family: "code",
    reason: "loopdash could not read this command.",
    alternative: "bash -n ./script.sh",
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleId = keyof typeof RULES;
