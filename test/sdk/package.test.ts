/** What is published: its content, its types as others see them, its size, and what it needs of its host. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const execute = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const source = join(root, "packages/sdk");
const bin = (name: string) => join(root, "node_modules/.bin", name);

let directory = "";
let tarball = "";
let installed = "";

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-sdk-"));
  await execute("npm", ["pack", source, "--pack-destination", directory]);
  tarball = join(directory, (await readdir(directory)).find((name) => name.endsWith(".tgz"))!);
  const { version } = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
  expect(tarball).toContain(`loyalty-sdk-${version}.tgz`);
  await writeFile(join(directory, "package.json"), '{ "private": true, "type": "module" }');
  await execute("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: directory });
  installed = join(directory, "node_modules/loyalty-sdk");
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe("the package", () => {
  it("holds the compiled modules with their types, README and licence, and nothing else", async () => {
    const files = await readdir(installed, { recursive: true, withFileTypes: true });
    const names = files.filter((file) => file.isFile()).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["README.md", "LICENSE", "package.json", "index.js", "index.d.ts"]),
    );
    const others = names.filter((name) => !/\.(?:js|d\.ts)$/.test(name));
    expect(others.sort()).toEqual(["LICENSE", "README.md", "package.json", "package.json"]);
    expect(names.filter((name) => name.includes(".test."))).toEqual([]);
  });

  it("has the licence of the repository and no dependencies", async () => {
    const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([]);
    expect(manifest.scripts).toBeUndefined();
    const licences = [root, installed].map((folder) => readFile(join(folder, "LICENSE"), "utf8"));
    const [ours, theirs] = await Promise.all(licences);
    expect(theirs).toBe(ours);
  });

  it("is what publint and are-the-types-wrong want", async () => {
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
    expect(messages).toEqual([]);
    await execute(bin("attw"), [tarball, "--profile", "strict"]);
  });

  it("is loaded with require, and its errors have one class", async () => {
    const program = `const { LoyaltyClient, ValidationError, saleKey } = require("loyalty-sdk");
      const client = new LoyaltyClient({ baseUrl: "https://x.example/api", accessToken: "t", fetch: async () => new Response(JSON.stringify({
        success: false, message: "No.", error: { code: "validation_failed", details: { errors: [] } } }), { status: 422 }) });
      client.members.get({ contact_id: 1 }).catch((error) => console.log(error instanceof ValidationError, typeof saleKey));`;
    const { stdout } = await execute(process.execPath, ["--input-type=commonjs", "-e", program], {
      cwd: directory,
    });
    expect(stdout).toBe("true function\n");
  });

  it.each(["nodenext", "bundler"])(
    "has a README whose code compiles against it, with %s",
    async (resolution) => {
      const readme = await readFile(join(installed, "README.md"), "utf8");
      const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code);
      expect(blocks.length).toBeGreaterThan(5);
      await writeFile(
        join(directory, "readme.ts"),
        `${blocks.join("\n")}\nexport { balance_after, data, requestId, replayed };
      export { patient, second, withToken, tiers, wallet, points };\n`,
      );
      const options = {
        target: "es2023",
        module: resolution === "nodenext" ? "nodenext" : "esnext",
        moduleResolution: resolution,
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        skipLibCheck: false,
        types: ["node"],
        typeRoots: [join(root, "node_modules/@types")],
      };
      const project = { compilerOptions: options, files: ["readme.ts"] };
      await writeFile(join(directory, "tsconfig.json"), JSON.stringify(project));
      const compiled = execute(bin("tsc"), ["-p", directory]).then(
        () => "",
        (error) => error.stdout,
      );
      expect(await compiled).toBe("");
    },
  );
});

describe("its code", () => {
  async function bundled(format: "esm" | "iife"): Promise<string> {
    const { outputFiles } = await build({
      entryPoints: [join(installed, "dist/index.js")],
      bundle: true,
      minify: true,
      write: false,
      format,
      globalName: "loyalty",
      // No host in particular: an import of a node: module would fail.
      platform: "neutral",
    });
    return outputFiles[0]!.text;
  }

  it("is smaller than 10 KB, minified and compressed", async () => {
    const bytes = gzipSync(await bundled("esm"), { level: 9 }).length;
    expect(bytes).toBeLessThan(10_000);
    // The README says how small; it may round.
    expect(bytes).toBeLessThan(7500);
  });

  it("needs nothing but what every host of web APIs has", async () => {
    const sent: string[] = [];
    const responses = [
      { success: true, message: "", data: { access_token: "t", expires_in: 7200 }, meta: {} },
      { success: true, message: "", data: { contact_id: 7 }, meta: {} },
    ];
    const context = createContext({
      AbortController,
      URL,
      crypto,
      setTimeout,
      clearTimeout,
      fetch: async (url: string) => new Response(JSON.stringify(responses[sent.push(url) - 1])),
    });
    runInContext(`${await bundled("iife")}; globalThis.loyalty = loyalty;`, context);
    const call = `new loyalty.LoyaltyClient({ baseUrl: "https://x.example/api", clientId: "a", clientSecret: "b" })
      .members.update({ contact_id: 7, first_name: "Ana" })`;
    expect(await runInContext(call, context)).toEqual({ contact_id: 7, replayed: false, retries: 0 });
    expect(sent).toEqual(["https://x.example/api/sp/auth/token", "https://x.example/api/sp/members/update"]);
  });
});
