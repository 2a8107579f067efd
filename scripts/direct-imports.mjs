/**
 * Imports each name of the console from the module that declares it. esbuild puts all modules that another one imports into the
 * same part, so a page that needs one component of a package would load all components that any page needs.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseSync } from "oxc-parser";

const packages = join(import.meta.dirname, "../node_modules");

/** @type {Map<string, import("oxc-parser").EcmaScriptModule>} */
const parsed = new Map();

/** @param {string} file @param {string} text */
function moduleOf(file, text = readFileSync(file, "utf8")) {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const { module } = parseSync(file, text);
  parsed.set(file, module);
  return module;
}

/** @param {string} from @param {string} request @returns the file of a module, or undefined for a package that is left as it is */
function fileOf(from, request) {
  if (request.startsWith("@mantine/")) return join(packages, request, "esm/index.mjs");
  return request.startsWith(".") ? resolve(dirname(from), request) : undefined;
}

/**
 * @param {string} file
 * @param {string | null} name
 * @returns {{ file: string, name: string } | undefined} where an export of a module is declared
 */
function placeOf(file, name) {
  for (const { exportName, importName, moduleRequest, isType } of moduleOf(file).staticExports.flatMap(
    ({ entries }) => entries,
  )) {
    const isNamed = exportName.name === name && !isType;
    if (isNamed && name !== null && moduleRequest === null) return { file, name };
    if (moduleRequest === null || !(isNamed || importName.kind === "AllButDefault")) continue;
    const of = isNamed ? importName.name : name;
    const source = fileOf(file, moduleRequest.value);
    const place = source ? placeOf(source, of) : isNamed && { file: moduleRequest.value, name: `${of}` };
    if (place) return place;
  }
  return undefined;
}

/**
 * The modules that are loaded when they are needed, by the modules that load them.
 * @param {string} folder of the sources
 */
function lazyModules(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(?<!\.test)\.tsx?$/.test(name),
  );
  return new Map(
    files.flatMap((name) => {
      const file = join(folder, name);
      const requests = readFileSync(file, "utf8").matchAll(/\bimport\("(\.[^"]+)"\)/g);
      return [...requests].map(([, request]) => [resolve(dirname(file), `${request}`), file]);
    }),
  );
}

/** What pages have in common, with their forms and the search, and the modules that load pages, forms and the search. */
const common = ["components.ts", "forms/form-dialog.tsx", "shell/search.tsx", "pages/lists.tsx"];
const loadPages = ["pages.tsx", "forms/operation-button.tsx", "shell/menu.tsx"];

/**
 * esbuild makes a part for each set of modules that need it: dozens, of which a browser loads few at the same time. If all modules that
 * are loaded later need the program, it is one part, and what is common to pages is another one.
 * @param {string} source the folder
 * @param {string | undefined} loadedBy the module that loads one later
 * @returns {string} imports for its end
 */
function sharedImports(source, loadedBy) {
  if (loadedBy === undefined) return "";
  const program = `\nimport ${JSON.stringify(join(source, "main.tsx"))};`;
  if (!loadPages.some((name) => loadedBy === join(source, name))) return program;
  // A module of which nothing is used would be left out.
  const others = common.map((name, nth) => {
    const of = `$common${nth}`;
    return `\nimport * as ${of} from ${JSON.stringify(join(source, name))}; Object.isFrozen(${of});`;
  });
  return program + others.join("");
}

/**
 * @param {string} language whose texts are in the place of the English ones
 * @returns {import("esbuild").Plugin}
 */
export const directImports = (language) => ({
  name: "direct-imports",
  setup({ onLoad }) {
    parsed.clear();
    const source = join(packages, "../packages/console/src");
    const lazy = lazyModules(source);
    onLoad({ filter: /(?:console[\\/]src|node_modules[\\/]@mantine)[\\/].*\.(?:tsx?|mjs)$/ }, (module) => {
      const path = module.path.replace(/(?<=src[\\/]texts[\\/])en(?=[\\/])/, language);
      let contents = readFileSync(path, "utf8");
      // From the last one on, because the text before it stays in its place.
      for (const { start, end, moduleRequest, entries } of moduleOf(
        path,
        contents,
      ).staticImports.toReversed()) {
        const file = fileOf(module.path, moduleRequest.value);
        if (file === undefined || !/\.m?[jt]sx?$/.test(file) || file.endsWith(".json")) continue;
        if (!entries.every(({ importName }) => importName.kind === "Name")) continue;
        const lines = entries.map(({ importName, localName, isType }) => {
          const place = isType ? undefined : placeOf(file, importName.name);
          return place
            ? `import { ${place.name} as ${localName.value} } from ${JSON.stringify(place.file)};`
            : "";
        });
        if (entries.length > 0) contents = contents.slice(0, start) + lines.join(" ") + contents.slice(end);
      }
      contents += sharedImports(source, lazy.get(module.path));
      return { contents, loader: /** @type {const} */ (path.endsWith("x") ? "tsx" : "ts") };
    });
  },
});
