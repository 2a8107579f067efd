/**
 * The documentation that the service serves, as files: pages, their parts, the OpenAPI document and downloads.
 * `npm run build` writes them to dist/site. A file lies at its path below the base path; pages end in `.html`.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { basePathMarker, baseUrlMarker } from "../../src/http/docs.ts";
import { packageRoot } from "../../src/package.ts";
import { makeDownloads } from "./downloads.ts";
import { readGuides } from "./guides.ts";
import { openApiDocument } from "./openapi.ts";
import { guidePage, guidesPage, type PagePaths, referencePage } from "./pages.ts";

/** Where the guides' files say that the service lies. */
const shownBaseUrl = "http://127.0.0.1:8080/api";

/** What pages are made of, in docs/pages. */
const assets = ["page.css", "guide.css", "icon.svg", "reference.js", "reference.css", "guide.js"];

/** Makes all files. @returns their content by path; markers stand for the base path and the base URL */
export function siteFiles(): Map<string, string | Buffer> {
  const files = new Map<string, string | Buffer>();
  const assetPaths = new Map<string, string>();
  for (const name of assets) {
    const content = readFileSync(join(packageRoot, "docs/pages", name));
    const path = `docs/assets/${hashOf(content)}-${name}`;
    assetPaths.set(name, `${basePathMarker}/${path}`);
    files.set(path, content);
  }
  const paths: PagePaths = {
    reference: `${basePathMarker}/docs`,
    guides: `${basePathMarker}/docs/guides`,
    openApi: `${basePathMarker}/openapi.json`,
    downloads: `${basePathMarker}/docs/downloads`,
    asset: (name) => assetPaths.get(name) as string,
  };
  const guides = readGuides(paths);
  files.set("docs.html", referencePage(paths, { audience: "partner", basePath: basePathMarker, guides }));
  files.set("op/docs.html", referencePage(paths, { audience: "operator", basePath: basePathMarker, guides }));
  files.set("docs/guides.html", guidesPage(paths, guides));
  for (const guide of guides) {
    const html = guidePage(paths, guides, guide);
    files.set(`docs/guides/${guide.name}.html`, html.replaceAll(shownBaseUrl, baseUrlMarker));
  }
  files.set("openapi.json", JSON.stringify(openApiDocument("partner", basePathMarker)));
  for (const [name, content] of makeDownloads(baseUrlMarker)) {
    files.set(`docs/downloads/${name}`, content);
  }
  return files;
}

function hashOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 12);
}
