import { z } from "zod";

/** Placeholders of a template and of trailers, and what stands for each. */
export const COMMIT_PLACEHOLDERS = {
  ticket: "the ticket's id",
  title: "its title, without a type and scope that it begins with",
  body: "its text, at most 4,000 characters",
  type: "feat, fix, …: what its title begins with (`fix(api): …`), else commit.type",
  scope: "the scope in its title, else commit.scope; without one, `({scope})` disappears",
  run: "the run",
  attempt: "the number of the attempt",
} as const;

/** A name and an address as git writes them: no line break, no angle brackets within (git-commit-tree(1)). */
const Person = z
  .string()
  .max(200)
  .regex(/^[^<>\p{Cc}]*[^<>\s\p{Cc}] <[^<>\s\p{Cc}]+>$/u, 'write "Name <mail@example.com>"');

const isTemplate = (text: string): boolean =>
  [...text.matchAll(/\{([^{}]*)\}/g)].every(([, name = ""]) => Object.hasOwn(COMMIT_PLACEHOLDERS, name));
const KNOWN = `may only name ${Object.keys(COMMIT_PLACEHOLDERS)
  .map((name) => `{${name}}`)
  .join(", ")}`;

const word = z.string().regex(/^[\w./-]{1,40}$/, "use letters, digits and - _ . /");

/** How commits that land look. */
export const CommitSpec = z
  .strictObject({
    author: Person.optional().describe("Name <mail>; default: the repository's git identity, else loopdash"),
    committer: Person.optional().describe("Default: author if it is set, else git's"),
    coAuthor: z
      .union([z.literal("agent"), z.literal(false), Person])
      .optional()
      .describe("Co-authored-by: the agent's program, or a person; default: none"),
    trailers: z
      .record(
        z.string().regex(/^(?!loopdash-)[a-z][a-z0-9-]{0,60}$/i, "use letters, digits and -, and not Loopdash-…"),
        z
          .string()
          .min(1)
          .max(200)
          .regex(/^[^\r\n]*$/, "must be one line")
          .refine(isTemplate, KNOWN),
      )
      .optional()
      .describe("Further trailers; values may hold placeholders"),
    template: z
      .string()
      .min(1)
      .max(4000)
      .refine(isTemplate, KNOWN)
      .refine((text) => /\{(?:title|ticket)\}/.test(text.split("\n")[0] ?? ""), "must hold {title} or {ticket} in its first line")
      .optional()
      .describe('The message, of {ticket}, {title}, {body}, {type}, {scope}, {run}, {attempt}; default "{title} ({ticket})"'),
    type: word.optional().describe("{type}, if the title does not begin with one; default: feat"),
    scope: word.optional().describe("{scope}, if the title names none"),
    sign: z
      .union([z.literal("auto"), z.boolean()])
      .optional()
      .describe("auto (default): if the repository sets commit.gpgSign"),
  })
  .describe("The commits that land (docs/use/finish-line.md#the-commit)");
export type CommitSpec = z.infer<typeof CommitSpec>;
