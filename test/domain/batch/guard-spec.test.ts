import { readGuardFile } from "@loopdash/guard";
import { describe, expect, it } from "vitest";
import { GuardSpec, resolveWorkerGuard } from "../../../src/domain/batch/guard-spec.ts";
import { checkValue } from "../../../src/domain/batch/issues.ts";

const found = (value: unknown) => {
  const result = checkValue(GuardSpec, value);
  return result.ok ? [] : result.findings.map(({ path, message, hint }) => [path.join("."), message, hint]);
};

describe("the guard of a batch", () => {
  it("is on by default, and off only if the batch says so", () => {
    expect(resolveWorkerGuard({})).toEqual({ settings: {}, stopGuard: { times: 2, checks: true } });
    expect(resolveWorkerGuard({ guard: GuardSpec.parse({}) })).toEqual({
      settings: { onParseError: "block" },
      stopGuard: { times: 2, checks: true },
    });
    expect(resolveWorkerGuard({ guard: GuardSpec.parse(true) })).toEqual(resolveWorkerGuard({}));
    expect(resolveWorkerGuard({ guard: GuardSpec.parse(false) })).toBeUndefined();
  });

  it("gives settings that the hook accepts", () => {
    const spec = { families: { git: false }, rules: { "git-clean": true }, onParseError: "allow", stopGuard: { times: 0 } };
    const guard = resolveWorkerGuard({ guard: GuardSpec.parse(spec) });
    expect(guard?.stopGuard).toEqual({ times: 0, checks: true });
    expect(readGuardFile(JSON.stringify(guard?.settings))).toEqual({
      families: { git: false },
      rules: { "git-clean": true },
      onParseError: "allow",
    });
  });

  it.each([
    [{ families: { gti: false } }, ["families", 'unknown key "gti"', 'did you mean "git"?']],
    [{ rules: { "git-rest": false } }, ["rules", 'unknown key "git-rest"', 'did you mean "git-reset"?']],
    [{ stopguard: {} }, ["", 'unknown key "stopguard"', 'did you mean "stopGuard"?']],
  ])("names the nearest name: %j", (value, problem) => {
    expect(found(value)).toEqual([problem]);
  });

  it.each([
    [1, "must be true, false or an object in braces, not 1"],
    ["off", 'must be true, false or an object in braces, not "off"'],
  ])("says what it may be instead of %j", (value, message) => {
    expect(found(value)).toEqual([["", message, undefined]]);
  });

  it.each([1, null, "off", { stopGuard: { times: 6 } }, { rules: { "git-reset": "off" } }])("refuses %j", (value) => {
    expect(found(value)).toHaveLength(1);
  });
});
