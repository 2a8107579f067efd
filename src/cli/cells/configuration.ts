/** The cells that the command line knows: the file that LOYALTY_CELLS names. */
import { readFileSync } from "node:fs";
import type { Place } from "../../backup/copy.ts";
import { readSetting } from "../../credentials/secret-files.ts";
import { otherTargetOf } from "../../database/target.ts";
import { usageError } from "../terminal/cli-error.ts";

export interface Cell {
  /** Also the name of its backend in HAProxy. */
  readonly name: string;
  readonly url: string;
  /** Where its database is; undefined: the file does not say it. */
  readonly place: Place | undefined;
  readonly operatorKeyFile: string | undefined;
}

export interface Cells {
  readonly file: string;
  readonly cells: readonly [Cell, ...Cell[]];
  readonly haproxy: { readonly maps: string; readonly sockets: readonly string[] } | undefined;
}

const cellFields = ["url", "database_url", "database_url_file", "data_directory", "operator_key_file"];
const example =
  '{"cells": {"north": {"url": "http://10.0.0.1:8080", "database_url_file": "/etc/loyalty/north.url"}}}';

/**
 * @param fromFile variables of the environment that come from the file .env
 * @returns undefined when no cells are configured
 */
export function readCells(fromFile: ReadonlySet<string>): Cells | undefined {
  const file = process.env.LOYALTY_CELLS?.trim();
  if (!file) return undefined;
  if (fromFile.has("LOYALTY_CELLS") && !fromFile.has("LOYALTY_OPERATOR_KEY")) {
    throw usageError(
      "LOYALTY_CELLS is in the file .env, but the operator key is not.",
      "Somebody else may have written that file, and the command would send the key to the addresses that it names.",
      "Set LOYALTY_CELLS in the environment.",
    );
  }
  const given = parseCells(file);
  const wrong = (what: string) =>
    usageError(`The file ${file} of LOYALTY_CELLS is wrong: ${what}.`, `Example: ${example}`);
  if (!isObject(given) || !isObject(given.cells)) throw wrong("it needs a field cells");
  reject(given, ["cells", "haproxy"], "", wrong);
  const [first, ...others] = Object.entries(given.cells).map(([name, cell]) => givenCell(name, cell, wrong));
  if (first === undefined) throw wrong("it has no cell");
  return { file, cells: [first, ...others], haproxy: haproxyOf(given.haproxy, wrong) };
}

type Wrong = (what: string) => Error;
type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parseCells(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usageError(
      `The file ${file} of LOYALTY_CELLS ${code ? `can't be read (${code})` : "is no JSON"}.`,
      `Example: ${example}`,
    );
  }
}

function reject(given: Fields, known: readonly string[], where: string, wrong: Wrong): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw wrong(`${where}${unknown} is not one of ${known.join(", ")}`);
}

function givenCell(name: string, given: unknown, wrong: Wrong): Cell {
  if (!/^[A-Za-z][\w-]{0,62}$/.test(name))
    throw wrong(`the name "${name}" must have letters, digits, _ and - only`);
  if (!isObject(given)) throw wrong(`${name} must be an object`);
  reject(given, cellFields, `${name}.`, wrong);
  const text = (field: string) => {
    const value = given[field];
    if (value === undefined || (typeof value === "string" && value !== ""))
      return value as string | undefined;
    throw wrong(`${name}.${field} must be a text`);
  };
  const url = text("url");
  if (url === undefined) throw wrong(`${name}.url is required`);
  const dataDirectory = text("data_directory");
  const [address, file] = [text("database_url"), text("database_url_file")];
  const databaseUrl = readSetting(`${name}.database_url`, address, file, "_file");
  const hasPlace = dataDirectory !== undefined || databaseUrl !== undefined;
  return {
    name,
    url,
    place: hasPlace ? { dataDirectory: dataDirectory ?? "", databaseUrl } : undefined,
    operatorKeyFile: text("operator_key_file") ?? (dataDirectory && `${dataDirectory}/operator.key`),
  };
}

function haproxyOf(given: unknown, wrong: Wrong): Cells["haproxy"] {
  if (given === undefined) return undefined;
  if (!isObject(given) || typeof given.maps !== "string")
    throw wrong("haproxy.maps must be the directory of the maps");
  reject(given, ["maps", "sockets"], "haproxy.", wrong);
  const { maps, sockets = [] } = given;
  if (
    !Array.isArray(sockets) ||
    !sockets.every((socket) => /^(?:\/.+|[^/:]+:\d{1,5})$/.test(String(socket)))
  ) {
    throw wrong("haproxy.sockets must be a list of paths, or of addresses with a port");
  }
  return { maps, sockets };
}

/** @throws CliError when there is no such cell */
export function cellNamed({ cells, file }: Cells, name: string): Cell {
  const found = cells.find((cell) => cell.name === name || cell.url === name);
  if (found !== undefined) return found;
  throw usageError(
    `There is no cell ${name} in ${file}.`,
    `The cells are ${cells.map((cell) => cell.name).join(", ")}.`,
  );
}

/** @throws CliError when the file does not say where the database of a cell is */
export function placeOfCell({ name, place }: Cell, { file }: Cells): Place {
  // The error names the cell.
  if (place?.databaseUrl !== undefined)
    otherTargetOf(place.databaseUrl, `database_url of ${name} in ${file}`);
  if (place !== undefined) return place;
  throw usageError(
    `${file} does not say where the database of ${name} is: add database_url, database_url_file or data_directory.`,
  );
}
