/** Says what is wrong with a body that is no JSON object, and where. It runs only for a body that was rejected. */
import { isUtf8 } from "node:buffer";
import type { JsonReason } from "../contract/error-details.ts";
import { hasByteOrderMark, maximumDepth } from "./json.ts";

export interface JsonProblem {
  readonly reason: JsonReason;
  /** From 1, for the reasons that have a place. */
  readonly line?: number;
  readonly column?: number;
}

const space = /[ \t\n\r]*/y;
const text = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** @param bytes that `parseJsonObject` rejects */
export function jsonProblem(bytes: Buffer): JsonProblem {
  if (hasByteOrderMark(bytes)) return { reason: "byte_order_mark" };
  if (!isUtf8(bytes)) return { reason: "not_utf8" };
  const json = bytes.toString("utf8");
  if (json.trim() === "") return { reason: "empty" };
  try {
    readAll(json);
  } catch (error) {
    if (!(error instanceof Found)) throw error;
    const before = json.slice(0, error.at).split("\n");
    return { reason: error.reason, line: before.length, column: (before.at(-1) as string).length + 1 };
  }
  return { reason: "not_an_object" };
}

class Found extends Error {
  readonly reason: JsonProblem["reason"];
  readonly at: number;

  constructor(reason: JsonProblem["reason"], at: number) {
    super(reason);
    this.reason = reason;
    this.at = at;
  }
}

/** @throws Found at the first character that is wrong */
function readAll(json: string): void {
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const [found = ""] = pattern.exec(json) ?? [];
    at += found.length;
    return found;
  };
  const expect = (char: string) => {
    take(space);
    if (json[at] !== char) throw new Found("syntax", at);
    at += 1;
  };
  const readName = (names: Set<string>) => {
    take(space);
    const start = at;
    const quoted = take(text);
    if (quoted === "") throw new Found("syntax", start);
    const name = JSON.parse(quoted) as string;
    if (names.has(name)) throw new Found("duplicate_name", start);
    if (name === "__proto__") throw new Found("forbidden_name", start);
    names.add(name);
    expect(":");
  };
  const readValue = (depth: number) => {
    take(space);
    const open = json[at];
    if (open !== "{" && open !== "[") {
      if (take(text) === "" && take(scalar) === "") throw new Found("syntax", at);
      return;
    }
    if (depth === maximumDepth) throw new Found("too_deep", at);
    at += 1;
    const close = open === "{" ? "}" : "]";
    const names = new Set<string>();
    take(space);
    for (let isFirst = true; json[at] !== close; isFirst = false) {
      if (!isFirst) expect(",");
      if (open === "{") readName(names);
      readValue(depth + 1);
      take(space);
    }
    at += 1;
  };
  readValue(0);
  take(space);
  if (at < json.length) throw new Found("syntax", at);
}
