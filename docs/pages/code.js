// What the build and the pages share: colours for code, and the code that sends a request.

/** @param {string} text */
export function escapeHtml(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

const js =
  /(?<comment>\/\/.*)|(?<text>"(?:\\.|[^"\\])*"|`[^`]*`)|(?<number>\b\d+\b)|(?<word>\b(?:async|await|const|for|from|function|if|import|let|new|of|return|undefined)\b)/g;
const languages = {
  json: /(?<name>"(?:\\.|[^"\\])*")(?=\s*:)|(?<text>"(?:\\.|[^"\\])*")|(?<number>-?\b\d+(?:\.\d+)?\b)|(?<word>\b(?:true|false|null)\b)/g,
  js,
  ts: js,
  sh: /(?<comment>^#.*)|(?<name>^\w+(?==))|(?<text>"(?:\\.|[^"\\])*"|'[^']*')|(?<word>^curl\b|(?<=\s)-[A-Za-z]+\b)/gm,
  python:
    /(?<comment>#.*)|(?<text>"(?:\\.|[^"\\])*")|(?<number>\b\d+\b)|(?<word>\b(?:as|def|except|for|global|if|import|None|raise|return|True|try|while|with)\b)/g,
  php: /(?<comment>\/\/.*)|(?<text>"(?:\\.|[^"\\])*")|(?<number>\b\d+\b)|(?<word>\b(?:echo|exit|false|function|global|if|null|return|true|while)\b)/g,
};

/** Highlights code: wraps its parts in spans. */
export function highlight(code, language) {
  const parts = languages[language];
  if (parts === undefined) return escapeHtml(code);
  let html = "";
  let at = 0;
  for (const match of code.matchAll(parts)) {
    const [kind] = Object.entries(match.groups).find(([, found]) => found !== undefined);
    html += `${escapeHtml(code.slice(at, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(at));
}

/** A value that the code reads from the environment. */
class Environment {
  constructor(name) {
    this.name = name;
  }
}

/** How a language writes values. */
const styles = {
  sh: {
    indent: "  ",
    braces: "{}",
    name: (name) => `${JSON.stringify(name)}: `,
    text: (text) => JSON.stringify(text).replaceAll("'", String.raw`'\''`),
    environment: (name) => `"'"$${name}"'"`,
    trailing: "",
  },
  ts: {
    indent: "  ",
    braces: "{}",
    name: (name) => `${name}: `,
    environment: (name) => `process.env.${name}!`,
  },
  python: {
    indent: "    ",
    braces: "{}",
    words: { true: "True", false: "False", null: "None" },
    environment: (name) => `os.environ["${name}"]`,
  },
  php: {
    indent: "    ",
    braces: "[]",
    empty: "(object) []",
    name: (name) => `${JSON.stringify(name)} => `,
    text: (text) => JSON.stringify(text).replaceAll("$", String.raw`\$`),
    environment: (name) => `getenv("${name}")`,
  },
};

/** Writes a JSON value in a language. @param before the indentation of the line where it begins */
function literal(value, language, before = "") {
  const style = styles[language];
  if (value instanceof Environment) return style.environment(value.name);
  if (typeof value === "string") return (style.text ?? JSON.stringify)(value);
  if (typeof value !== "object" || value === null) return style.words?.[value] ?? String(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? "[]" : style.braces;
  const inside = before + style.indent;
  const named = style.name ?? styles.sh.name;
  const items = Object.entries(value).map(
    ([name, item]) => (isList ? "" : named(name)) + literal(item, language, inside),
  );
  if (items.length === 0) return isList ? "[]" : (style.empty ?? style.braces);
  if (isList && value.every((item) => typeof item !== "object")) return open + items.join(", ") + close;
  const lines = items.map((item) => inside + item).join(",\n");
  return `${open}\n${lines}${style.trailing ?? ","}\n${before}${close}`;
}

/** The body in code: credentials come from the environment. */
const bodyInCode = (path, body) =>
  path === "/sp/auth/token"
    ? {
        ...body,
        client_id: new Environment("CLIENT_ID"),
        client_secret: new Environment("CLIENT_SECRET"),
      }
    : body;

/** The variable with the token that a request needs. */
function tokenOf(path) {
  if (path === "/sp/auth/token") return undefined;
  return path.startsWith("/op/") ? "OPERATOR_KEY" : "TOKEN";
}

/** The lines of headers, from the one with the token. */
const headerLines = (path, authorize, lines) => [
  ...(tokenOf(path) ? [authorize(tokenOf(path))] : []),
  ...lines,
];

function curl(path, body) {
  const lines = headerLines(path, (token) => `-H "Authorization: Bearer $${token}"`, [
    '-H "Content-Type: application/json"',
    `-d '${literal(body, "sh", "  ")}'`,
  ]);
  return [`curl -sS "$BASE_URL${path}"`, ...lines].join(" \\\n  ");
}

function typeScript(path, body) {
  if (path.startsWith("/op/")) return fetched(path, body);
  const call = path
    .split("/")
    .slice(2)
    .join(".")
    .replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());
  const argument = Object.keys(body).length === 0 ? "" : literal(body, "ts");
  return `import { LoyaltyClient } from "loyalty-sdk";

const loyalty = new LoyaltyClient({
  baseUrl: process.env.BASE_URL!,
  clientId: process.env.CLIENT_ID!,
  clientSecret: process.env.CLIENT_SECRET!,
});
console.log(await loyalty.${call}(${argument}));`;
}

/** The client has no operators' operations. */
function fetched(path, body) {
  return `const url = process.env.BASE_URL + "${path}";
const response = await fetch(url, {
  method: "POST",
  headers: {
    Authorization: "Bearer " + process.env.${tokenOf(path)},
    "Content-Type": "application/json",
  },
  body: JSON.stringify(${literal(body, "ts", "  ")}),
});
console.log(await response.json());`;
}

function python(path, body) {
  const lines = headerLines(path, (token) => `"Authorization": "Bearer " + os.environ["${token}"],`, [
    '"Content-Type": "application/json",',
  ]);
  return `import json, os, urllib.request

body = ${literal(body, "python")}
headers = {
    ${lines.join("\n    ")}
}
request = urllib.request.Request(
    os.environ["BASE_URL"] + "${path}",
    json.dumps(body).encode(),
    headers,
)
print(json.load(urllib.request.urlopen(request)))`;
}

function php(path, body) {
  const lines = headerLines(path, (token) => `"Authorization: Bearer " . getenv("${token}"),`, [
    '"Content-Type: application/json",',
  ]);
  return `<?php
$url = getenv("BASE_URL") . "${path}";
$body = ${literal(body, "php")};
$context = stream_context_create(["http" => [
    "method" => "POST",
    "header" => [
        ${lines.join("\n        ")}
    ],
    "content" => json_encode($body),
    "ignore_errors" => true,
]]);
$response = file_get_contents($url, false, $context);
print_r(json_decode($response, true));`;
}

/** The code that sends a request, in each language. */
export const samples = [
  { name: "curl", language: "sh", write: curl },
  { name: "TypeScript", language: "ts", write: typeScript },
  { name: "Python", language: "python", write: python },
  { name: "PHP", language: "php", write: php },
].map(({ write, ...sample }) => ({ ...sample, code: (path, body) => write(path, bodyInCode(path, body)) }));
