/** The guides and the documents for operators, as pages of the site. Their links to files become links to pages. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import { packageRoot } from "../../src/package.ts";

/** A file, and the path of its page. */
export interface Document {
  readonly file: string;
  readonly page: string;
  readonly title: string;
  /** Its first paragraph, as text. */
  readonly summary: string;
  readonly markdown: string;
}

/** Documents for those who change the service itself. */
const ofContributors = ["docs/ARCHITECTURE.md", "docs/BENCHMARKS.md"];

/** What links to files without a page lead to. */
const otherPages: Readonly<Record<string, string>> = {
  "docs/api/openapi.json": "/reference/",
  "docs/api/operator-openapi.json": "/op/",
  "packages/sdk": "/downloads/loyalty-sdk.tgz",
};

function pageOf(file: string): string | undefined {
  if (file === "docs/pages/index.md") return "index";
  if (file === "packages/sdk/README.md") return "guides/sdk";
  const [, folder = "", name = ""] =
    /^(?:docs\/(guides\/|decisions\/)?|(?=SECURITY|CHANGELOG))([A-Za-z-]+)\.md$/.exec(file) ?? [];
  if (name === "" || ofContributors.includes(file)) return undefined;
  if (name === "README") return `${folder}index`;
  return `${folder || "operators/"}${name.toLowerCase()}`;
}

/** All documents of the site. */
export function readDocuments(): Document[] {
  const filesIn = (folder: string) =>
    readdirSync(join(packageRoot, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`);
  const files = ["docs/guides", "docs", "docs/decisions"].flatMap(filesIn);
  return ["docs/pages/index.md", ...files, "packages/sdk/README.md", "SECURITY.md", "CHANGELOG.md"].flatMap(
    (file) => {
      const page = pageOf(file);
      return page === undefined ? [] : documentOf(file, page, readFileSync(join(packageRoot, file), "utf8"));
    },
  );
}

/** Makes the page of one file. */
export function documentOf(file: string, page: string, text: string): Document {
  const [, matter = "", content = ""] = /^(?:---\n(.*?)---\n)?(.*)$/s.exec(text) ?? [];
  const title = /^# (.*)$/m.exec(content)?.[1]?.replaceAll("`", "") ?? page;
  const summary = plainText(/^# .*\n\n(?:#.*\n\n)*((?:.+\n)+)/m.exec(content)?.[1] ?? title);
  // Every second part is code between fences, which stays as it is.
  const parts = content.split(/^( *```[\s\S]*?^ *```$)/m);
  const markdown = parts.map((part, nth) => (nth % 2 === 1 ? part : withPages(part, file))).join("");
  const matters = `---\n${matter}title: ${JSON.stringify(title)}\ndescription: ${JSON.stringify(summary)}\n---\n\n`;
  return { file, page, title, summary, markdown: matters + markdown };
}

function plainText(markdown: string): string {
  return markdown
    .replaceAll(/[`*]|\[|\]\([^)]*\)/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/**
 * Leads links to pages. The text of a link to a file that the site does not have stays. The path of an operation leads to its page,
 * but in headings.
 */
function withPages(text: string, file: string): string {
  const linked = /^#.*$|(!?)\[([^\]]*)\]\(([^)\s]+)\)|`(\/(?:sp|op)\/[a-z/-]+)`/gm;
  return text.replaceAll(linked, (found, image: string, words: string, href: string, path: string) => {
    if (operationPaths.has(path)) return `[${found}](${path})`;
    if (href === undefined || image === "!" || /^(?:[a-z]+:|#)/.test(href)) return found;
    const [name = "", anchor] = href.split("#");
    const target = posix.join(posix.dirname(file), name);
    const page = otherPages[target] ?? (pageOf(target) === undefined ? undefined : `/${pageOf(target)}`);
    if (page === undefined) return words;
    return `[${words}](${page.replace(/\/index$/, "/")}${anchor === undefined ? "" : `#${anchor}`})`;
  });
}

const operationPaths: ReadonlySet<string> = new Set(
  [...partnerOperations, ...operatorOperations].map(({ path }) => path),
);
