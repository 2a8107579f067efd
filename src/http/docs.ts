/** Serves the documentation from the build: pages, their assets and the OpenAPI document. */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { type BrotliOptions, brotliCompress, constants, gzip, type ZlibOptions } from "node:zlib";
import { packageRoot } from "../package.ts";
import { responseHeaders } from "./connections.ts";
import type { FindPage, Page } from "./server.ts";

/** Markers in the files, for the base path and for the URL by which the caller reaches it. */
export const basePathMarker = "%BASE_PATH%";
export const baseUrlMarker = "%BASE_URL%";

/** The page at addresses of the documentation that lead nowhere. */
const missingPageFile = "docs/404.html";

const folder = join(packageRoot, "dist/site");
const defaultOrigin = "http://127.0.0.1:8080";

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".tgz": "application/gzip",
};

/**
 * Pages load nothing from other hosts, and can't be framed. They have two inline scripts, which set the colours before the page is
 * shown: their hashes name them. The icons of the styles are `data:` images. A page sends requests, because it can become a page of the
 * reference without being loaded again.
 */
function policyOf(path: string, text: string): string {
  if (!path.endsWith(".html")) return responseHeaders["content-security-policy"];
  const scripts = Array.from(
    text.matchAll(/<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs),
    ([, script = ""]) => {
      return ` 'sha256-${createHash("sha256").update(script).digest("base64")}'`;
    },
  );
  return (
    `default-src 'none'; connect-src 'self'; script-src 'self'${scripts.join("")}; style-src 'self'; ` +
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  );
}

/** What is kept of a file after its first request: not its text, because the pages take 25 MB. */
interface Prepared {
  readonly etag: string;
  readonly headers: Record<string, string>;
  readonly hasBaseUrl: boolean;
  readonly compressed: Map<string, Promise<Buffer>>;
}

/** Makes the function that returns a file. Its URLs may depend on how the caller reaches the service. */
function readDocument(path: string, basePath: string, status = 200): Page {
  const isText = extname(path) !== ".tgz";
  const read = async () => {
    const content = await readFile(join(folder, path));
    return isText ? withBasePath(content.toString(), basePath) : content;
  };
  const bodyAt = (text: string | Buffer, origin: string) =>
    typeof text === "string" ? Buffer.from(text.replaceAll(baseUrlMarker, origin + basePath)) : text;
  let known: Prepared | undefined;
  return async (sent, origin) => {
    const text = known === undefined ? await read() : undefined;
    known ??= prepared(path, text as string | Buffer, bodyAt(text as string | Buffer, defaultOrigin));
    const { hasBaseUrl, compressed } = known;
    const isUsual = origin === undefined || !hasBaseUrl;
    const whole = async () => bodyAt(text ?? (await read()), isUsual ? defaultOrigin : origin);
    const headers = { ...known.headers, etag: isUsual ? known.etag : etagOf(await whole()) };
    const tags = sent["if-none-match"]?.split(",").map((tag) => tag.trim());
    if (status === 200 && (tags?.includes(headers.etag) || tags?.includes("*")))
      return { status: 304, headers, body: "" };
    const coding = isText ? codingFor(sent["accept-encoding"]) : undefined;
    if (coding === undefined) return { status, headers, body: await whole() };
    const coded = { status, headers: { ...headers, "content-encoding": coding } };
    // Text with the caller's URL is compressed fast and not kept, because any client can send a new Host with each request.
    if (!isUsual) return { ...coded, body: await compressors[coding](await whole(), fast) };
    const body = compressed.get(coding) ?? whole().then((usual) => compressors[coding](usual, thorough));
    compressed.set(coding, body);
    return { ...coded, body: await body };
  };
}

function prepared(path: string, text: string | Buffer, usual: Buffer): Prepared {
  const headers = {
    "content-type": contentTypes[extname(path)] as string,
    // The paths of assets have a hash of their content.
    "cache-control": path.startsWith("docs/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": policyOf(path, String(text)),
    vary: "accept-encoding",
    ...(path.startsWith("docs/downloads/") && { "content-disposition": "attachment" }),
  };
  return { etag: etagOf(usual), headers, hasBaseUrl: text.includes(baseUrlMarker), compressed: new Map() };
}

const { BROTLI_PARAM_QUALITY } = constants;
const fast = { level: 1, params: { [BROTLI_PARAM_QUALITY]: 4 } };
/** The best quality would take two seconds for the index of the search. */
const thorough = { level: 9, params: { [BROTLI_PARAM_QUALITY]: 9 } };

type Compressor = (body: Buffer, how: ZlibOptions & BrotliOptions) => Promise<Buffer>;
const compressors = {
  br: promisify(brotliCompress) as Compressor,
  gzip: promisify(gzip) as Compressor,
};

/** The best coding that a client accepts. */
export function codingFor(accepted: string | string[] | undefined): keyof typeof compressors | undefined {
  const names = String(accepted ?? "").split(/[\s,;]+/);
  return (["br", "gzip"] as const).find((name) => names.includes(name));
}

/** The tag is weak, because the body may be sent compressed or not. */
function etagOf(body: Buffer): string {
  return `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
}

/** Fills in the base path. The URL of a server in an OpenAPI document must not be empty. */
function withBasePath(text: string, basePath: string): string {
  return text
    .replaceAll(`"url":"${basePathMarker}"`, `"url":"${basePath === "" ? "/" : basePath}"`)
    .replaceAll(basePathMarker, basePath);
}

/** Finds the documentation: its files, redirects, and the page for people at an address that leads nowhere. */
export function readDocuments(basePath: string): FindPage {
  const pages = new Map<string, Page>();
  const home = `${basePath}/docs/`;
  const redirect = (status: number, location: string) => async () => ({
    status,
    headers: { location },
    body: "",
  });
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => extname(path) !== "" && path !== missingPageFile);
  const missing = readDocument(missingPageFile, basePath, 404);
  for (const path of paths) {
    const page = readDocument(path, basePath);
    const address = `${basePath}/${path.replace(/(?:\bindex)?\.html$/, "")}`;
    // A later build, whose parts have other names, may have replaced the file.
    pages.set(address, (...asked) =>
      page(...asked).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error;
        return missing(...asked);
      }),
    );
    // The names of files are addresses, too, as in a folder on a web server.
    if (path.endsWith(".html")) pages.set(`${basePath}/${path}`, redirect(308, address));
    if (address.endsWith("/")) pages.set(address.slice(0, -1), redirect(308, address));
  }
  // For people who open the address of the service or of its API.
  for (const path of ["/", "/docs", basePath, `${basePath}/`]) pages.set(path, redirect(302, home));
  // Where the operations of operators were.
  pages.set(`${basePath}/op/docs`, redirect(308, `${home}op/`));
  return (path, accept = "") => {
    const isForPeople = [home, `${basePath}/op/docs/`].some((folder) => path.startsWith(folder));
    return pages.get(path) ?? (isForPeople || accept.includes("text/html") ? missing : undefined);
  };
}
