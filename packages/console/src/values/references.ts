/** Fields that name another record by its number. Forms offer the records, and tables show their names. */
import { useMemo } from "react";
import { type ListPath, outlineOf, type RequestOf, readAll, useAll } from "../api/index.ts";
import { outlines } from "../api/outlines.ts";
import { useMaybeBusiness } from "../business.tsx";
import { codesOf, nameOf, texts } from "../texts/index.ts";

/** Records that pages name by their numbers have a list and an operation that makes one. */
const lists: Readonly<Record<string, ListPath | undefined>> = Object.fromEntries(
  Object.entries(outlines).flatMap(([path, { names }]) => (names ? [[names, path as ListPath]] : [])),
);

/** Some fields have several numbers, or say for what the record is used. */
const idOf = (field: string) => field.replace(/^default_/, "").replace(/ids$/, "id");

export type Choice = Readonly<{ value: string; label: string }>;

export const isReference = (field: string): boolean => lists[idOf(field)] !== undefined;

const choicesOf = (field: string, rows: readonly object[]): readonly Choice[] =>
  (rows as readonly Record<string, unknown>[]).map((row) => ({
    value: String(row[idOf(field)]),
    label: row.closed ? texts.locations.closedName(nameOf(row)) : String(nameOf(row)),
  }));

/** Lists records that can't be chosen any more, too: they keep their names. */
function withOld(path: ListPath): object {
  const option = outlineOf(path).takes.find((name) => name.startsWith("include_"));
  return option ? { [option]: true } : {};
}

/** The records that a field can name; undefined while they load, or for another field. */
export function useChoices(field: string, old = false): readonly Choice[] | undefined {
  const business = useMaybeBusiness();
  const reference = lists[idOf(field)];
  const path = reference ?? "/op/businesses/list";
  const isThere = business !== undefined || !outlineOf(path).takes.includes("business_id");
  const asked = old ? withOld(path) : {};
  const { data } = useAll(path, asked as never, { enabled: reference !== undefined && isThere });
  const codes = useMemo(() => codesOf(field), [field]);
  return codes ?? (reference && data && choicesOf(field, data.data));
}

/** The same with those that can't be chosen any more. */
export const useNames = (field: string) => useChoices(field, true);

/** The names of the records that a field can name, by their numbers. */
export async function readChoices(field: string, business_id: number): Promise<ReadonlyMap<string, string>> {
  const path = lists[idOf(field)] as ListPath;
  const request = { ...(outlineOf(path).takes.includes("business_id") && { business_id }), ...withOld(path) };
  const { data } = await readAll(path, request as RequestOf<ListPath>);
  return new Map(choicesOf(field, data).map(({ value, label }) => [value, label]));
}
