"use strict";
/**
 * Makes the test runners of Node tell each test's result, without a change in the repository: every Node process of a check loads this
 * file first (NODE_OPTIONS). Runners get a further reporter by their own options; what prints TAP is copied. Results go to files in the
 * folder LOOPDASH_RESULTS, a name per process. What a runner starts in its turn reports nothing: it is a part of a test. A runner that is not known here, or an older one, reports nothing, and nothing breaks.
 * It runs in any Node from 16.9 on, so it uses nothing newer.
 */
const fs = require("node:fs");
const path = require("node:path");
const Module = require("node:module");

const folder = process.env.LOOPDASH_RESULTS;
const isWorker = !require("node:worker_threads").isMainThread;

/** The programs of runners, by their packages. Workers are other files of the same packages. */
const PROGRAMS = {
  jest: /^jest\.js$/,
  "jest-cli": /^jest\.js$/,
  vitest: /^vitest\.m?js$/,
  mocha: /^_?mocha(?:\.c?js)?$/,
  ava: /^cli\.m?js$/,
  tap: /^run\.m?js$/,
};

function begin() {
  if (process.execArgv.includes("--test") || usesNodeTest(process.argv[1])) return reportOfNodeTest();
  const runner = runnerOf(process.argv[1]);
  if (["jest", "jest-cli", "vitest", "mocha"].includes(runner)) delete process.env.LOOPDASH_RESULTS;
  if (runner === "jest" || runner === "jest-cli") addOptions("--json", `--outputFile=${fileOf("json")}`);
  if (runner === "vitest") addVitestReporter();
  if (runner === "mocha") watchMocha();
  if (runner === "ava") addOptions("--tap");
  if (runner === "tap") addOptions("--reporter=tap");
  // A file of node-tap's runner is a child, whose results are in those of its parent.
  if (process.env.TAP !== "1") copyTap();
}

/** A file of results that no other process writes. */
function fileOf(ending) {
  return path.join(folder, `${process.pid}-${Date.now()}.${ending}`);
}

/** The package whose program this process runs; undefined for any other script. */
function runnerOf(script) {
  const [, name, file] = /^.*[\\/]node_modules[\\/]([^\\/]+)[\\/](?:.*[\\/])?([^\\/]+)$/s.exec(realPath(script)) || [];
  return Object.hasOwn(PROGRAMS, name) && PROGRAMS[name].test(file) ? name : undefined;
}

function realPath(file) {
  try {
    return fs.realpathSync(file);
  } catch {
    return "";
  }
}

/** Options after the script, where every runner takes them. */
function addOptions(...options) {
  if (options.some((option) => process.argv.includes(option))) return;
  const at = process.argv.indexOf("--");
  process.argv.splice(at === -1 ? process.argv.length : at, 0, ...options);
}

function addVitestReporter() {
  const hasOwn = process.argv.some((word) => /^--reporters?(?:=|$)/.test(word));
  addOptions(...(hasOwn ? [] : ["--reporter=default"]), "--reporter=json", `--outputFile.json=${fileOf("json")}`);
}

/** True for a script that runs tests of node:test by itself. */
function usesNodeTest(script) {
  if (process.env.NODE_TEST_CONTEXT !== undefined || script === undefined || /[\\/]node_modules[\\/]/.test(script)) return false;
  try {
    return /["']node:test["']/.test(fs.readFileSync(script, "utf8"));
  } catch {
    return false;
  }
}

/** Node reads the reporters of node:test before any script, so the same command runs once more, with a further one. */
function reportOfNodeTest() {
  // A process with a channel to its parent would lose it; an older Node cannot write JUnit.
  if (process.env.NODE_TEST_CONTEXT !== undefined || process.send !== undefined || !hasJunit()) return;
  const has = (option) => process.execArgv.filter((word) => word === option || word.startsWith(`${option}=`)).length;
  const [reporters, destinations] = [has("--test-reporter"), has("--test-reporter-destination")];
  const own = reporters === 0 ? ["--test-reporter=spec"] : [];
  const more = reporters > destinations || reporters === 0 ? ["--test-reporter-destination=stdout"] : [];
  const junit = ["--test-reporter=junit", `--test-reporter-destination=${fileOf("xml")}`];
  const args = [...process.execArgv, ...own, ...more, ...junit, ...process.argv.slice(1)];
  const { LOOPDASH_RESULTS: _, ...env } = process.env;
  const { status, signal } = require("node:child_process").spawnSync(process.execPath, args, { stdio: "inherit", env });
  if (signal) process.kill(process.pid, signal);
  process.exit(status === null ? 1 : status);
}

function hasJunit() {
  try {
    return require("node:test/reporters").junit !== undefined;
  } catch {
    return false;
  }
}

/** Mocha has one reporter, which may be the repository's own: so its runner is watched beside it. */
function watchMocha() {
  const load = Module._load;
  const seen = new Set();
  Module._load = function (...args) {
    const exported = load.apply(this, args);
    const isRunner = typeof exported === "function" && exported.constants && exported.constants.EVENT_TEST_PASS;
    if (isRunner && !seen.has(exported)) {
      seen.add(exported);
      watchRunner(exported.prototype);
    }
    return exported;
  };
}

function watchRunner(prototype) {
  const { emit } = prototype;
  const results = [];
  const outcomes = { pass: "passed", fail: "failed", pending: "pending" };
  prototype.emit = function (event, test, ...rest) {
    const outcome = Object.hasOwn(outcomes, event) ? outcomes[event] : undefined;
    if (outcome !== undefined) results.push({ test, outcome });
    if (event === "end") writeMocha(results);
    return emit.call(this, event, test, ...rest);
  };
}

/** In the form of jest's and vitest's JSON. */
function writeMocha(results) {
  const files = new Map();
  for (const { test, outcome } of results) {
    const titles = typeof test.titlePath === "function" ? test.titlePath() : [test.title];
    const name = test.file || "";
    const file = files.get(name) || { name, status: "passed", assertionResults: [] };
    if (outcome === "failed") file.status = "failed";
    file.assertionResults.push({
      ancestorTitles: titles.slice(0, -1),
      title: String(titles[titles.length - 1]),
      status: outcome,
    });
    files.set(name, file);
  }
  const testResults = Array.from(files.values());
  const numFailedTests = results.filter(({ outcome }) => outcome === "failed").length;
  const numFailedTestSuites = testResults.filter(({ status }) => status === "failed").length;
  const counts = { numTotalTests: results.length, numFailedTests, numFailedTestSuites, success: numFailedTests === 0 };
  fs.writeFileSync(fileOf("json"), JSON.stringify({ ...counts, startTime: Date.now(), testResults }));
}

/** Copies what this process prints from a line "TAP version …" on. */
function copyTap() {
  let file;
  const write = fs.writeSync;
  const copy = (chunk) => {
    const text = typeof chunk === "string" ? chunk : Buffer.isBuffer(chunk) ? chunk.toString() : "";
    const at = file === undefined ? text.search(/^TAP version 1[34]/m) : 0;
    if (at === -1) return;
    if (file === undefined) {
      file = fs.openSync(fileOf("tap"), "w");
      delete process.env.LOOPDASH_RESULTS;
    }
    write.call(fs, file, text.slice(at));
  };
  // A stream to a file writes by fs.writeSync, too.
  let isCopied = false;
  fs.writeSync = function (fd, chunk, ...rest) {
    if (fd === 1 && !isCopied) copy(chunk);
    return write.call(this, fd, chunk, ...rest);
  };
  const { get, ...stdout } = Object.getOwnPropertyDescriptor(process, "stdout");
  let stream;
  const patched = () => {
    if (stream !== undefined) return stream;
    stream = get.call(process);
    const print = stream.write;
    stream.write = function (chunk, ...rest) {
      copy(chunk);
      isCopied = true;
      try {
        return print.call(this, chunk, ...rest);
      } finally {
        isCopied = false;
      }
    };
    return stream;
  };
  Object.defineProperty(process, "stdout", { ...stdout, get: patched });
}

if (folder !== undefined && folder !== "" && !isWorker) begin();
