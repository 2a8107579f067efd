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

const takesBusiness = (path: ListPath) => outlineOf(path).takes.includes("business_id");

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

/**
 * The records that a field can name, with what is known of the request that reads them. For another field, nothing is read.
 * @param old whether those that can't be chosen any more are there, too
 */
export function useRecords(field: string, old = false) {
  const business = useMaybeBusiness();
  const path = lists[idOf(field)];
  const enabled = path !== undefined && (business !== undefined || !takesBusiness(path));
  const asked = old && path ? withOld(path) : {};
  const read = useAll(path ?? "/op/businesses/list", asked as never, { enabled });
  const codes = useMemo(() => codesOf(field), [field]);
  const choices = codes ?? (enabled ? choicesOf(field, read.data?.data ?? []) : undefined);
  return { choices, isLoading: read.isLoading, failure: read.data ? null : read.error, read: read.refetch };
}

/** Names records by their numbers, also those that can't be chosen any more. A number stands for a name that can't be read. */
export function useNames(field: string) {
  const { choices, isLoading } = useRecords(field, true);
  const nameless = (id: unknown) => (isLoading ? "" : String(id));
  return (id: unknown) => choices?.find(({ value }) => value === String(id))?.label ?? nameless(id);
}

/** The names of the records that a field can name, by their numbers. */
export async function readChoices(field: string, business_id: number): Promise<ReadonlyMap<string, string>> {
  const path = lists[idOf(field)] as ListPath;
  const request = { ...(takesBusiness(path) && { business_id }), ...withOld(path) };
  const { data } = await readAll(path, request as RequestOf<ListPath>);
  return new Map(choicesOf(field, data).map(({ value, label }) => [value, label]));
}
