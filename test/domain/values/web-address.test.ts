import { expect, test } from "vitest";
import { webAddress } from "../../../src/domain/values/web-address.ts";

test.each([
  ["https://linear.app/acme/issue/ENG-1/pin-the-image", "https://linear.app/acme/issue/ENG-1/pin-the-image"],
  ["http://tracker.example:8080/t/1?a=b#c", "http://tracker.example:8080/t/1?a=b#c"],
  ["HTTPS://Tracker.Example/T", "https://tracker.example/T"],
  ["https://tracker.example/größe und form", "https://tracker.example/gr%C3%B6%C3%9Fe%20und%20form"],
  ["https://bücher.example/", "https://xn--bcher-kva.example/"],
  ["https://tracker.example/\u202egnp.exe", "https://tracker.example/%E2%80%AEgnp.exe"],
  ["https://tracker.example/\ud800", "https://tracker.example/%EF%BF%BD"],
])("%j is a page of the web", (text, address) => {
  expect(webAddress(text)).toBe(address);
  expect(address).toMatch(/^[!-~]+$/);
});

test.each([
  ["a script", "javascript:alert(1)"],
  ["a file", "file:///etc/passwd"],
  ["data", "data:text/html,x"],
  ["another scheme", "ssh://git@host/x"],
  ["a user name", "https://someone@tracker.example/"],
  ["a password", "https://:word@tracker.example/"],
  ["an escape", "https://tracker.example/\u001b]8;;\u0007"],
  ["an 8-bit control", "https://tracker.example/\u009c"],
  ["a line break, which URL would drop", "java\nscript:https://tracker.example/"],
  ["a tab within it, which URL would drop", "https://tracker.example/a\tb"],
  ["no scheme", "tracker.example/1"],
  ["nothing", ""],
  ["a long text for a short address", `https://tracker.example/${"a/../".repeat(400)}`],
  ["too long an address", `https://tracker.example/${"a".repeat(1_977)}`],
  ["an address that is too long once it is encoded", `https://tracker.example/${"ß".repeat(400)}`],
])("%s is not", (_, text) => {
  expect(webAddress(text)).toBeUndefined();
});

test("2,000 characters are allowed", () => {
  expect(webAddress(`https://tracker.example/${"a".repeat(1_976)}`)).toHaveLength(2_000);
});
