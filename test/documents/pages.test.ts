/** The documentation as it is served: what it holds, where its links lead, how it is kept and guarded. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { errorsOf } from "../../src/contract/operation.ts";
import { scopes } from "../../src/domain/access/access.ts";
import { partnerOperations } from "../../src/operations/operations.ts";
import { type Reply, useWorld } from "../support/world.ts";

const world = useWorld();
const proxied = useWorld({ LOYALTY_TRUSTED_PROXIES: "127.0.0.1" });
const elsewhere = useWorld({ LOYALTY_BASE_PATH: "/loyalty/v1" });

const get = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  world.call(path, undefined, { method: "GET", headers });

const guides = [
  ...[
    "access-tokens",
    "demo-business",
    "client",
    "till",
    "bookings",
    "scopes",
    "locations",
    "idempotency",
    "pagination",
    "errors",
  ],
  ...["members", "sales", "points", "sandbox", "changes"],
];
const operations = ["/docs/sp/sales/record", "/docs/sp/auth/token", "/docs/op/members/merge"];
const ofOperators = ["/docs/operators/deploying", "/docs/operators/security", "/docs/decisions/"];
const pages = [
  ...["/docs/", "/docs/guides/", "/docs/reference/", "/docs/op/", ...operations, ...ofOperators],
  ...guides.map((name) => `/docs/guides/${name}`),
];

it("lies where somebody looks who was given the address of the service or of its API", async () => {
  for (const url of [new URL("/", world.baseUrl).href, world.baseUrl, `${world.baseUrl}/`]) {
    const reply = await fetch(url, { redirect: "manual" });
    expect([reply.status, reply.headers.get("location")]).toEqual([302, `${world.config.basePath}/docs/`]);
  }
});

/** What a page refers to by href or src. */
function linksOf(html: string): string[] {
  return [...html.matchAll(/\b(?:href|src|data-document)="([^"]+)"/g)].map(([, link]) => link as string);
}

describe.each(pages)("%s", (path) => {
  it("is a page with a title", async () => {
    const reply = await get(path);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(reply.text).toMatch(/^<!doctype html>\n<html lang="en"/i);
    expect(reply.text).toMatch(/<title>[^<]{8,}<\/title>/);
    expect(reply.text).toMatch(/<meta name="description" content="[^"]{20,}">/);
  });

  it("leads only to what is there, on this host", async () => {
    const { text } = await get(path);
    const base = `${world.baseUrl}${path}`;
    for (const link of new Set(linksOf(text))) {
      const { origin, pathname, hash, protocol } = new URL(link, base);
      // Documents for operators name their sources.
      if (ofOperators.includes(path) && protocol === "https:") continue;
      expect(origin, link).toBe(new URL(world.baseUrl).origin);
      const target = await fetch(origin + pathname);
      expect(target.status, link).toBe(200);
      if (hash !== "")
        expect(await target.text(), link).toContain(`id="${decodeURIComponent(hash.slice(1))}"`);
    }
  });

  it("loads nothing from elsewhere, runs only the scripts whose hashes are known, and can't be framed", async () => {
    const { text, headers } = await get(path);
    const policy = headers.get("content-security-policy") as string;
    expect(policy).toMatch(/^default-src 'none'; /);
    expect(policy).toContain("style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/https?:|\*|'unsafe-/);
    const inline = [...text.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(
      ([, script = ""]) => script,
    );
    const hashes = inline.map((script) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`);
    expect(policy).toContain(`script-src 'self' ${hashes.join(" ")};`);
    expect(hashes).toHaveLength(2);
    expect(text).not.toMatch(/<style|\sstyle="|\sonclick=/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("is sent again only when it has changed", async () => {
    const first = await get(path);
    expect(first.headers.get("cache-control")).toBe("no-cache");
    const again = await get(path, { "if-none-match": first.headers.get("etag") as string });
    expect(again.status).toBe(304);
    expect(again.text).toBe("");
  });
});

it("keeps the parts of pages for good, under names that change with them", async () => {
  const parts = linksOf((await get("/docs/")).text).filter((link) => link.includes("/docs/assets/"));
  expect(parts.length).toBeGreaterThanOrEqual(5);
  for (const link of parts) {
    expect(link).toMatch(/\/docs\/assets\/(?:chunks\/)?[\w.-]+\.[\w-]{8}(?:\.lean)?\.(?:js|css)$/);
    const part = await fetch(new URL(link, world.baseUrl));
    expect(part.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(part.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
  }
});

/** The bytes on the wire. */
function bodyOf(url: string, accepted: string, coding = accepted): Promise<Buffer> {
  return new Promise<Buffer>((resolve, reject) => {
    const call = request(url, { headers: { "accept-encoding": accepted } }, async (response) => {
      expect(response.headers["content-encoding"]).toBe(coding);
      resolve(Buffer.concat(await response.toArray()));
    });
    call.on("error", reject).end();
  });
}

it("compresses for those who can read it", async () => {
  const url = `${world.baseUrl}/openapi.json`;
  const plain = await fetch(url, { headers: { "accept-encoding": "identity" } });
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect(plain.headers.get("vary")).toBe("accept-encoding");
  const text = await plain.text();
  for (const [accepted, coding, decode] of [
    ["gzip", "gzip", gunzipSync],
    ["gzip, deflate, br", "br", brotliDecompressSync],
  ] as const) {
    const compressed = await bodyOf(url, accepted, coding);
    expect(decode(compressed).toString()).toBe(text);
    expect(compressed.length).toBeLessThan(text.length / 4);
  }
});

it("is small: the first visit of a page, with its styles and scripts", async () => {
  for (const path of ["/docs/", "/docs/guides/till", "/docs/sp/sales/record", "/docs/guides/errors"]) {
    const { text } = await get(path);
    const parts = [...text.matchAll(/<(?:link|script)[^>]*(?:href|src)="([^"]+)"/g)].map(
      ([, part = ""]) => part,
    );
    const sizes = await Promise.all(
      [path, ...new Set(parts)].map(async (part) => {
        const url = part === path ? world.baseUrl + path : new URL(part, world.baseUrl).href;
        return (await bodyOf(url, "br")).length;
      }),
    );
    expect(sizes.length).toBeGreaterThan(6);
    expect(
      sizes.reduce((sum, size) => sum + size, 0),
      path,
    ).toBeLessThan(130_000);
  }
});

it("lies under the base path that the service has", async () => {
  const page = await elsewhere.call("/docs/", undefined, { method: "GET" });
  expect(page.status).toBe(200);
  const links = linksOf(page.text).filter((each) => !each.startsWith("#"));
  for (const link of links) expect(link).toMatch(/^\/loyalty\/v1\//);
  // Scripts have addresses, too.
  const scripts = links.filter((link) => link.endsWith(".js"));
  expect(scripts.length).toBeGreaterThan(3);
  for (const link of scripts) {
    const text = await (await fetch(new URL(link, elsewhere.baseUrl))).text();
    expect(text).not.toMatch(/BASE_PATH\b|"\/api\//);
  }
});

describe("what partners can take along", () => {
  const download = async (name: string) => {
    const response = await fetch(`${world.baseUrl}/docs/downloads/${name}`);
    expect(response.status, name).toBe(200);
    expect(response.headers.get("content-disposition")).toBe("attachment");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    return response;
  };

  it("is the client as npm packs it, which installs from there", async () => {
    const sdk = fileURLToPath(new URL("../../packages/sdk", import.meta.url));
    const folder = await mkdtemp(join(tmpdir(), "loyalty-download-"));
    const npm = (...args: string[]) => promisify(execFile)("npm", args, { cwd: folder });
    try {
      const response = await download("loyalty-sdk.tgz");
      expect(response.headers.get("content-encoding")).toBeNull();
      const tarball = Buffer.from(await response.arrayBuffer());
      await writeFile(join(folder, "loyalty-sdk.tgz"), tarball);
      await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
      await npm("install", "--offline", "--no-audit", "--no-fund", "./loyalty-sdk.tgz");
      const { stdout } = await npm("pack", sdk, "--dry-run", "--json", "--ignore-scripts");
      const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
      for (const { path } of files) {
        const installed = await readFile(join(folder, "node_modules/loyalty-sdk", path), "utf8");
        expect(installed, path).toBe(await readFile(join(sdk, path), "utf8"));
      }
      const paths = await readdir(join(folder, "node_modules/loyalty-sdk"), { recursive: true });
      expect(paths.filter((path) => path.includes("."))).toHaveLength(files.length - 1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("is named on the reference page and in the guides", async () => {
    const { text: document } = await get("/openapi.json");
    expect(document).toContain(`(${world.config.basePath}/docs/guides/client)`);
    const { text: guide } = await get("/docs/guides/client");
    expect(linksOf(guide)).toContain(`${world.config.basePath}/docs/downloads/loyalty-sdk.tgz`);
  });
});

describe("the address that the guides show", () => {
  const shown = ["/docs/guides/demo-business", "/docs/guides/client"];

  /** As a client that writes its own headers; fetch won't. */
  function textFor(path: string, headers: Record<string, string>, of = world): Promise<string> {
    return new Promise((resolve, reject) => {
      const call = request(of.baseUrl + path, { headers }, async (response) =>
        resolve(Buffer.concat(await response.toArray()).toString()),
      );
      call.on("error", reject).end();
    });
  }

  it.each(shown)("is the one that was asked: %s", async (path) => {
    expect(await textFor(path, {})).toContain(world.baseUrl);
    for (const host of ["loyalty.example.com", "[::1]:8080", "LOYALTY.example.com:8443"]) {
      const text = await textFor(path, { host });
      expect(text).toContain(`http://${host.toLowerCase()}/api`);
      expect(text).not.toContain("127.0.0.1");
    }
    const under = await textFor(path, { host: "a.example" }, elsewhere);
    expect(under).toContain("http://a.example/loyalty/v1");
    expect(under).not.toContain("/api/sp");
  });

  it("is also in the documents for operators", async () => {
    const text = await textFor("/docs/operators/operating", { host: "loyalty.example.com" });
    expect(text).toContain("http://loyalty.example.com/api/console/");
    expect(text).not.toContain("http://127.0.0.1:8080/api");
  });

  it.each(shown)("is none that a page should not hold: %s", async (path) => {
    for (const host of [
      '"><script>alert(1)</script>',
      "a.example/evil",
      "a'b",
      "ana@a.example",
      "a.example b",
      "a".repeat(300),
    ]) {
      const text = await textFor(path, { host });
      expect(text).not.toContain(host);
      expect(text).not.toContain("alert(1)");
    }
  });

  it("is not what just anyone says that a proxy said", async () => {
    const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "loyalty.example.com" };
    expect(await textFor(shown[0] as string, forwarded)).not.toContain("loyalty.example.com");
    expect(await textFor(shown[0] as string, forwarded, proxied)).toContain(
      "https://loyalty.example.com/api",
    );
  });

  it("has an etag of its own", async () => {
    const tagFor = async (host: string) => {
      const { headers } = await new Promise<IncomingMessage>((resolve, reject) => {
        request(`${world.baseUrl}${shown[0]}`, { headers: { host } }, (response) =>
          resolve(response.resume()),
        )
          .on("error", reject)
          .end();
      });
      return headers.etag;
    };
    const [one, other, again] = [
      await tagFor("a.example"),
      await tagFor("b.example"),
      await tagFor("a.example"),
    ];
    expect(one).not.toBe(other);
    expect(again).toBe(one);
  });
});

it.each([
  ["/docs", "/docs/"],
  ["/op/docs", "/docs/op/"],
  ["/docs/guides", "/docs/guides/"],
  ["/docs/reference", "/docs/reference/"],
  ["/docs/index.html", "/docs/"],
  ["/docs/guides/index.html", "/docs/guides/"],
  ["/docs/guides/till.html", "/docs/guides/till"],
])("leads from %s to %s", async (from, to) => {
  const reply = await fetch(world.baseUrl + from, { redirect: "manual" });
  expect([302, 308]).toContain(reply.status);
  expect(reply.headers.get("location")).toBe(world.config.basePath + to);
  expect(reply.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});

it("responds to HEAD as to GET, without a body", async () => {
  const reply = await world.call("/docs/", undefined, { method: "HEAD" });
  expect(reply.status).toBe(200);
  expect(Number(reply.headers.get("content-length"))).toBeGreaterThan(500);
  expect(reply.text).toBe("");
});

it("leaves the operations and their responses as they are", async () => {
  const rejected = await get("/sp/members/list");
  expect(rejected.status).toBe(405);
  expect(rejected.headers.get("allow")).toBe("POST");
  expect(rejected.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
});

describe("an address that leads nowhere", () => {
  const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

  it.each([
    ["/docs/guides/nothing", {}],
    ["/docs/nothing", browser],
    ["/op/docs/nothing", {}],
    ["/docss", browser],
    ["/docs/missing", {}],
  ])("%s gets a page for people", async (path, headers) => {
    const absent = await get(path, headers);
    expect(absent.status).toBe(404);
    expect(absent.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(absent.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; connect-src 'self'; script-src 'self' 'sha256-/,
    );
    expect(absent.text).toMatch(/<h1[^>]*>There is no page at this address<\/h1>/);
    for (const link of new Set(linksOf(absent.text))) {
      expect((await fetch(new URL(link, world.baseUrl))).status, link).toBe(200);
    }
    const again = await get(path, { ...headers, "if-none-match": "*" });
    expect(again.status).toBe(404);
  });

  it("gets an error in the envelope for programs", async () => {
    const absent = await get("/docss", { accept: "*/*" });
    expect(absent.status).toBe(404);
    expect(absent.body.error.code).toBe("operation_not_found");
  });
});

it("explains every error and every scope that a partner can meet", async () => {
  const { text: errorGuide } = await get("/docs/guides/errors");
  const codes = new Set(partnerOperations.flatMap((operation) => errorsOf(operation)));
  for (const code of codes) expect(errorGuide).toContain(`<h3 id="${code}" `);
  const { text: scopeGuide } = await get("/docs/guides/scopes");
  for (const scope of Object.keys(scopes)) expect(scopeGuide).toContain(`<code>${scope}</code>`);
});
