/** The console as it is served, its size, and rules of its source. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { parseSync, Visitor } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { languages } from "../../packages/console/src/texts/languages.ts";
import { operatorOperations } from "../../src/operations/operations.ts";
import { type Reply, useWorld } from "../support/world.ts";

const world = useWorld();
const elsewhere = useWorld({ LOYALTY_BASE_PATH: "/loyalty/v1" });
const get = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  world.call(path, undefined, { method: "GET", headers });

const built = join(import.meta.dirname, "../../dist/console/assets");
const parts = readdirSync(built).filter((name) => /\.(?:js|css)$/.test(name));
const contentOf = (name: string) => readFileSync(join(built, name), "utf8");

describe("the page", () => {
  it.each(["/console/", "/console/1/members/100001", "/console/accept", "/console/1/nothing.html"])(
    "is at %s",
    async (path) => {
      const { status, headers, text } = await get(path);
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(text).toContain('data-base-path="/api"');
      const links = [...text.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, link]) => link as string);
      expect(links).toHaveLength(3);
      for (const link of links) expect((await fetch(new URL(link, world.baseUrl))).status).toBe(200);
    },
  );

  it("is where somebody looks who leaves out the slash", async () => {
    const reply = await fetch(`${world.baseUrl}/console`, { redirect: "manual" });
    expect([reply.status, reply.headers.get("location")]).toEqual([308, "/api/console/"]);
  });

  it("allows only its own scripts, and styles with the nonce of the response", async () => {
    const [one, other] = [await get("/console/"), await get("/console/")];
    const nonces = [one, other].map(({ headers, text }) => {
      const [, nonce] = /data-style-nonce="([A-Za-z0-9+/]{24})"/.exec(text) as RegExpExecArray;
      expect(headers.get("content-security-policy")).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; style-src-attr 'unsafe-inline'; ` +
          "connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      );
      return nonce;
    });
    expect(nonces[0]).not.toBe(nonces[1]);
    expect(one.headers.get("x-content-type-options")).toBe("nosniff");
    expect(one.headers.get("referrer-policy")).toBe("no-referrer");
    expect(one.text).not.toMatch(/<script>|<style|onclick=/);
  });

  it("moves with the base path", async () => {
    const reply = await fetch(`${elsewhere.baseUrl}/console/`);
    const text = await reply.text();
    expect(text).toContain('data-base-path="/loyalty/v1"');
    expect(text).toContain('src="/loyalty/v1/console/assets/');
  });
});

describe("a part", () => {
  const [part = ""] = parts.filter((name) => name.endsWith(".js"));

  it("is stored for a year, because its name changes with its content", async () => {
    const { status, headers } = await get(`/console/assets/${part}`);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
  });

  it.each(parts)("%s is the same in each coding", (name) => {
    const content = readFileSync(join(built, name));
    expect(brotliDecompressSync(readFileSync(join(built, `${name}.br`))).equals(content)).toBe(true);
    expect(gunzipSync(readFileSync(join(built, `${name}.gz`))).equals(content)).toBe(true);
  });

  it.each([
    ["br, gzip", "br"],
    ["gzip", "gzip"],
    ["identity", null],
  ])("is sent to a client that accepts %s as %s", async (accepted, coding) => {
    const { headers } = await get(`/console/assets/${part}`, { "accept-encoding": accepted });
    expect(headers.get("content-encoding")).toBe(coding);
    expect(headers.get("vary")).toBe("accept-encoding");
  });

  it.each(["missing.js", `${part}.br`, "../index.html", "%2e%2e/index.html", "licenses.txt"])(
    "%s is none",
    async (name) => {
      const { origin } = new URL(world.baseUrl);
      const reply = await fetch(`${origin}/api/console/assets/${name}`, { headers: { accept: "*/*" } });
      expect(reply.headers.get("content-type")).not.toMatch(/javascript|css/);
    },
  );
});

describe("the size", () => {
  /** The parts that a module loads at once, with itself. */
  function withImports(name: string, found = new Set<string>()): Set<string> {
    if (found.has(name)) return found;
    found.add(name);
    for (const [, other = ""] of contentOf(name).matchAll(/(?:from|import)"\.\/([^"]+)"/g))
      withImports(other, found);
    return found;
  }

  it.each(Object.keys(languages))(
    "of the first load in %s is at most 200 kB, compressed with gzip, and a page is few parts more",
    (language) => {
      const page = readFileSync(join(built, `../index.${language}.html`), "utf8");
      const entries = [...page.matchAll(/assets\/([^"]+)/g)].map(([, name]) => name as string);
      // The program with the page Today, the part with what it loads at once, and the styles.
      expect(entries).toHaveLength(3);
      const loaded = new Set(entries.flatMap((name) => [...withImports(name)]));
      const bytes = [...loaded].map((name) => readFileSync(join(built, `${name}.gz`)).length);
      expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(200_000);
      // A browser loads six parts at the same time.
      const later = [...loaded].flatMap((name) =>
        [...contentOf(name).matchAll(/import\("\.\/([^"]+)"\)/g)].map(([, part = ""]) => part),
      );
      expect(later.length).toBeGreaterThan(20);
      expect(later.filter((name) => name.startsWith("today"))).toEqual([]);
      const missing = later.map((name) => [...withImports(name)].filter((part) => !loaded.has(part)).length);
      expect(Math.max(...missing)).toBeLessThanOrEqual(13);
    },
  );

  it("of the source is at most 5,000 lines of code and 100 of styles, without the texts that people read", () => {
    const written = sources.filter(({ path }) => !/\/generated\/|\/texts\/|\.test\./.test(path));
    // A comment or an empty line is no code. To count them would reward their absence.
    const isCode = (line: string) => !/^\s*(?:$|\/\/|\/?\*)/.test(line);
    const linesOf = (isStyle: boolean) =>
      written
        .filter(({ path }) => path.endsWith(".css") === isStyle)
        .flatMap(({ text }) => text.split("\n").filter(isCode)).length;
    expect(linesOf(false)).toBeLessThanOrEqual(5000);
    expect(linesOf(true)).toBeLessThanOrEqual(100);
  });
});

const folder = join(import.meta.dirname, "../../packages/console/src");
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.(?:tsx?|css)$/.test(path))
  .map((path) => ({ path: `/${path}`, text: readFileSync(join(folder, path), "utf8") }));

it("the console offers every operation, or its README says why not", () => {
  const code = sources
    .filter(({ path }) => !/\/(?:generated|texts)\//.test(path))
    .map(({ text }) => text)
    .join("\n");
  const made = [...code.matchAll(/`(\/op\/[^`\s]*)`/g)].map(
    ([, path = ""]) => new RegExp(`^${path.replaceAll(/\$\{[^}]*\}/g, "[a-z-]+")}$`),
  );
  const readme = readFileSync(join(folder, "../README.md"), "utf8");
  const [, part = ""] = readme.split("## What only programs and the command line can do");
  const [table = ""] = part.split("\n## ");
  const elsewhere = [...table.matchAll(/`(\/op\/[a-z/-]*)…?`/g)].map(([, path = ""]) => path);
  // A list offers a new record, and a page of settings changes them.
  const isOffered = (path: string) =>
    [path, path.replace(/create$/, "list"), path.replace(/\/(?:get|update)$/, "")].some((one) =>
      code.includes(`"${one}"`),
    ) || made.some((one) => one.test(path));
  const paths = operatorOperations.map(({ path }) => path);
  expect(paths.filter((path) => !isOffered(path) && !elsewhere.some((one) => path.startsWith(one)))).toEqual(
    [],
  );
  // Nor does it name one that the console offers.
  expect(elsewhere.filter((path) => code.includes(`"${path}"`))).toEqual([]);
});

/** Words between the elements of a component, or in an attribute that people read. */
function wordsIn(path: string, text: string): string[] {
  const found: string[] = [];
  const note = (words: unknown) => {
    if (typeof words === "string" && /\p{L}{2}/u.test(words)) found.push(`${path}: ${words.trim()}`);
  };
  const readable = /^(?:label|title|description|placeholder|alt|aria-label|error)$/;
  new Visitor({
    JSXText: ({ value }) => note(value),
    JSXAttribute: ({ name, value }) => {
      if (name.type !== "JSXIdentifier" || !readable.test(name.name)) return;
      if (value?.type === "Literal") note(value.value);
    },
    JSXExpressionContainer: ({ expression }) => {
      if (expression.type === "Literal") note(expression.value);
    },
  }).visit(parseSync(path, text).program);
  return found;
}

describe("the source", () => {
  it("has its texts in one file", () => {
    const components = sources.filter(({ path }) => path.endsWith(".tsx"));
    expect(components.flatMap(({ path, text }) => wordsIn(path, text))).toEqual([]);
    expect(wordsIn("a.tsx", '<p title="Some words">Other {"words"}</p>')).toHaveLength(3);
  });

  it("knows no markup in data", () => {
    expect(sources.filter(({ text }) => /dangerouslySetInnerHTML|innerHTML/.test(text))).toEqual([]);
  });
});
