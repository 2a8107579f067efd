/**
 * Builds the documentation into dist/site. VitePress makes the pages, which takes most of a build's time, so they are kept while
 * their sources stay the same. `npm run build` calls it.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const sources = join(root, "dist/pages");

/** @typedef {[path: string, content: string | Buffer][]} Files */

/**
 * @param {Files} pages the sources of the pages
 * @param {Files} others what lies beside the pages
 */
export function buildSite(pages, others) {
  const site = join(root, "dist/site");
  const unfinished = `${site}.${process.pid}`;
  const digest = digestOf(pages);
  const digestFile = join(root, "dist/pages.digest");
  if (
    existsSync(join(site, "docs")) &&
    existsSync(digestFile) &&
    readFileSync(digestFile, "utf8") === digest
  ) {
    cpSync(join(site, "docs"), join(unfinished, "docs"), { recursive: true });
  } else {
    buildPages(pages, join(unfinished, "docs"), "/BASE_PATH/docs/", withMarkers);
  }
  writeFiles(unfinished, others);
  rmSync(site, { recursive: true, force: true });
  renameSync(unfinished, site);
  writeFileSync(digestFile, digest);
}

/**
 * Writes the documentation into a folder that any web server can serve at its root, also without a network.
 * @param {Files} pages
 * @param {Files} others
 * @param {string} folder
 */
export function buildFolder(pages, others, folder) {
  buildPages(pages, folder, "/", (_path, text) => text.replaceAll("/BASE_PATH/", "/"));
  const inFolder = others.map(([path, content]) => {
    const text = path.endsWith(".json") ? String(content).replaceAll("%BASE_PATH%", "/api") : content;
    return /** @type {[string, string | Buffer]} */ ([path.replace(/^docs\//, ""), text]);
  });
  writeFiles(folder, inFolder);
}

/**
 * @param {Files} pages
 * @param {string} output
 * @param {string} base the path at which they lie
 * @param {(path: string, text: string) => string} change what to do with the pages and scripts that VitePress made
 */
function buildPages(pages, output, base, change) {
  rmSync(sources, { recursive: true, force: true });
  writeFiles(sources, pages);
  const program = join(root, "node_modules/vitepress/bin/vitepress.js");
  execFileSync(process.execPath, [program, "build", "docs/pages"], {
    cwd: root,
    env: {
      ...process.env,
      LOYALTY_DOCS_OUT: output,
      LOYALTY_DOCS_BASE: base,
      // These are no pages.
      VITE_EXTRA_EXTENSIONS: "tgz",
    },
    // What it writes is in the error if it fails.
    stdio: ["ignore", "ignore", "pipe"],
  });
  rmSync(join(output, "hashmap.json"));
  for (const path of filesIn(output, /\.(?:html|js)$/)) {
    writeFileSync(path, change(path, readFileSync(path, "utf8")));
  }
}

/** Where the guides say that the service lies. */
const shownBaseUrl = "http://127.0.0.1:8080/api";

/** VitePress makes the content of the page at addresses that lead nowhere by its script. */
const missing = `<noscript><h1>There is no page at this address</h1>
<p>Go to the <a href="/BASE_PATH/docs/">first page</a>, the <a href="/BASE_PATH/docs/guides/">guides</a>, or the
<a href="/BASE_PATH/docs/reference/">reference</a>.</p></noscript>`;

/**
 * A file with the markers for what the service fills in. Vue has no need of the styles of elements that its pages begin with, and
 * the security policy allows none.
 * @param {string} path
 * @param {string} text
 */
function withMarkers(path, text) {
  const marked = (path.endsWith("404.html") ? text.replace("<body>", `<body>${missing}`) : text)
    .replaceAll("/BASE_PATH/", "%BASE_PATH%/")
    .replaceAll(/ style="(?:position:relative;|--vp-vh:0px;)"/g, "");
  const hasAddress = /[\\/](?:guides|operators)[\\/_]|[\\/]index\./.test(path);
  return hasAddress ? marked.replaceAll(shownBaseUrl, "%BASE_URL%") : marked;
}

/**
 * @param {string} folder
 * @param {RegExp} pattern
 */
function filesIn(folder, pattern) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => pattern.test(path))
    .map((path) => join(folder, path));
}

/** @param {Files} pages what the pages are made from: their sources, the theme, and this version of VitePress */
function digestOf(pages) {
  const hash = createHash("sha256");
  for (const [path, content] of pages) hash.update(`${path}\0`).update(content);
  const parts = [...filesIn(join(root, "docs/pages"), /\w\.[a-z]+$/), import.meta.filename];
  const installed = join(root, "node_modules/vitepress/package.json");
  for (const path of [...parts, installed]) hash.update(readFileSync(path));
  return hash.digest("hex");
}

/**
 * @param {string} folder
 * @param {Files} files
 */
function writeFiles(folder, files) {
  for (const [path, content] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
