import { describe, expect, it } from "vitest";
import { aForgeStage, isRequest, unavailable } from "./stage.ts";

const POST = isRequest("POST", /\/requested_reviewers$/);

describe("requestReview", () => {
  it("asks for one person's review, and for the same one once", async () => {
    const stage = await aForgeStage();
    const pull = await stage.opened({ "a.txt": "a\n" });
    stage.requests();
    expect(await stage.pullRequests.requestReview(pull.number, "ben")).toEqual({ as: "requested" });
    expect(stage.requests()).toEqual([expect.stringMatching(/^POST .*\/pulls\/1\/requested_reviewers$/)]);
    await stage.pullRequests.requestReview(pull.number, "ben");
    await stage.pullRequests.requestReview(pull.number, "ann");
    expect(pull.reviewers).toEqual(["ben", "ann"]);
    expect(stage.standIn.mistakes).toEqual([]);
  });

  it("gives GitHub's words if it refuses", async () => {
    const stage = await aForgeStage();
    const pull = await stage.opened({ "a.txt": "a\n" });
    const refused = (why: RegExp) => ({ as: "refused", reason: expect.stringMatching(why) });
    expect(await stage.pullRequests.requestReview(pull.number, "stranger")).toEqual(refused(/only be requested from collab/));
    expect(await stage.pullRequests.requestReview(pull.number, "loop")).toEqual(refused(/from pull request author/));
    expect(await stage.pullRequests.requestReview(99, "ben")).toEqual(refused(/\(404\)/));
    expect(pull.reviewers).toEqual([]);
    expect(stage.standIn.mistakes).toEqual([]);
  });

  it("is done if the answer is lost after the effect, and is not if before", async () => {
    const stage = await aForgeStage();
    const pull = await stage.opened({ "a.txt": "a\n" });
    stage.once(POST, "reset");
    await unavailable(stage.pullRequests.requestReview(pull.number, "ben"));
    expect(pull.reviewers).toEqual([]);
    stage.once(POST, { after: "reset" });
    expect(await stage.pullRequests.requestReview(pull.number, "ben")).toEqual({ as: "requested" });
    expect(pull.reviewers).toEqual(["ben"]);
  });
});
