import type { RestAnswer } from "../rest.ts";
import { reviewBody, reviewCommentBody } from "./bodies.ts";
import { issueOfPull } from "./host.ts";
import type { Pull, Thread } from "./model.ts";
import { Refusal } from "./refusal.ts";
import { requestedPull } from "./rest-pulls.ts";
import { type ForgeRequest, listAnswer, type Routes } from "./rest-request.ts";
import { addReply, addReview, addThread } from "./reviews.ts";

const EVENTS = { APPROVE: "APPROVED", REQUEST_CHANGES: "CHANGES_REQUESTED", COMMENT: "COMMENTED" } as const;

/** Reviews, and comments about lines. */
export const reviewRoutes: Routes = {
  "get /pulls/{pull_number}/reviews": (request) => {
    const pull = requestedPull(request);
    return listAnswer(request, pull.reviews, (review) => reviewBody(request, request.found, pull, review));
  },
  "post /pulls/{pull_number}/reviews": review,
  "get /pulls/{pull_number}/comments": (request) => {
    const pull = requestedPull(request);
    const all = pull.threads.flatMap((thread) => thread.comments.map((comment) => ({ pull, thread, comment })));
    const sorted = all.sort((a, b) => a.comment.id - b.comment.id);
    return listAnswer(request, sorted, (each) => reviewCommentBody(request, request.found, each));
  },
  "post /pulls/{pull_number}/comments": (request) => {
    const { body, found, viewer, forge } = request;
    const pull = requestedPull(request);
    if (typeof body["in_reply_to"] === "number") return reply(request, pull, body["in_reply_to"]);
    if (typeof body["line"] !== "number")
      throw new Refusal(422, "Validation Failed", [
        { resource: "PullRequestReviewComment", code: "missing_field", field: "line" },
      ]);
    const thread = addThread(forge.host, found, pull, {
      author: viewer,
      path: String(body["path"]),
      line: body["line"],
      body: String(body["body"]),
    });
    return written(request, pull, thread);
  },
  "post /pulls/{pull_number}/comments/{comment_id}/replies": (request) =>
    reply(request, requestedPull(request), Number(request.operation.parameters["comment_id"])),
};

function review(request: ForgeRequest): RestAnswer {
  const { body, found, viewer, forge } = request;
  const pull = requestedPull(request);
  const event = body["event"] as keyof typeof EVENTS | undefined;
  if (event === undefined) throw new Refusal(422, "The stand-in has no pending reviews: give an event.");
  if (event !== "COMMENT" && issueOfPull(found.repo, pull).author === viewer) {
    const what = event === "APPROVE" ? "approve" : "request changes on";
    throw new Refusal(422, `Review Can not ${what} your own pull request`);
  }
  if (event !== "APPROVE" && typeof body["body"] !== "string" && body["comments"] === undefined)
    throw new Refusal(422, "Validation Failed", [{ resource: "PullRequestReview", code: "missing_field", field: "body" }]);
  const added = addReview(forge.host, found, pull, { author: viewer, state: EVENTS[event], body: String(body["body"] ?? "") });
  for (const comment of (body["comments"] ?? []) as { path: string; line?: number; body: string }[])
    addThread(forge.host, found, pull, { ...comment, author: viewer, line: comment.line ?? 1, reviewId: added.id });
  return { status: 200, body: reviewBody(request, found, pull, added), isWrite: true };
}

function reply(request: ForgeRequest, pull: Pull, commentId: number): RestAnswer {
  const { body, found, viewer, forge } = request;
  const thread = pull.threads.find(({ comments }) => comments.some(({ id }) => id === commentId));
  if (thread === undefined) throw new Refusal(404, "Not Found");
  const { id } = addReview(forge.host, found, pull, { author: viewer, state: "COMMENTED", body: "" });
  addReply(forge.host, thread, { author: viewer, body: String(body["body"]), reviewId: id });
  return written(request, pull, thread);
}

function written(request: ForgeRequest, pull: Pull, thread: Thread): RestAnswer {
  const comment = thread.comments.at(-1);
  if (comment === undefined) throw new Error("the thread has no comment");
  return { status: 201, body: reviewCommentBody(request, request.found, { pull, thread, comment }), isWrite: true };
}
