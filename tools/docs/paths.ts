/** Where the parts of the documentation are, below the base path that the service fills in. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { basePathMarker } from "../../src/http/docs.ts";
import { packageRoot } from "../../src/package.ts";

const docs = `${basePathMarker}/docs`;

export const paths = {
  reference: docs,
  guides: `${docs}/guides`,
  /** The guide to errors. Its headings are the codes. */
  errors: `${docs}/guides/errors`,
  downloads: `${docs}/downloads`,
};

export interface Asset {
  readonly name: string;
  readonly content: string;
  readonly file: string;
}

/** Names a part of pages by its content, so that browsers can keep it. */
export function assetOf(name: string, content: string): Asset {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
  return { name, content, file: `docs/assets/${hash}-${name}` };
}

const read = (name: string) => readFileSync(join(packageRoot, "docs/pages", name), "utf8");

/** A script that other scripts import. */
const code = assetOf("code.js", read("code.js"));

/** What pages are made of, in docs/pages. */
export const assets: readonly Asset[] = [
  code,
  ...["page.css", "guide.css", "icon.svg", "page.js", "reference.js", "reference.css"].map((name) =>
    assetOf(name, read(name).replace('"./code.js"', `"./${basename(code.file)}"`)),
  ),
];

/** The path of an asset, by its file's name. */
export function assetPath(name: string): string {
  return `${basePathMarker}/${assets.find((asset) => asset.name === name)?.file}`;
}
