/** Where the parts of the documentation are, below the base path that the service fills in. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { basePathMarker } from "../../src/http/docs.ts";
import { packageRoot } from "../../src/package.ts";

const docs = `${basePathMarker}/docs`;

export const paths = {
  reference: docs,
  guides: `${docs}/guides`,
  /** The guide to errors. Its headings are the codes. */
  errors: `${docs}/guides/errors`,
  openApi: `${basePathMarker}/openapi.json`,
  downloads: `${docs}/downloads`,
};

/** What pages are made of, in docs/pages. */
export const assets = ["page.css", "guide.css", "icon.svg", "reference.js", "reference.css", "guide.js"].map(
  (name) => {
    const content = readFileSync(join(packageRoot, "docs/pages", name));
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
    return { name, content, file: `docs/assets/${hash}-${name}` };
  },
);

/** The path of an asset, by its file's name. */
export function assetPath(name: string): string {
  return `${basePathMarker}/${assets.find((asset) => asset.name === name)?.file}`;
}
