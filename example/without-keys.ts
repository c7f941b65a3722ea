import { apiKeyNames } from "../src/domain/batch/api-key-guard.ts";

// The example's agents play scripts and ask no model: a key of this machine is nothing to them. Without a sandbox, loopdash would
// refuse to start beside one.
for (const name of apiKeyNames(process.env)) delete process.env[name];
