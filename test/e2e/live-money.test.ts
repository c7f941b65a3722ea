import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { json, standIn } from "../../packages/model-gateway/test/stage.ts";
import { terminals } from "./pty.ts";
import { Stage } from "./stage.ts";

const open = terminals();

/** An agent in the place of Claude Code: it asks its model three times, and changes nothing. */
const AGENT = `#!${process.execPath}
for (const _ of [1, 2, 3])
  await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
    method: "POST",
    body: JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 1000, messages: [] }),
  });
`;

describe("the money of a vendor's program", { timeout: 240_000 }, () => {
  test("shows while it works, in the header, the row, the cost tab and status, and is booked once", async () => {
    using stage = new Stage();
    // Each answer costs $0.15; the third waits until everything has been looked at.
    const answer = json({ model: "claude-sonnet-4-5", usage: { input_tokens: 0, output_tokens: 10_000 } });
    const looked = Promise.withResolvers<void>();
    const api = await standIn((...asked) => {
      if (api.seen.length < 3) answer(...asked);
      else void looked.promise.then(() => answer(...asked));
    });
    stage.repo("app");
    const batch = stage.batch(["T-1"], {
      agent: {
        ...{ kind: "claude", model: "claude-sonnet-4-5", program: stage.write("bin/claude.mjs", AGENT, 0o755) },
        ...{ apiKeySecret: "key", baseUrl: `http://127.0.0.1:${api.port}` },
      },
      secrets: { key: { command: ["/bin/echo", "key-of-the-engine-0123456789"] } },
      ...{ sandbox: "required", sandboxPolicy: { read: [dirname(process.execPath)] } },
      limits: { attempts: 1, usdPerAttempt: 5, usdPerTicket: 5 },
    });
    const pty = open(stage, [batch], { columns: 120, rows: 30 });
    await pty.waitFor(/\$0\.30 \+\$4\.70 held of \$/);
    await pty.waitFor(/T-1 .*agent \$0\.30/);
    await pty.press("j", /▌. T-1/);
    await pty.press("\r", /2 TICKET/);
    await pty.press("c", /\$0\.30 {2}so far; \$4\.70 more set aside until it has ended/);
    const { money, working } = JSON.parse((await stage.run(["status", "--json"])).stdout);
    expect(money).toMatchObject({ spentUsd: expect.closeTo(0.3), heldUsd: expect.closeTo(4.7) });
    expect(working).toMatchObject([{ id: "T-1", doing: "agent" }]);
    expect((await stage.report()).costUsd).toBeCloseTo(0.3);
    looked.resolve();
    await pty.waitFor(/NOT DONE/);
    expect((await stage.report()).costUsd).toBeCloseTo(0.45);
  });
});
