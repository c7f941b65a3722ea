#!/usr/bin/env node
// A packed program has its bundle; in a checkout, Node runs the sources as they are.
import { existsSync } from "node:fs";

const bundle = new URL("../dist/loopdash-guard.cjs", import.meta.url);
await import(existsSync(bundle) ? bundle.href : "../src/program/standalone.ts");
