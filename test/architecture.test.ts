/**
 * The architecture, held by reading the source. The tables come first and are meant to be read; the checker
 * follows, then the tests: the rules over the real tree, and the checker over planted violations.
 */
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { type Declaration, parseSync, Visitor } from "oxc-parser";
import { describe, expect, it } from "vitest";

/**
 * Imports go one way, and a layer may import itself:
 *
 *     main -> root, config -> http -> pipeline
 *     cli -> config, cli/service -> cli/terminal
 *     root, cli -> operations -> pipeline/postings, contract, domain, database, credentials
 *     pipeline -> pipeline/postings -> contract, domain, database
 *     contract -> types of database, credentials
 *     cli -> backup -> postgres -> database, credentials
 *     contract, database, credentials -> domain -> nothing
 *     demo -> pipeline/postings, operations
 *     root -> events -> domain, database, credentials
 *     root -> imports -> operations, pipeline/postings, contract, domain, database
 *     cli, root, http, database, demo -> package -> nothing
 *
 * A layer is a folder of src/. `cli/service`, `cli/terminal` and `pipeline/postings` are layers of their own. `main`, `config`, `package` and
 * `data-directory` are files in src/, and `root` is every other file that lies directly there. Nothing imports `main` or
 * `cli`, and nothing in src/ reaches outside src/.
 *
 * A grant is a layer ("domain"), or its types alone ("types of contract": `import type` only). Test files may import
 * what they like.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  main: ["root", "demo", "data-directory", "config", "domain", "database", "postgres", "credentials"],
  cli: [
    ...["cli/service", "cli/terminal", "package", "config", "operations", "contract", "domain", "database"],
    ...["backup", "postgres", "credentials", "data-directory"],
  ],
  "cli/service": [
    ...["cli/terminal", "operations", "contract", "domain", "credentials", "data-directory"],
    "types of backup",
  ],
  "cli/terminal": [],
  root: [
    ...[
      "package",
      "http",
      "pipeline",
      "pipeline/postings",
      "events",
      "imports",
      "operations",
      "domain",
      "database",
      "credentials",
    ],
    ...["types of config", "types of contract"],
  ],
  events: ["domain", "database", "credentials"],
  imports: ["operations", "pipeline/postings", "contract", "domain", "database"],
  http: ["package", "pipeline", "contract"],
  pipeline: ["pipeline/postings", "contract", "domain", "database", "credentials"],
  "pipeline/postings": ["contract", "domain", "database"],
  operations: ["pipeline/postings", "contract", "domain", "database", "credentials"],
  contract: ["domain", "types of database", "types of credentials"],
  database: ["package", "domain"],
  backup: ["postgres", "database", "credentials", "domain"],
  postgres: ["database", "credentials", "domain"],
  credentials: ["domain"],
  demo: ["package", "data-directory", "pipeline/postings", "operations", "database", "credentials", "domain"],
  "data-directory": ["credentials"],
  config: ["http", "contract", "domain", "database", "credentials"],
  package: [],
  domain: [],
};

/** The domain is pure: no package, no node: module, and none of these. Time and chance come in as arguments. */
const IMPURE: Record<string, RegExp> = {
  "the clock":
    /\bDate\.now\b|\bnew\s+Date\b(?!\s*\(\s*[^\s)])|(?<!\bnew\s+|[\w$.])Date\(|\bperformance\.now\b/,
  chance: /\bMath\.random\b|(?<![\w$.])crypto\./,
  "the process": /(?<![\w$.])process\s*[.[]|\bglobalThis\b/,
  "input or output": /(?<![\w$.])(?:fetch\s*\(|console\.|setTimeout\b|setInterval\b|setImmediate\b)/,
  "a dynamic import": /\bimport\s*\(/,
};

/** A source file longer than this holds more than one thing. */
const MAX_LINES = 400;

/** Words that name no subject: a file or folder called one of these gathers whatever is near. */
const EMPTY_NAMES = /(?:^|[-._])(?:utils?|helpers?|managers?|misc)(?=[-._]|$)/i;

/** Templates with these tags are SQL. Of src/, only these folders may contain SQL. */
const SQL_TAG = /(?<![\w$])(?:sql|tx)$/;
const SQL_FOLDERS = /^src\/(?:database|backup|postgres)\//;

/** The folders that are read, and the files in them. */
const ROOTS = ["src", "test", "tools", "packages", "scripts", "bench", "chaos", "examples"];
const SOURCE_FILE = /\.(?:ts|tsx|mts|js|mjs)$/;

type Files = ReadonlyMap<string, Source>;
type Rule = (path: string, source: Source, files: Files) => string[];

/** Each rule looks at one file and says what is wrong with it, as "path:line what". */
const RULES: Record<string, Rule> = {
  "imports go one way": importsGoOneWay,
  "packages import neither src nor test, but the console uses the rules in src/domain": packagesStandAlone,
  "bench and chaos share code in test/support": sharedCodeIsSupport,
  "the domain is pure": domainIsPure,
  "local times come from PostgreSQL": localTimesComeFromPostgres,
  "SQL is written in src/database, src/backup and src/postgres only": sqlStaysInDatabase,
  [`source files have at most ${MAX_LINES} lines`]: filesAreShort,
  "no file or folder is named utils, helpers, manager or misc": namesSaySomething,
  "a TODO or FIXME carries an issue number": todosAreTracked,
  "tests lie beside what they test, or in test/": testsLieBesideTheirSubject,
  "an exported function of src has a name of its own": exportsHaveTheirOwnNames,
};

function importsGoOneWay(path: string, source: Source): string[] {
  if (!path.startsWith("src/") || isTest(path)) return [];
  const from = layerOf(path);
  const grants = MAY_IMPORT[from];
  if (!grants) return [`${path}:1 src/${from} is no layer of MAY_IMPORT in test/architecture.test.ts`];
  return source.imports.flatMap(({ specifier, typeOnly, line }) => {
    const target = resolve(path, specifier);
    if (target === undefined) return [];
    if (!target.startsWith("src/")) return [`${path}:${line} src imports ${target}, outside src`];
    if (layerOf(target) === from || grants.some((grant) => covers(grant, target, typeOnly))) return [];
    return [`${path}:${line} ${from} may not import ${target}${typeOnly ? ", not even its types" : ""}`];
  });
}

function covers(grant: string, target: string, typeOnly: boolean): boolean {
  const to = layerOf(target);
  return grant === to || (typeOnly && grant === `types of ${to}`);
}

/** The grants that no file needs, as "layer -> grant": one that only needs types of a layer is granted those. */
function unusedGrants(files: Files): string[] {
  const imports = [...files].flatMap(([path, source]) =>
    path.startsWith("src/") && !isTest(path)
      ? source.imports.map(({ specifier, typeOnly }) => ({
          from: layerOf(path),
          target: resolve(path, specifier),
          typeOnly,
        }))
      : [],
  );
  return Object.entries(MAY_IMPORT).flatMap(([layer, grants]) =>
    grants
      .filter(
        (grant) =>
          !imports.some(
            ({ from, target, typeOnly }) =>
              from === layer &&
              target !== undefined &&
              covers(grant, target, typeOnly) &&
              typeOnly === grant.startsWith("types of"),
          ),
      )
      .map((grant) => `${layer} -> ${grant}`),
  );
}

function packagesStandAlone(path: string, source: Source): string[] {
  if (!path.startsWith("packages/")) return [];
  return source.imports.flatMap(({ specifier, line }) => {
    const target = resolve(path, specifier);
    const isRule = path.startsWith("packages/console/") && target?.startsWith("src/domain/");
    const isForeign = target && /^(?:src|test)\//.test(target) && !isRule;
    return isForeign ? [`${path}:${line} a package imports ${target}`] : [];
  });
}

/** Tests run short scenarios of chaos. */
function sharedCodeIsSupport(path: string, source: Source): string[] {
  const [from = ""] = path.split("/");
  if (!["bench", "chaos", "test"].includes(from)) return [];
  return source.imports.flatMap(({ specifier, line }) => {
    const target = resolve(path, specifier) ?? "";
    const isOwn = target.startsWith(`${from}/`) || (from !== "test" && target.startsWith("test/support/"));
    const isRun = /^test\/(?:reliability|security)\//.test(path) && target.startsWith("chaos/");
    const isForeign = /^(?:bench|chaos|test)\//.test(target) && !isOwn && !isRun;
    return isForeign ? [`${path}:${line} imports ${target}`] : [];
  });
}

function domainIsPure(path: string, source: Source): string[] {
  if (!path.startsWith("src/domain/") || isTest(path)) return [];
  const packages = source.imports
    .filter(({ specifier }) => resolve(path, specifier) === undefined)
    .map(({ specifier, line }) => `${path}:${line} the domain imports ${specifier}`);
  const impure = Object.entries(IMPURE).flatMap(([what, pattern]) =>
    [...source.code.matchAll(new RegExp(pattern, "g"))].map(
      (match) => `${path}:${lineAt(source.code, match.index)} the domain uses ${what}: ${match[0].trim()}`,
    ),
  );
  return [...packages, ...impure];
}

/** Node has a time zone database of its own, of another version. */
const NODE_LOCAL_TIMES =
  /\bDateTimeFormat\b|\btoLocale(?:Date|Time)String\b|\bsupportedValuesOf\b|\btimeZone:\s*["'`]/g;

function localTimesComeFromPostgres(path: string, source: Source): string[] {
  if (!path.startsWith("src/") || isTest(path)) return [];
  return [...source.code.matchAll(NODE_LOCAL_TIMES)].map(
    (match) => `${path}:${lineAt(source.code, match.index)} a local time of Node's: ${match[0]}`,
  );
}

function sqlStaysInDatabase(path: string, source: Source): string[] {
  if (!path.startsWith("src/") || SQL_FOLDERS.test(path) || isTest(path)) return [];
  return source.tags
    .filter(({ text }) => SQL_TAG.test(text))
    .map(({ line }) => `${path}:${line} SQL outside ${SQL_FOLDERS.source}`);
}

function filesAreShort(path: string, { text }: Source): string[] {
  if (!/^(?:src|packages\/[^/]+\/src)\//.test(path) || isTest(path) || isGenerated(path, text)) return [];
  const lines = text.replace(/\n$/, "").split("\n").length;
  return lines > MAX_LINES ? [`${path}:${MAX_LINES + 1} has ${lines} lines`] : [];
}

function namesSaySomething(path: string): string[] {
  const parts = path.split("/").map((part) => part.replace(/([a-z0-9])([A-Z])/g, "$1-$2"));
  return parts.some((part) => EMPTY_NAMES.test(part)) ? [`${path}:1 is named after no subject`] : [];
}

function todosAreTracked(path: string, source: Source): string[] {
  return source.comments.flatMap(({ text, line }) =>
    [...text.matchAll(/\b(TODO|FIXME)\b(?!\s*\(?#\d+)/g)].map(
      (match) =>
        `${path}:${line + lineAt(text, match.index) - 1} ${match[1]} without an issue, as in ${match[1]}(#12)`,
    ),
  );
}

function testsLieBesideTheirSubject(path: string, _source: Source, files: Files): string[] {
  if (/\.spec\.\w+$/.test(path)) return [`${path}:1 is not run: name it .test.ts`];
  if (!isTest(path) || path.startsWith("test/")) return [];
  const { dir, base } = posix.parse(path);
  const whole = base.replace(/\.test\.\w+$/, "");
  const subjects = [whole, whole.split(".")[0]].flatMap((name) => [
    `${dir}/${name}.ts`,
    `${dir}/${name}.tsx`,
  ]);
  const beside =
    /^(?:src|tools|packages\/[^/]+\/src)\//.test(path) && subjects.some((subject) => files.has(subject));
  return beside ? [] : [`${path}:1 tests nothing beside it: move it there, or to test/`];
}

/** Operations count as functions. A private name needs to be clear only in its file. */
function exportsHaveTheirOwnNames(path: string, source: Source, files: Files): string[] {
  if (!path.startsWith("src/") || isTest(path)) return [];
  return source.functions.flatMap(({ name, line }) => {
    const others = [...files].filter(
      ([other, { functions }]) =>
        other !== path &&
        other.startsWith("src/") &&
        !isTest(other) &&
        functions.some((one) => one.name === name),
    );
    return others.map(([other]) => `${path}:${line} ${name} is also a function of ${other}`);
  });
}

function isTest(path: string): boolean {
  return /\.test\.\w+$/.test(path);
}

function isGenerated(path: string, text: string): boolean {
  return /\/generated\/|\.generated\.\w+$/.test(path) || /@generated\b/.test(text.slice(0, 500));
}

function layerOf(path: string): string {
  const [, first = "", ...rest] = path.split("/");
  const inside = /^src\/(cli\/(?:service|terminal)|pipeline\/postings)\//.exec(path);
  if (inside !== null) return inside[1] as string;
  if (rest.length > 0) return first;
  const ofItsOwn = /^(main|config|package|data-directory)\.ts$/.exec(first);
  return ofItsOwn?.[1] ?? "root";
}

/** The path in the repository of a relative import; undefined for a package or a node: module. */
function resolve(importer: string, specifier: string): string | undefined {
  return specifier.startsWith(".") ? posix.join(posix.dirname(importer), specifier) : undefined;
}

/** A parsed source file: `code` is the text with comments, strings and patterns blanked. */
interface Source {
  readonly text: string;
  readonly code: string;
  readonly comments: readonly { text: string; line: number }[];
  /** The tags of templates. */
  readonly tags: readonly { text: string; line: number }[];
  readonly imports: readonly { specifier: string; typeOnly: boolean; line: number }[];
  /** The functions and the operations that the module exports. */
  readonly functions: readonly { name: string; line: number }[];
}

function read(path: string, text: string): Source {
  const { program, comments } = parseSync(path, text);
  const code = text.split("");
  const blank = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) if (code[at] !== "\n") code[at] = " ";
  };
  const tags: { text: string; line: number }[] = [];
  const imports: { specifier: string; typeOnly: boolean; line: number }[] = [];
  const noteImport = ({ start }: { start: number }, source: unknown, kind?: "type" | "value") => {
    const { value, quasis } = (source ?? {}) as { value?: unknown; quasis?: { value: { cooked: string } }[] };
    const specifier = quasis?.length === 1 ? quasis[0]?.value.cooked : value;
    if (typeof specifier !== "string") return;
    imports.push({ specifier, typeOnly: kind === "type", line: lineAt(text, start) });
  };
  for (const { start, end } of comments) blank(start, end);
  new Visitor({
    ImportDeclaration: (node) => noteImport(node, node.source, node.importKind),
    ExportNamedDeclaration: (node) => noteImport(node, node.source, node.exportKind),
    ExportAllDeclaration: (node) => noteImport(node, node.source, node.exportKind),
    ImportExpression: (node) => noteImport(node, node.source),
    TSImportType: (node) => noteImport(node, node.source, "type"),
    CallExpression: (node) => {
      if (node.callee.type === "Identifier" && node.callee.name === "require")
        noteImport(node, node.arguments[0]);
    },
    Literal: ({ start, end, value }) => {
      if (typeof value === "string" || value instanceof RegExp) blank(start + 1, end - 1);
    },
    TemplateElement: ({ start, end }) => blank(start, end),
    TaggedTemplateExpression: ({ start, tag }) =>
      void tags.push({ text: text.slice(tag.start, tag.end), line: lineAt(text, start) }),
  }).visit(program);
  return {
    text,
    code: code.join(""),
    comments: comments.map(({ value, start }) => ({ text: value, line: lineAt(text, start) })),
    tags,
    imports,
    functions: program.body
      .flatMap((statement) =>
        statement.type === "ExportNamedDeclaration" ? functionsOf(statement.declaration) : [],
      )
      .map(({ name, start }) => ({ name, line: lineAt(text, start) })),
  };
}

/** The functions that a statement declares: also those that are constants, and operations. */
function functionsOf(statement: Declaration | null): { name: string; start: number }[] {
  if (statement?.type === "FunctionDeclaration")
    return [{ name: statement.id?.name ?? "", start: statement.start }];
  if (statement?.type !== "VariableDeclaration") return [];
  return statement.declarations.flatMap(({ id, init, start }) => {
    const isFunction = /Function/.test(init?.type ?? "");
    const isOperation =
      init?.type === "CallExpression" &&
      init.callee.type === "Identifier" &&
      /Operation$/.test(init.callee.name);
    return id.type === "Identifier" && (isFunction || isOperation) ? [{ name: id.name, start }] : [];
  });
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

function check(rule: Rule, files: Files): string[] {
  return [...files].flatMap(([path, source]) => rule(path, source, files));
}

function filesOfTheRepository(): Files {
  const root = posix.join(import.meta.dirname.replaceAll("\\", "/"), "..");
  const files = new Map<string, Source>();
  const walk = (folder: string) => {
    for (const entry of readdirSync(posix.join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!["node_modules", "dist"].includes(entry.name)) walk(path);
      } else if (SOURCE_FILE.test(entry.name)) {
        files.set(path, read(path, readFileSync(posix.join(root, path), "utf8")));
      }
    }
  };
  const present = new Set(readdirSync(root));
  for (const folder of ROOTS) if (present.has(folder)) walk(folder);
  return files;
}

describe("the architecture", () => {
  const files = filesOfTheRepository();
  it.each(Object.entries(RULES))("%s", (_name, rule) => {
    expect(check(rule, files)).toEqual([]);
  });

  it("grants no import that no file needs", () => {
    expect(unusedGrants(files)).toEqual([]);
  });
});

describe("the checker", () => {
  /** By rule: a file, its text, and the line of the breach unless it is the first. */
  const violations: Record<string, [path: string, text: string, line?: number][]> = {
    "imports go one way": [
      ["src/domain/points.ts", 'import { a } from "../database/a.ts";'],
      ["src/domain/points.ts", 'import type { Config } from "../config.ts";'],
      ["src/database/a.ts", '\nimport type { A } from "../contract/a.ts";', 2],
      ["src/contract/a.ts", 'export * from "../database/a.ts";'],
      ["src/operations/partner/a.ts", 'import "../../pipeline/a.ts";'],
      ["src/operations/a.ts", 'import { config } from "../config.ts";'],
      ["src/pipeline/a.ts", 'const a = await import("../http/a.ts");'],
      ["src/pipeline/a.ts", "const a = await import(`../http/a.ts`);"],
      ["src/pipeline/a.ts", 'let log: import("../log.ts").Log;'],
      ["src/pipeline/a.ts", 'import { log } from "../log.ts";'],
      ["src/pipeline/a.ts", 'import type {\n  Log,\n} from "../log.ts";'],
      ["src/http/a.ts", 'import { connect } from "../database/connection.ts";'],
      ["src/http/a.ts", 'import { run } from "../cli/main.ts";'],
      ["src/cli/a.ts", 'import "../main.ts";'],
      ["src/http/a.ts", 'import { start } from "../../test/support/start.ts";'],
      ["src/http/a.ts", 'import { Client } from "../../packages/client/src/a.ts";'],
      ["src/jobs/a.ts", "export const a = 1;"],
    ],
    "packages import neither src nor test, but the console uses the rules in src/domain": [
      ["packages/x/src/a.ts", 'import a from "../../../src/domain/a.ts";'],
      ["packages/console/src/a.ts", 'import a from "../../../src/contract/a.ts";'],
      ["packages/x/src/a.test.ts", 'import "../../../test/a.ts";'],
    ],
    "bench and chaos share code in test/support": [
      ["bench/a.ts", 'import a from "../chaos/a.ts";'],
      ["chaos/load/a.ts", 'import a from "../../bench/a.ts";'],
      ["chaos/a.ts", 'import a from "../test/reliability/promises.ts";'],
      ["test/support/a.ts", 'import a from "../../chaos/a.ts";'],
      ["test/reliability/a.ts", 'import a from "../../bench/a.ts";'],
    ],
    "local times come from PostgreSQL": [
      ["src/operations/a.ts", 'const text = new Intl.DateTimeFormat("en", { timeZone }).format(at);'],
      ["src/cli/a.ts", 'const text = new Date(0).toLocaleDateString("en");'],
    ],
    "the domain is pure": [
      ["src/domain/a.ts", 'import { readFileSync } from "node:fs";'],
      ["src/domain/a.ts", 'import { randomUUID } from "node:crypto";'],
      ["src/domain/a.ts", 'import { Type } from "typebox";'],
      ["src/domain/a.ts", "const now = Date.now();"],
      ["src/domain/a.ts", "const now = new Date();"],
      ["src/domain/a.ts", "const now = new Date;"],
      ["src/domain/a.ts", "const now = new Date(/* now */);"],
      ["src/domain/a.ts", "const at = `at ${`${Date()}`}`;"],
      ["src/domain/a.ts", "const code = Math.random();"],
      ["src/domain/a.ts", "const code = crypto.randomUUID();"],
      ["src/domain/a.ts", "\n\nconst zone = process.env.TZ;", 3],
      ["src/domain/a.ts", "const rules = await import(path);"],
    ],
    "SQL is written in src/database, src/backup and src/postgres only": [
      ["src/operations/a.ts", "await sql`select 1`;"],
      ["src/operations/a.ts", "await tx<{ id: string; n: 1 }[]>`\nwith a`;"],
      ["src/cli/a.ts", "const n = `${await context.sql`delete from a`}`;"],
    ],
    "no file or folder is named utils, helpers, manager or misc": [
      ["src/http/utils.ts", ""],
      ["src/http/string-utils.ts", ""],
      ["src/helpers/a.ts", ""],
      ["test/support/test-helper.ts", ""],
      ["src/http/SessionManager.ts", ""],
    ],
    "a TODO or FIXME carries an issue number": [
      ["src/http/a.ts", "\n// TODO: later", 2],
      ["scripts/a.mjs", "/*\n * FIXME\n */", 2],
    ],
    "tests lie beside what they test, or in test/": [
      ["src/http/b.test.ts", ""],
      ["bench/a.test.ts", ""],
      ["test/a.spec.ts", ""],
    ],
    "an exported function of src has a name of its own": [
      ["src/http/a.ts", "\nexport function nameOf() {}", 2],
      ["src/http/a.ts", "export const nameOf = async () => 1;"],
      ["src/operations/a.ts", "export const nameOf = readOperation({});"],
    ],
  };
  /** Another file of the repository. */
  const other = read("src/domain/name.ts", "export function nameOf() {}");
  const breaches = Object.entries(violations).flatMap(([rule, cases]) =>
    cases.map(([path, text, line = 1]) => ({ rule, path, text, line })),
  );
  it.each(breaches)("finds a breach of: $rule; in $path, $text", ({ rule, path, text, line }) => {
    const files = new Map([
      [path, read(path, text)],
      ["src/domain/name.ts", other],
    ]);
    const found = check(RULES[rule]!, files).filter((line) => line.startsWith(path));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(`${path}:${line} `);
  });

  const allowed: [path: string, text: string][] = [
    ["src/main.ts", 'import { serve } from "./serve.ts";\nimport { config } from "./config.ts";'],
    ["src/cli/main.ts", 'import { migrate } from "../database/migrate.ts";'],
    ["src/pipeline/a.ts", 'import type { Tokens } from "../credentials/tokens.ts";'],
    ["src/operations/partner/a.ts", 'import { b } from "../b.ts";\nimport { c } from "../../contract/c.ts";'],
    ["src/operations/a.test.ts", 'import { start } from "../../test/support/start.ts";'],
    ["src/operations/a.ts", "export const a = await import(path);"],
    ["src/database/a.ts", "await tx`update a set b = 1`;"],
    ["src/http/a.ts", "const text = `select a wallet`; const from = html`with care`;"],
    ["src/contract/a.ts", 'import { Type } from "typebox";'],
    ["src/domain/a.ts", 'import { b } from "./b.ts";\nexport const day = (at: number) => new Date(at);'],
    [
      "src/domain/a.ts",
      "// never Date.now() here\nconst a = /[\"'`]/; const b = 'Math.random'; /* process.env */",
    ],
    [
      "src/domain/a.ts",
      'const text = `import from "pg" and ${a} process.env`; batch.process.start(); toDate(1);',
    ],
    ["src/domain/a.ts", 'const text = "import a from \\"node:fs\\"";\n// import "node:fs";'],
    ["src/http/management.ts", "// TODO(#12): and FIXME #13\nexport const text = 'TODO // TODO';"],
    ["packages/client/src/a.ts", 'import { b } from "./b.ts";'],
    ["test/flow.test.ts", 'import { a } from "../src/http/a.ts";\nawait sql`select 1`;'],
    ["src/http/a.ts", "function b() { const nameOf = () => 1; }\nconst { nameOf } = b;"],
    ["test/flow.test.ts", "function nameOf() {}"],
  ];
  it.each(allowed)("accepts in %s: %j", (path, text) => {
    const subject = path.replace(".test", "");
    const files = new Map([
      [subject, read(subject, "")],
      [path, read(path, text)],
      ["src/domain/name.ts", other],
    ]);
    expect(Object.values(RULES).flatMap((rule) => check(rule, files))).toEqual([]);
  });

  it("counts the lines of source files that people write", () => {
    const lines = (count: number, path: string, first = "") =>
      filesAreShort(path, read(path, `${first}\n${"x();\n".repeat(count - 1)}`));
    expect(lines(MAX_LINES, "src/http/a.ts")).toEqual([]);
    expect(lines(MAX_LINES + 1, "src/http/a.ts")).toEqual([`src/http/a.ts:401 has 401 lines`]);
    expect(lines(MAX_LINES + 1, "packages/client/src/a.ts")).toHaveLength(1);
    expect(lines(MAX_LINES + 1, "src/http/a.test.ts")).toEqual([]);
    expect(lines(MAX_LINES + 1, "src/contract/a.generated.ts")).toEqual([]);
    expect(lines(MAX_LINES + 1, "src/contract/a.ts", "// @generated by scripts/generate.mjs")).toEqual([]);
  });
});
