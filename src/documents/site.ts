/** Everything that is served as documentation, by its path. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../package.ts";
import { makeDownloads } from "./downloads.ts";
import { readGuides } from "./guides.ts";
import { escapeHtml } from "./html.ts";
import { type Audience, openApiDocument } from "./openapi.ts";
import { guidePage, guidesPage, type PagePaths, referencePage } from "./pages.ts";

export interface SiteFile {
  readonly contentType: string;
  readonly body: Buffer;
  /** The body with the origin by which the caller reaches the service. The origin must be checked. */
  readonly bodyAt?: (origin: string) => Buffer;
  /** Downloaded under the last segment of its path, not shown. */
  readonly download?: boolean | undefined;
  /** The path has a hash of the content, so it can be cached forever. */
  readonly immutable: boolean;
  /** The security policy of the page; parts and data files need none. */
  readonly policy: "guide" | "reference" | "none";
}

/** Where the service listens unless it is configured otherwise; the guides' files show this, with a base path. */
const defaultOrigin = "http://127.0.0.1:8080";
const shownBaseUrl = `${defaultOrigin}/api`;

/** The files that pages are made of, with their types. */
const assets = {
  "page.css": "text/css; charset=utf-8",
  "guide.css": "text/css; charset=utf-8",
  "icon.svg": "image/svg+xml",
  "reference.js": "text/javascript; charset=utf-8",
  "reference.css": "text/css; charset=utf-8",
  "guide.js": "text/javascript; charset=utf-8",
} as const;

/**
 * Makes the documentation of a service.
 * @param basePath where its operations lie
 * @returns the files by path
 */
export function createSite(basePath: string): ReadonlyMap<string, SiteFile> {
  const site = new Map<string, SiteFile>();
  const assetPaths = new Map<string, string>();
  for (const [name, contentType] of Object.entries(assets)) {
    const body = readFileSync(join(packageRoot, "docs/pages", name));
    const path = `${basePath}/docs/assets/${hashOf(body)}-${name}`;
    assetPaths.set(name, path);
    site.set(path, { contentType, body, immutable: true, policy: "none" });
  }
  const paths: PagePaths = {
    reference: `${basePath}/docs`,
    guides: `${basePath}/docs/guides`,
    openApi: `${basePath}/openapi.json`,
    downloads: `${basePath}/docs/downloads`,
    asset: (name) => assetPaths.get(name) as string,
  };
  /** A file with the address of the service, as the caller reaches it. */
  const showing = (text: string) => {
    const bodyAt = (origin: string) =>
      Buffer.from(text.replaceAll(shownBaseUrl, escapeHtml(origin + basePath)));
    return { body: bodyAt(defaultOrigin), bodyAt };
  };
  const page = (html: string, policy: "guide" | "reference"): SiteFile => ({
    ...{ contentType: "text/html; charset=utf-8", body: Buffer.from(html), immutable: false, policy },
  });
  const guides = readGuides(paths);
  const reference = (audience: Audience) =>
    page(referencePage(paths, { audience, basePath, guides }), "reference");
  site.set(paths.reference, reference("partner"));
  site.set(`${basePath}/op/docs`, reference("operator"));
  site.set(paths.guides, page(guidesPage(paths, guides), "guide"));
  for (const guide of guides) {
    const html = guidePage(paths, guides, guide);
    site.set(`${paths.guides}/${guide.name}`, { ...page(html, "guide"), ...showing(html) });
  }
  const document = openApiDocument("partner", basePath);
  site.set(paths.openApi, {
    contentType: "application/json; charset=utf-8",
    body: Buffer.from(JSON.stringify(document)),
    immutable: false,
    policy: "none",
  });
  for (const { name, contentType, body } of makeDownloads(document, shownBaseUrl)) {
    const path = `${paths.downloads}/${name}`;
    const shown = name === "loyalty.postman_environment.json" ? showing(body.toString()) : { body };
    site.set(path, { contentType, ...shown, immutable: false, policy: "none", download: true });
  }
  return site;
}

function hashOf(body: Buffer): string {
  return createHash("sha256").update(body).digest("hex").slice(0, 12);
}
