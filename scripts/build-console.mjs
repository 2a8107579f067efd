/**
 * Builds the console into dist/console: a page for each language, and parts whose names have a hash of their content. Each part is compressed
 * here, so that the service only sends files. `npm run build` calls it.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { transform } from "lightningcss";
import { directImports } from "./direct-imports.mjs";

const root = join(import.meta.dirname, "..");
const output = join(root, "dist/console");

/** @typedef {Readonly<Record<string, object>>} ConsoleFacts what modules of the source export, by their paths */
/** @typedef {Readonly<Record<string, string>>} Words those of the page itself, by the names that it has for them */

/** @param {Readonly<Record<string, { facts: ConsoleFacts, page: Words }>>} languages from tools/console */
export async function buildConsole(languages) {
  const unfinished = `${output}.${process.pid}`;
  const sources = await Promise.all(
    Object.entries(languages).map(([language, one]) => buildLanguage(unfinished, language, one)),
  );
  write(join(unfinished, "licenses.txt"), licensesOf([...new Set(sources.flat())]));
  rmSync(output, { recursive: true, force: true });
  renameSync(unfinished, output);
}

/**
 * @param {string} folder @param {string} language @param {{ facts: ConsoleFacts, page: Words }} from
 * @returns {Promise<string[]>} the paths of all modules
 */
async function buildLanguage(folder, language, { facts, page: words }) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { [`console-${language}`]: "packages/console/src/main.tsx" },
    outdir: "dist/console/assets",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    jsx: "automatic",
    minify: true,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [factsPlugin(facts), directImports(language)],
    metafile: true,
    write: false,
    logLevel: "warning",
  });
  const built = outputFiles.map(({ path, contents, text }) => ({
    name: path.slice(join(output, "assets/").length),
    contents,
    text,
  }));
  const code = built.flatMap(({ name, text }) => (name.endsWith(".js") ? [text] : [])).join("\n");
  // Each part that is loaded later has the same style sheet, and nothing asks for it there.
  const wanted = built.filter(({ name }) => !name.endsWith(".css") || name.startsWith("console-"));
  const files = wanted.map((file) => (file.name.endsWith(".css") ? stylesOf(file, code) : file));
  for (const { name, contents } of files) {
    write(join(folder, "assets", name), contents);
    for (const [suffix, compress] of compressions) {
      // The name has a hash of the content, so an earlier build compressed the same.
      const earlier = join(output, "assets", name + suffix);
      const compressed = existsSync(earlier) ? readFileSync(earlier) : compress(contents);
      write(join(folder, "assets", name + suffix), compressed);
    }
  }
  const entry = (/** @type {string} */ type) =>
    files.find(({ name }) => name.startsWith("console-") && name.endsWith(type))?.name;
  const script = `${entry(".js")}`;
  // The program is in the part that its entry imports.
  const { imports = [] } = metafile.outputs[`dist/console/assets/${script}`] ?? {};
  const first = imports.find(({ kind }) => kind === "import-statement")?.path ?? script;
  const page = readFileSync(join(root, "packages/console/index.html"), "utf8")
    .replace("%FIRST_PART%", basename(first))
    .replace("%SCRIPT%", script)
    .replace("%STYLES%", `${entry(".css")}`)
    .replace('lang="en"', `lang="${language}" dir="${words.direction}"`)
    .replaceAll(/%(\w+)%/g, (marker, name) => words[name] ?? marker);
  write(join(folder, `index.${language}.html`), page);
  return Object.keys(metafile.inputs);
}

/** @type {[string, (contents: Uint8Array) => Buffer][]} */
const compressions = [
  [
    ".br",
    (contents) =>
      brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: contents.length } }),
  ],
  [".gz", (contents) => gzipSync(contents, { level: 9 })],
];

/**
 * The styles that the code uses. Mantine has one style sheet for all components, of which the console has half. Each class of a
 * component is unique, and is in the code that uses it. The name has a hash of what is left.
 * @param {{ name: string, contents: Uint8Array, text: string }} file
 * @param {string} code
 */
function stylesOf({ name, contents: all, text }, code) {
  const used = new Set(code.match(/\bm_[0-9a-f]+\b/g));
  const unusedSymbols = [...new Set(text.match(/(?<=\.)m_[0-9a-f]+\b/g))].filter((one) => !used.has(one));
  const { code: contents } = transform({ filename: name, code: all, minify: true, unusedSymbols });
  const hash = createHash("sha256").update(contents).digest("hex").slice(0, 8).toUpperCase();
  return { name: name.replace(/-[A-Z0-9]+\.css$/, `-${hash}.css`), contents };
}

/**
 * Puts facts in the place of empty modules of the source.
 * @param {ConsoleFacts} facts
 * @returns {import("esbuild").Plugin}
 */
function factsPlugin(facts) {
  return {
    name: "facts",
    setup({ onLoad }) {
      for (const [path, exported] of Object.entries(facts)) {
        const place = join(root, "packages/console/src", path);
        onLoad({ filter: new RegExp(`${basename(path, ".ts")}\\.ts$`) }, (file) =>
          file.path === place ? { contents: moduleOf(exported) } : undefined,
        );
      }
    },
  };
}

/** @param {object} exported the values by their names */
const moduleOf = (exported) =>
  Object.entries(exported)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
    .join("\n");

/**
 * The licenses of the packages that are part of the files. They demand to be shipped with them.
 * @param {string[]} sources paths of all modules
 */
function licensesOf(sources) {
  const packages = sources.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const texts = [...new Set(packages)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const file = ["LICENSE", "LICENSE.md", "license", "UNLICENSE"]
      .map((one) => join(root, folder, one))
      .find(existsSync);
    return `${name} ${version} (${license})\n\n${file === undefined ? "" : readFileSync(file, "utf8")}`;
  });
  return texts.join("\n\n");
}

/** @param {string} path @param {string | Uint8Array} contents */
function write(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}
