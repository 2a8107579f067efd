/** Every link of the documents and of the pages that the service serves leads somewhere. Other sites are not asked. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { marked, type Token } from "marked";
import { describe, expect, it } from "vitest";
import { basePathMarker, baseUrlMarker } from "../../src/http/docs.ts";

const repository = join(import.meta.dirname, "../..");
/** Made by tools, or by other projects. */
const foreign = /(?:^|\/)(?:node_modules|dist[\w-]*|coverage|results|data|\.git)(?:\/|$)/;

function markdownFiles(folder = ""): string[] {
  return readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (foreign.test(path)) return [];
    if (entry.isDirectory()) return markdownFiles(path);
    return path.endsWith(".md") ? [path] : [];
  });
}

interface Document {
  readonly links: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

/** The links and the anchors of a document. GitHub numbers equal headings. */
function readDocument(text: string): Document {
  const links: string[] = [];
  const anchors = new Set<string>();
  void marked.walkTokens(marked.lexer(text), (token: Token) => {
    if (token.type === "link" || token.type === "image") links.push(token.href);
    if (token.type === "html") {
      for (const [, link = ""] of token.text.matchAll(/\b(?:href|src)="([^"]*)"/g)) links.push(link);
    }
    if (token.type !== "heading") return;
    const anchor = anchorOf(token.text);
    let numbered = anchor;
    for (let number = 1; anchors.has(numbered); number++) numbered = `${anchor}-${number}`;
    anchors.add(numbered);
  });
  return { links, anchors };
}

/** The anchor that GitHub gives to a heading. */
const anchorOf = (heading: string) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");

const files = markdownFiles();
const documents = new Map(
  files.map((file) => [file, readDocument(readFileSync(join(repository, file), "utf8"))]),
);

/** What is wrong with a link of a file; undefined if nothing is. */
function faultOfLink(file: string, link: string): string | undefined {
  if (/^[a-z]+:/i.test(link)) return isAddress(link) ? undefined : `${link} is not an address`;
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? file : posix.join(dirname(file), decodeURIComponent(path));
  if (target.startsWith("..") || !existsSync(join(repository, target))) return `${link} leads to no file`;
  if (anchor === undefined) return undefined;
  const anchors = documents.get(target)?.anchors;
  if (anchors?.has(anchor)) return undefined;
  // A line of a source file.
  if (anchors === undefined && statSync(join(repository, target)).isFile() && /^L\d+$/.test(anchor))
    return undefined;
  return `${link} leads to no heading`;
}

/** Other sites have https, and this machine's services http. */
function isAddress(link: string): boolean {
  if (!URL.canParse(link)) return false;
  const { protocol, hostname } = new URL(link);
  if (protocol === "mailto:") return true;
  return hostname === "127.0.0.1" ? protocol === "http:" : protocol === "https:" && hostname.includes(".");
}

describe("the documents", () => {
  it.each(files)("%s", (file) => {
    const links = documents.get(file)?.links ?? [];
    expect(links.flatMap((link) => faultOfLink(file, link) ?? [])).toEqual([]);
  });

  it("are read as GitHub reads them", () => {
    const { links, anchors } = readDocument(
      "# The `code`, and: more\n# [A link](x.md#y)\n## Twice\n## Twice\n![](a.png) <img src='b' src=\"c.png\">\n\n```\n[no](d)\n```\n",
    );
    expect([...anchors]).toEqual(["the-code-and-more", "a-link", "twice", "twice-1"]);
    expect(links).toEqual(["x.md#y", "a.png", "c.png"]);
  });

  it.each([
    ["README.md", "docs/nothing.md", "docs/nothing.md leads to no file"],
    ["README.md", "../other", "../other leads to no file"],
    ["docs/BACKUPS.md", "../README.md#nothing", "../README.md#nothing leads to no heading"],
    ["README.md", "#quickstart", undefined],
    ["README.md", "http://example.com/", "http://example.com/ is not an address"],
    ["README.md", "https://exa mple.com", "https://exa mple.com is not an address"],
    ["README.md", "https://example.com/#x", undefined],
  ])("in %s, %s: %s", (file, link, fault) => {
    expect(faultOfLink(file, link)).toBe(fault);
  });
});

describe("the pages", () => {
  const folder = join(repository, "dist/site");
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) =>
    path.replaceAll("\\", "/"),
  );
  const contentOf = (path: string) =>
    path.endsWith(".html") ? readFileSync(join(folder, path), "utf8") : "";
  const site = new Map(paths.filter((path) => path.includes(".")).map((path) => [path, contentOf(path)]));
  const pages = [...site.keys()].filter((path) => path.endsWith(".html"));
  const idsOf = (html: string) => new Set(Array.from(html.matchAll(/\bid="([^"]*)"/g), ([, id = ""]) => id));
  const ids = new Map(pages.map((path) => [path, idsOf(site.get(path) ?? "")]));

  function faultOfPageLink(page: string, link: string): string | undefined {
    const local = link.replace(baseUrlMarker, "").replace(basePathMarker, "").replaceAll("&amp;", "&");
    if (/^[a-z]+:/i.test(local)) return isAddress(local) ? undefined : `${link} is not an address`;
    const { pathname, hash } = new URL(
      local,
      `https://pages.example/${page.replace(/(?:\bindex)?\.html$/, "")}`,
    );
    const target = pathname.slice(1);
    const found = [target, `${target}.html`, `${target}index.html`].find((name) => site.has(name));
    if (found === undefined) return `${link} leads to no page`;
    const isThere = hash === "" || ids.get(found)?.has(decodeURIComponent(hash.slice(1)));
    return isThere ? undefined : `${link} leads to no element`;
  }

  it.each(pages)("%s", (page) => {
    const links = Array.from(
      (site.get(page) ?? "").matchAll(/\s(?:href|src)="([^"]*)"/g),
      ([, link = ""]) => link,
    );
    expect(links.length).toBeGreaterThan(3);
    expect(links.flatMap((link) => faultOfPageLink(page, link) ?? [])).toEqual([]);
  });
});
