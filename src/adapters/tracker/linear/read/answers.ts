import { z } from "zod";

const Key = z.string().min(1).max(200);
const Time = z.iso.datetime({ offset: true });

const Label = z.object({ id: Key, name: z.string() });
const Comment = z.object({
  id: Key,
  body: z.string(),
  createdAt: Time,
  updatedAt: Time,
  user: z.object({ id: Key, displayName: z.string(), app: z.boolean() }).nullable(),
  botActor: z.object({ type: z.string() }).nullable(),
});
const Attachment = z.object({ title: z.string(), url: z.string() });
const Blocker = z.object({
  id: Key,
  identifier: Key,
  trashed: z.boolean().nullable(),
  state: z.object({ type: z.string() }),
});
const Relation = z.object({ type: z.string(), issue: Blocker });
const Change = z.object({
  createdAt: Time,
  toStateId: z.string().nullable(),
  actorId: z.string().nullable(),
  actor: z.object({ app: z.boolean(), isMe: z.boolean() }).nullable(),
  botActor: z.object({ type: z.string() }).nullable(),
});

/** A page of a connection. */
const pageSchema = <T extends z.ZodType>(node: T) =>
  z.object({ nodes: z.array(node), pageInfo: z.object({ hasNextPage: z.boolean() }) });
/** A page of a connection that is read to its end. */
const pagesSchema = <T extends z.ZodType>(node: T) =>
  z.object({ nodes: z.array(node), pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }) });

const Issue = z.object({
  id: Key,
  identifier: Key,
  previousIdentifiers: z.array(z.string()),
  title: z.string(),
  description: z.string().nullable(),
  url: z.string(),
  updatedAt: Time,
  archivedAt: Time.nullable(),
  trashed: z.boolean().nullable(),
  state: z.object({ id: Key, type: z.string() }),
  team: z.object({ id: Key }),
  project: z.object({ id: Key }).nullable(),
  assignee: z.object({ displayName: z.string() }).nullable(),
  labels: pageSchema(Label),
  comments: pageSchema(Comment),
  attachments: pageSchema(Attachment),
  inverseRelations: pageSchema(Relation),
  children: pageSchema(Blocker),
  history: pageSchema(Change),
});

/** An issue as it is read. Every field is required, so that an answer with a hole is no ticket. */
export type Issue = z.infer<typeof Issue>;
/** A comment of an issue. */
export type LinearComment = z.infer<typeof Comment>;
/** An issue that blocks another one. */
export type Blocker = z.infer<typeof Blocker>;

const Stamp = z.object({
  id: Key,
  updatedAt: Time,
  comments: z.object({ nodes: z.array(z.object({ updatedAt: Time })) }),
});

/** The answers to the documents of documents.ts. */
export const IssuesAnswer = z.object({ issues: pagesSchema(Issue) });
export const StampsAnswer = z.object({ issues: pagesSchema(Stamp) });
export const ChangesAnswer = z.object({ issues: pagesSchema(Stamp), newest: z.object({ nodes: z.array(Issue) }) });
export const IssueIdAnswer = z.object({
  issue: z.object({ id: Key, identifier: Key, previousIdentifiers: z.array(z.string()) }),
});
export const ViewsAnswer = z.object({
  customViews: z.object({
    nodes: z.array(
      z.object({
        id: Key,
        name: z.string(),
        modelName: z.string(),
        filterData: z.record(z.string(), z.json()),
        team: z.object({ id: Key }).nullable(),
      }),
    ),
  }),
});
const Found = z.object({ nodes: z.array(z.object({ id: Key })) });
export const NamesAnswer = z.object({ teams: Found, projects: Found, issueLabels: Found, cycles: Found });
export const StatesAnswer = z.object({
  workflowStates: pageSchema(
    z.object({ id: Key, name: z.string(), type: z.string(), position: z.number(), team: z.object({ key: z.string() }) }),
  ),
});
export const LabelsAnswer = z.object({
  issueLabels: pageSchema(
    z.object({
      id: Key,
      name: z.string(),
      isGroup: z.boolean(),
      retiredAt: z.string().nullable(),
      team: z.object({ id: Key }).nullable(),
    }),
  ),
});

/** Further pages of an issue's connections. */
export const MoreAnswers = {
  labels: z.object({ issue: z.object({ labels: pagesSchema(Label) }) }),
  comments: z.object({ issue: z.object({ comments: pagesSchema(Comment) }) }),
  attachments: z.object({ issue: z.object({ attachments: pagesSchema(Attachment) }) }),
  inverseRelations: z.object({ issue: z.object({ inverseRelations: pagesSchema(Relation) }) }),
  children: z.object({ issue: z.object({ children: pagesSchema(Blocker) }) }),
} as const;
