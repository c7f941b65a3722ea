import { describe, expect, it } from "vitest";
import { filledTemplate, type PullRequestPart, templatePath } from "../../../src/domain/forge/pull-request-template.ts";
import { type PullRequestBodyOptions, pullRequestBody } from "../../../src/domain/forge/pull-request-text.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";

const OPTIONS: PullRequestBodyOptions = {
  ticket: { id: TicketId.parse("T-1"), body: "Empty names break the list." },
  teams: [],
  passed: [{ step: "check unit", ms: 2340 }],
  origin: { run: "r1", attempt: 2, base: "main", baseSha: "a".repeat(40) },
};
const PARTS: readonly PullRequestPart[] = [
  { kind: "why", heading: "What and why", text: "WHY" },
  { kind: "checked", heading: "How it was checked", text: "CHECKED" },
  { kind: "evidence", heading: "Evidence", text: "EVIDENCE" },
  { kind: "ticket", heading: "Ticket", text: "TICKET" },
];

describe("the text of a pull request", () => {
  it("says what and why, how it was checked, on which base, and for which ticket", () => {
    expect(pullRequestBody(OPTIONS)).toBe(
      [
        "## What and why\n\n> Empty names break the list.\n",
        "## How it was checked\n\n- check unit: passed\n",
        `## Evidence\n\n- on main at ${"a".repeat(40)}, by run r1, attempt 2\n- check unit: passed after 2.3 s\n`,
        "Ticket: T-1",
      ].join("\n"),
    );
  });

  it("does not call a step passed that the ticket's class does not need", () => {
    const passed = [...OPTIONS.passed, { step: "review second-review", ms: 4, notNeeded: true as const }];
    const text = pullRequestBody({ ...OPTIONS, passed });
    expect(text).toContain("- check unit: passed\n- review second-review: not needed for a ticket of this class\n");
    expect(text).not.toContain("second-review: passed");
  });

  it("lets a template close no issue", () => {
    const text = pullRequestBody({ ...OPTIONS, template: "## Notes\n\nCloses #5, fixes: #6\n" });
    expect(text).toContain("## Notes");
    expect(text).not.toMatch(/(?:closes|fixes):? #/i);
  });

  it.each(["#1", "acme/app#1", "GH-1", "&#35;1", "&#x23;1", "&num;1", "#&#49;"])(
    "lets a template close no issue across HTML that nobody sees: %s",
    (reference) => {
      for (const between of ["<b></b>", "<!--x-->"]) {
        const text = pullRequestBody({ ...OPTIONS, template: `## Notes\n\nCloses ${between}${reference}\n` });
        expect(text).toContain(`Closes ${between}`);
        expect(text).not.toMatch(/(?:#|&num;|&#(?:35|x23);)(?:\d|&#)|GH-\d/);
      }
    },
  );

  it.each([
    "https://github.com/acme/app/issues/1",
    "http://github.com/acme/app/pull/1",
    "https://github.com/acme/app/issues//1",
    "https&colon;//github.com/acme/app/issues&sol;1",
    "https://github.com/acme/app/issues&#x2f;1",
  ])("lets neither a template nor a ticket refer to an issue by its whole address: %s", (address) => {
    for (const said of [`Closes <b></b>${address}`, `closes [it](${address})`, `Fixes <a href="${address}">it</a>`]) {
      const texts = [
        pullRequestBody({ ...OPTIONS, template: `## Notes\n\n${said}\n` }),
        pullRequestBody({ ...OPTIONS, ticket: { ...OPTIONS.ticket, body: said } }),
      ];
      for (const text of texts) expect(text).not.toMatch(/(?:issues|pull)(?:\/+|&sol;|&#x2f;)1/);
    }
  });

  it("has its own form if the template cannot be used", () => {
    for (const template of ["", "  \n", "<!-- never ends\n## Summary", "```\n## Summary", "x".repeat(20_001)])
      expect(pullRequestBody({ ...OPTIONS, template })).toMatch(/^## What and why/);
  });
});

describe("a filled template", () => {
  it("keeps each heading and its words, and has each part once below the heading that asks for it", () => {
    const template = [
      "<!-- Thanks for helping! -->",
      "# Summary\r\n",
      "Please describe your change.",
      "## How has this been tested?",
      "### Screenshots",
      "none",
      "## Related issues",
      "## What else changed?",
    ].join("\n");
    expect(
      filledTemplate(template, PARTS)
        ?.split("\n")
        .filter((line) => line !== ""),
    ).toEqual([
      "<!-- Thanks for helping! -->",
      ...["# Summary", "WHY", "Please describe your change."],
      ...["## How has this been tested?", "CHECKED"],
      ...["### Screenshots", "none"],
      ...["## Related issues", "TICKET"],
      "## What else changed?",
      ...["## Evidence", "EVIDENCE"],
    ]);
  });

  it("ticks no box, not even one that the template has ticked", () => {
    const boxes = "## Checklist\n\n- [ ] tests pass\n- [x] I have read CONTRIBUTING\n1. [X] signed\n> * [x] quoted\n";
    const filled = filledTemplate(boxes, PARTS) ?? "";
    expect(filled).not.toMatch(/\[x\]/i);
    expect(filled.match(/\[ \]/g)).toHaveLength(4);
    expect(filled.startsWith("## Checklist\n\n- [ ] tests pass\n")).toBe(true);
  });

  it.each([
    ["a comment", "<!--\n## Summary\n-->\n## Testing"],
    ["a comment that begins at the heading", "## Summary <!-- say\nmore -->\n## Testing"],
    ["a block of code", "```md\n## Summary\n```\n## Testing"],
    ["a block of code of another kind", "~~~\n```\n## Summary\n~~~\n## Testing"],
  ])("has no part inside %s", (_what, template) => {
    const filled = filledTemplate(template, PARTS) ?? "";
    expect(filled.indexOf("WHY")).toBeGreaterThan(filled.indexOf("CHECKED"));
    expect(filled.indexOf("CHECKED")).toBeGreaterThan(filled.indexOf("## Testing"));
  });

  it.each(["## Type of change", "## Checklist of tests", "## Breaking changes", "## Release notes on this change"])(
    "leaves %j as it is: nobody here can answer it",
    (heading) => {
      expect(filledTemplate(`${heading}\n\nbelow`, PARTS)?.startsWith(`${heading}\n\nbelow\n\n## What and why`)).toBe(true);
    },
  );
});

describe("the path of the template", () => {
  it.each([
    [["docs/pull_request_template.md", "pull_request_template.md"], "pull_request_template.md"],
    [["PULL_REQUEST_TEMPLATE.md", ".github/PULL_REQUEST_TEMPLATE.md"], ".github/PULL_REQUEST_TEMPLATE.md"],
    [["docs/Pull_Request_Template.txt"], "docs/Pull_Request_Template.txt"],
    [[".github/PULL_REQUEST_TEMPLATE/only.md"], ".github/PULL_REQUEST_TEMPLATE/only.md"],
    [
      [".github/PULL_REQUEST_TEMPLATE/bug.md", ".github/PULL_REQUEST_TEMPLATE/default.md"],
      ".github/PULL_REQUEST_TEMPLATE/default.md",
    ],
    [[".github/PULL_REQUEST_TEMPLATE/bug.md", ".github/PULL_REQUEST_TEMPLATE/new.md"], undefined],
    [["src/pull_request_template.md", ".github/PULL_REQUEST_TEMPLATE/a/only.md", "README.md"], undefined],
  ])("of %j is %j", (paths, path) => {
    expect(templatePath(paths)).toBe(path);
  });
});
