#!/usr/bin/env node
/** The steps of RELEASING.md that a program can do: check a tag, print its notes, name the owner of the repository. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const help = `Usage: node scripts/release.mjs <command>

  check vX.Y.Z   fail with a line for everything that stands in the way of releasing that tag
  notes vX.Y.Z   print the section of CHANGELOG.md
  owner NAME     replace the placeholder in the addresses of the repository
`;

/** Stands for the organisation that owns the repository, in every address of it. */
export const placeholder = "OWNER";
const addressed = new RegExp(String.raw`\b${placeholder}(?=\/loyalty\b)`, "g");

/**
 * Returns the files that have addresses with the placeholder, below a repository's folder.
 * @param {string} root
 * @returns {string[]}
 */
export function filesWithPlaceholder(root) {
  return repositoryFiles(root).filter((path) => contentOf(root, path).search(addressed) >= 0);
}

/** @param {string} root */
function repositoryFiles(root) {
  const paths = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  return paths.split("\0").filter((path) => path !== "");
}

/** @param {string} root @param {string} path */
function contentOf(root, path) {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    // A file that was deleted and not committed yet, or a link to a folder.
    return "";
  }
}

/**
 * Returns the notes of a version.
 * @param {string} changeLog
 * @param {string} version
 * @returns {{ date: string | undefined, text: string } | undefined} undefined when the newest section is of another version
 */
export function notesOf(changeLog, version) {
  const [, first = ""] = changeLog.split(/^## /m);
  const [heading = "", ...lines] = first.split("\n");
  if (heading.split(" ")[0] !== version) return undefined;
  const [, date] = /^\S+ \((\d{4}-\d\d-\d\d)\)$/.exec(heading) ?? [];
  return { date, text: lines.join("\n").trim() };
}

/**
 * Returns notes as the page of a release needs them: there, every line break shows, and links don't start in the repository.
 * @param {string} text
 * @param {string} tree the address of the repository's files
 * @returns {string}
 */
export function releaseText(text, tree) {
  return text.replace(/(?<=\S)\n(?: {2})?(?=[^\s#-])/g, " ").replace(/\]\((?!https:)/g, `](${tree}`);
}

/** @param {string} root */
const packageFolders = (root) =>
  repositoryFiles(root)
    .filter((path) => /^packages\/[^/]+\/package\.json$/.test(path))
    .map((path) => dirname(path));

/**
 * Says what stands in the way of a release.
 * @param {string} root
 * @param {string} tag
 * @returns {string[]} a line for each fault
 */
export function faultsOf(root, tag) {
  const version = tag.slice(1);
  const faults = filesWithPlaceholder(root).map((path) => `${path} has the placeholder ${placeholder}.`);
  const lock = JSON.parse(contentOf(root, "package-lock.json"));
  // The plugins for shop systems are no workspaces, so the lock file does not have them.
  const packages = ["", ...packageFolders(root)];
  for (const path of packages) {
    const file = join(path, "package.json");
    const found = JSON.parse(contentOf(root, file)).version;
    if (`v${found}` !== tag) faults.push(`${file} has version ${found}, and the tag is ${tag}.`);
    const { version: locked = found } = lock.packages[path] ?? {};
    if (locked !== found) faults.push(`package-lock.json has version ${locked} of ${path || "the service"}.`);
  }
  for (const path of repositoryFiles(root).filter((path) => path.startsWith("deploy/kubernetes/"))) {
    for (const [, found] of contentOf(root, path).matchAll(/image: \S+\/loyalty:(\S+)/g))
      if (found !== version) faults.push(`${path} has the image ${found}, and the tag is ${tag}.`);
  }
  const notes = notesOf(contentOf(root, "CHANGELOG.md"), version);
  if (notes?.date === undefined)
    faults.push(`CHANGELOG.md does not begin with "## ${version} (YYYY-MM-DD)".`);
  return faults;
}

/** @param {string[]} words @returns {number} the exit code */
function main([command, value = "", ...others]) {
  const root = join(import.meta.dirname, "..");
  const isTag = /^v\d+\.\d+\.\d+$/.test(value);
  if (command === "check" && isTag && others.length === 0) {
    const faults = faultsOf(root, value);
    for (const fault of faults) console.error(fault);
    return faults.length === 0 ? 0 : 1;
  }
  if (command === "notes" && isTag && others.length === 0) {
    const notes = notesOf(contentOf(root, "CHANGELOG.md"), value.slice(1));
    const { homepage } = JSON.parse(contentOf(root, "package.json"));
    const tree = homepage.replace("#readme", `/blob/${value}/`);
    if (notes === undefined) return 1;
    console.log(releaseText(notes.text, tree));
    return 0;
  }
  if (command === "owner" && /^[A-Za-z\d-]+$/.test(value) && others.length === 0) {
    for (const path of filesWithPlaceholder(root)) {
      writeFileSync(join(root, path), contentOf(root, path).replace(addressed, value));
      console.log(path);
    }
    return 0;
  }
  console.error(help);
  return 2;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  process.exitCode = main(process.argv.slice(2));
