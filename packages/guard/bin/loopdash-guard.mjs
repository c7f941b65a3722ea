#!/usr/bin/env node
// In a checkout, Node runs the sources as they are; a packed program has its bundle alone.
import { existsSync } from "node:fs";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(`loopdash-guard needs Node 24.15 or newer, and this is Node ${process.versions.node}\n`);
  // Other codes than 2 let a tool pass. A hook after a tool or at a stop must not keep an agent from going on.
  process.exit(process.argv[2] === "hook" && process.argv[3] !== "before-tool" ? 1 : 2);
}
const source = new URL("../src/program/standalone.ts", import.meta.url);
await import(existsSync(source) ? source.href : "../dist/loopdash-guard.cjs");
