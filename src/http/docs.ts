/** Serves the documentation, which the build made: pages, their parts and the OpenAPI document, by GET. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { packageRoot } from "../package.ts";
import { responseHeaders } from "./connections.ts";
import type { Page, Reply } from "./server.ts";

/** What stands in the files for the base path, and for the URL by which the caller reaches it. */
export const basePathMarker = "%BASE_PATH%";
export const baseUrlMarker = "%BASE_URL%";

const folder = join(packageRoot, "dist/site");
const defaultOrigin = "http://127.0.0.1:8080";

interface SiteFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly etag: string;
  /** The text, if it shows the URL of the service. */
  readonly text: string | undefined;
  /** Compresses the body, once, unless it is compressed already. */
  readonly compressed: (() => Promise<Buffer>) | undefined;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".tgz": "application/gzip",
};

// Nothing comes from another host, nothing is inline, and no page can be framed. Only the references send requests.
const own =
  "script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function policyOf(path: string): string {
  if (!path.endsWith(".html")) return responseHeaders["content-security-policy"];
  return `default-src 'none'; ${path.endsWith("docs.html") ? "connect-src 'self'; " : ""}${own}`;
}

function readSiteFile(path: string, basePath: string): SiteFile {
  const content = readFileSync(join(folder, path));
  const contentType = contentTypes[extname(path)] as string;
  const isText = contentType !== contentTypes[".tgz"];
  const text = isText ? withBasePath(content.toString(), basePath) : "";
  const showsUrl = text.includes(baseUrlMarker);
  const body = isText ? Buffer.from(text.replaceAll(baseUrlMarker, defaultOrigin + basePath)) : content;
  let compressed: Promise<Buffer> | undefined;
  return {
    headers: {
      "content-type": contentType,
      // The paths of assets have a hash of their content.
      "cache-control": path.startsWith("docs/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
      "content-security-policy": policyOf(path),
      ...(path.startsWith("docs/downloads/") && { "content-disposition": "attachment" }),
    },
    body,
    etag: etagOf(body),
    text: showsUrl ? text : undefined,
    compressed: isText ? () => (compressed ??= compress(body)) : undefined,
  };
}

/** The server of an OpenAPI document has no empty URL. */
function withBasePath(text: string, basePath: string): string {
  return text
    .replaceAll(`"url":"${basePathMarker}"`, `"url":"${basePath === "" ? "/" : basePath}"`)
    .replaceAll(basePathMarker, basePath);
}

/** Reads the documentation. @returns its files and redirects by the path of their URL */
export function readPages(basePath: string): Map<string, Page> {
  const pages = new Map<string, Page>();
  const redirect = (status: number) => async () => {
    return { status, headers: { location: `${basePath}/docs` }, body: "" };
  };
  // For people who open the address of the service or of its API.
  for (const path of ["/", "/docs", basePath, `${basePath}/`]) pages.set(path, redirect(302));
  pages.set(`${basePath}/docs/`, redirect(308));
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => extname(path) !== "");
  for (const path of paths) {
    const file = readSiteFile(path, basePath);
    pages.set(`${basePath}/${path.replace(/\.html$/, "")}`, (headers, origin) =>
      replyOf(headers, fileAt(origin, basePath, file)),
    );
  }
  return pages;
}

/** The file with the URL by which the caller reaches the service, if it shows that. */
function fileAt(origin: string | undefined, basePath: string, file: SiteFile): SiteFile {
  if (file.text === undefined || origin === undefined) return file;
  const body = Buffer.from(file.text.replaceAll(baseUrlMarker, origin + basePath));
  // Not compressed: anyone can send another Host with each request.
  return { ...file, body, etag: etagOf(body), compressed: undefined };
}

const compress = promisify(gzip);

/** Weak: the body may be sent compressed or not. */
function etagOf(body: Buffer): string {
  return `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
}

async function replyOf(sent: IncomingHttpHeaders, file: SiteFile): Promise<Reply> {
  const headers = { ...file.headers, etag: file.etag, vary: "accept-encoding" };
  const known = sent["if-none-match"]?.split(",").map((tag) => tag.trim());
  if (known?.includes(file.etag) || known?.includes("*")) return { status: 304, headers, body: "" };
  const accepts = /\bgzip\b/.test(String(sent["accept-encoding"] ?? ""));
  if (!accepts || file.compressed === undefined) return { status: 200, headers, body: file.body };
  return { status: 200, headers: { ...headers, "content-encoding": "gzip" }, body: await file.compressed() };
}
