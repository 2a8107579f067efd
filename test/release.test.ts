/** What a release needs: addresses of the repository, workflows, notes, and the check that rejects an unfinished one. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";

interface Release {
  readonly placeholder: string;
  filesWithPlaceholder(root: string): string[];
  notesOf(changeLog: string, version: string): { date: string | undefined; text: string } | undefined;
  releaseText(text: string, tree: string): string;
  faultsOf(root: string, tag: string): string[];
}

const repository = join(import.meta.dirname, "..");
const { placeholder, filesWithPlaceholder, notesOf, releaseText, faultsOf } = (await import(
  join(repository, "scripts/release.mjs")
)) as Release;
const read = (path: string) => readFileSync(join(repository, path), "utf8");
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A repository with these files. */
function repositoryWith(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "loyalty-release-"));
  folders.push(root);
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

describe("the addresses of the repository", () => {
  const packages = ["package.json", "packages/sdk/package.json"];

  it("are in every package, and of one repository", () => {
    const found = packages.map((path) => {
      const { homepage, repository, bugs } = JSON.parse(read(path));
      return { path, homepage, url: repository.url, directory: repository.directory, bugs: bugs.url };
    });
    const url = String(found[0]?.url);
    const address = /^git\+(https:\/\/github\.com\/[\w-]+\/loyalty)\.git$/.exec(url)?.[1];
    expect(found).toEqual([
      {
        path: packages[0],
        homepage: `${address}#readme`,
        url,
        directory: undefined,
        bugs: `${address}/issues`,
      },
      {
        path: packages[1],
        homepage: `${address}/tree/main/packages/sdk#readme`,
        url,
        directory: "packages/sdk",
        bugs: `${address}/issues`,
      },
    ]);
  });

  it("have a placeholder only where the release replaces it", () => {
    const places = filesWithPlaceholder(repository);
    const paths = ["--", ".", ":!scripts/release.mjs", ":!*.sql"];
    const { stdout } = spawnSync("git", ["grep", "-lw", placeholder, ...paths], {
      cwd: repository,
      encoding: "utf8",
    });
    expect(places).toEqual(stdout.split("\n").filter((path) => path !== ""));
    for (const path of places) {
      const words = Array.from(
        read(path).matchAll(new RegExp(String.raw`\b${placeholder}\b.{8}`, "g")),
        String,
      );
      expect(words.filter((words) => words !== `${placeholder}/loyalty`)).toEqual([]);
    }
  });
});

describe("the check before a release", () => {
  const files = {
    "package.json": '{ "version": "1.0.0" }',
    "packages/sdk/package.json": '{ "version": "1.0.0" }',
    "package-lock.json":
      '{ "packages": { "": { "version": "1.0.0" }, "packages/sdk": { "version": "1.0.0" } } }',
    "CHANGELOG.md": "# Change log\n\n## 1.0.0 (2026-02-03)\n\nAll of it.\n",
  };

  it("finds nothing wrong with a finished one", () => {
    expect(faultsOf(repositoryWith(files), "v1.0.0")).toEqual([]);
  });

  it.each([
    ["CODEOWNERS", `* @${placeholder}/loyalty`, /^CODEOWNERS has the placeholder/],
    ["package.json", '{ "version": "0.9.0" }', /^package\.json has version 0\.9\.0, and the tag is v1\.0\.0/],
    [
      "packages/sdk/package.json",
      '{ "version": "1.0.1" }',
      /^packages\/sdk\/package\.json has version 1\.0\.1/,
    ],
    // No workspace, so the lock file does not have it.
    [
      "packages/a-plugin/package.json",
      '{ "version": "0.1.0" }',
      /^packages\/a-plugin\/\S+ has version 0\.1\.0/,
    ],
    [
      "CHANGELOG.md",
      "# Change log\n\n## 1.0.0 (not released yet)\n",
      /^CHANGELOG\.md does not begin with "## 1\.0\.0/,
    ],
    ["deploy/kubernetes/a.yaml", "image: ghcr.io/a/loyalty:0.9.0", /^deploy\/\S+ has the image 0\.9\.0, and/],
    ["CHANGELOG.md", "# Change log\n\n## 1.1.0 (2026-02-03)\n\n## 1.0.0 (2026-01-01)\n", /^CHANGELOG\.md/],
  ])("rejects one whose %s is %s", (path, text, fault) => {
    const [first] = faultsOf(repositoryWith({ ...files, [path]: text }), "v1.0.0");
    expect(first).toMatch(fault);
  });

  it("takes the notes from the first section, with whole lines and links that lead to the tag", () => {
    const log =
      "# Log\n\n## 1.2.0 (2026-02-03)\n\nA line\nthat goes on.\n\n- a point\n  of two lines, see [it](docs/A.md#b)\n- more\n\n## 1.1.0 (2026-01-01)\n";
    const notes = notesOf(log, "1.2.0");
    expect(notes?.date).toBe("2026-02-03");
    expect(releaseText(notes?.text ?? "", "https://example.com/t/")).toBe(
      "A line that goes on.\n\n- a point of two lines, see [it](https://example.com/t/docs/A.md#b)\n- more",
    );
    expect(notesOf(log, "1.1.0")).toBeUndefined();
  });
});

describe("the files of .github", () => {
  const workflows = readdirSync(join(repository, ".github/workflows"));
  interface Step {
    readonly uses?: string;
    readonly run?: string;
  }
  interface Workflow {
    readonly on: Record<string, unknown>;
    readonly permissions: Record<string, string>;
    readonly jobs: Record<
      string,
      { uses?: string; needs?: string | string[]; steps?: Step[]; "timeout-minutes"?: number }
    >;
  }

  it.each(workflows)("%s has little rights, an end, and actions by major version", (name) => {
    const { permissions, jobs } = parse(read(`.github/workflows/${name}`)) as Workflow;
    expect(permissions).toEqual({ contents: "read" });
    for (const [job, { uses, needs = [], steps = [], "timeout-minutes": minutes }] of Object.entries(jobs)) {
      expect([job, minutes === undefined]).toEqual([job, uses !== undefined]);
      for (const needed of [needs].flat()) expect(Object.keys(jobs)).toContain(needed);
      if (uses?.startsWith("./")) expect(read(uses)).toContain("workflow_call:");
      for (const { uses, run = "" } of steps) {
        if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
        for (const [, script = ""] of run.matchAll(/(?:node|bash) ([\w./-]+)/g))
          expect(read(script)).not.toBe("");
      }
    }
  });

  it("run the CI as it is run elsewhere, and before anything is published", () => {
    const ci = parse(read(".github/workflows/ci.yml")) as Workflow;
    expect(ci.jobs["check-and-test"]?.steps?.at(-1)).toEqual({ run: "bash .ci/run" });
    const { jobs } = parse(read(".github/workflows/release.yml")) as Workflow;
    const needs = Object.fromEntries(Object.entries(jobs).map(([job, { needs }]) => [job, needs]));
    expect(needs).toEqual({
      check: undefined,
      ci: "check",
      image: "ci",
      client: "ci",
      tarball: "ci",
      notes: ["image", "client", "tarball"],
    });
  });

  it("update packages, actions and images, with the digests of images", () => {
    const renovate = JSON.parse(read(".github/renovate.json"));
    expect(renovate.extends).toContain("docker:pinDigests");
    // Where images are named.
    for (const path of ["Dockerfile", "compose.yaml", "deploy/kubernetes/loyalty.yaml"])
      expect(read(path)).toMatch(/(?:image:|^FROM) \S+:\S+/m);
    const files = [renovate.dockerfile, renovate.kubernetes].flatMap(
      (manager) => manager.managerFilePatterns,
    );
    const matches = (path: string) => files.some((pattern) => new RegExp(pattern.slice(1, -1)).test(path));
    expect(["Dockerfile", "deploy/kubernetes/jobs.yaml", "README.md"].map(matches)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it.each(readdirSync(join(repository, ".github/ISSUE_TEMPLATE")))("%s is valid YAML", (name) => {
    expect(parse(read(`.github/ISSUE_TEMPLATE/${name}`))).toBeTypeOf("object");
  });
});
