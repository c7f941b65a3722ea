import { describe, expect, test } from "vitest";
import { withoutSecrets } from "../../src/audit/without-secrets.ts";

const GH = `ghp_${"a1B2".repeat(9)}`;
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.s3cr3t-signature";

describe("a command without its credentials", () => {
  test.each([
    ["GITHUB_TOKEN=hunter2 npm publish", "GITHUB_TOKEN=[secret GITHUB_TOKEN] npm publish"],
    ["export DB_PASSWORD='correct horse'; make", "export DB_PASSWORD=[secret DB_PASSWORD]; make"],
    ["docker run -e API_KEY=abc -e MODE=fast app", "docker run -e API_KEY=[secret API_KEY] -e MODE=fast app"],
    ["docker run --env=API_KEY=abc app", "docker run --env=API_KEY=[secret API_KEY] app"],
    ["npm login --password hunter2 --user ada", "npm login --password [secret password] --user ada"],
    ["tool --api-key=abc --out=x", "tool --api-key=[secret api-key] --out=x"],
    [
      'curl -d \'{"password": "hunter2", "name": "ada"}\' x.example',
      'curl -d \'{"password": [secret password], "name": "ada"}\' x.example',
    ],
    [
      'curl -X POST -H "Authorization: Bearer abc.def" x.example',
      'curl -X POST -H "Authorization: Bearer [secret value]" x.example',
    ],
    ['curl -XPUT -H "X-Api-Key: abc" x.example', 'curl -XPUT -H "X-Api-Key: [secret X-Api-Key]" x.example'],
    ["git push https://ada:hunter2@x.example/r.git", "git push https://ada:[secret value]@x.example/r.git"],
    ["curl -T f -u ada:hunter2 x.example", "curl -T f -u ada:[secret value] x.example"],
    [`git remote add o https://${GH}@x.example/r`, "git remote add o https://[secret value]@x.example/r"],
    [`echo ${JWT} > t`, "echo [secret value] > t"],
    ["echo '-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----' > k", "echo '[secret value]' > k"],
  ])("%s", (command, shown) => {
    expect(withoutSecrets(command)).toBe(shown);
  });

  test.each([
    'curl -H "Authorization: Bearer $TOKEN" -X POST x.example',
    "API_KEY=$(pass show k) make",
    "git commit -m 'token: see the docs' && git push origin main",
    "cp src/password.ts src/secret.ts",
    "tool --token-file /run/t --monkey=banana",
    "rm -rf dist && mkdir -p dist/keys",
  ])("is the same if it shows none: %s", (command) => {
    // A word after "token:" may be one.
    expect(withoutSecrets(command).replace("[secret token] the", "see the")).toBe(command);
  });

  test("is found in time, whatever the command is", () => {
    for (const part of ["a", "-u ", "x=", '"', "://a:", "-----BEGIN PRIVATE KEY-----", "--token "]) {
      const from = performance.now();
      withoutSecrets(part.repeat(20_000 / part.length));
      expect([part, performance.now() - from < 2_000]).toEqual([part, true]);
    }
  });
});
