/** Fields that name another record by its number. Forms offer the records, and tables show their names. */
import { useMemo } from "react";
import { declarationOf, type ListPath, type RequestOf, readAll, useAll } from "../api/index.ts";
import { useMaybeBusiness } from "../business.tsx";
import { codesOf } from "../texts/codes.ts";

type Reference = Readonly<{ path: ListPath; id: string; name: string }>;

const references: Readonly<Record<string, Reference | undefined>> = {
  tier_id: { path: "/op/tiers/list", id: "tier_id", name: "name" },
  program_id: { path: "/op/programs/list", id: "program_id", name: "membership_name" },
  default_program_id: { path: "/op/programs/list", id: "program_id", name: "membership_name" },
  location_id: { path: "/op/locations/list", id: "location_id", name: "name" },
  location_ids: { path: "/op/locations/list", id: "location_id", name: "name" },
  benefit_id: { path: "/op/topup-benefits/list", id: "benefit_id", name: "title" },
  voucher_id: { path: "/op/vouchers/list", id: "voucher_id", name: "campaign_name" },
  business_id: { path: "/op/businesses/list", id: "business_id", name: "name" },
  business_ids: { path: "/op/businesses/list", id: "business_id", name: "name" },
  integration_id: { path: "/op/integrations/list", id: "integration_id", name: "name" },
};

export type Choice = Readonly<{ value: string; label: string }>;

export function isReference(field: string): boolean {
  return references[field] !== undefined;
}

const choicesOf = ({ id, name }: Reference, rows: readonly object[] = []): readonly Choice[] =>
  (rows as readonly Record<string, unknown>[]).map((row) => ({
    value: String(row[id]),
    label: String(row[name]),
  }));

/** The records that a field can name; undefined while they load, or for another field. */
export function useChoices(field: string): readonly Choice[] | undefined {
  const business = useMaybeBusiness();
  const reference = references[field];
  const path = reference?.path ?? "/op/businesses/list";
  const isThere = business !== undefined || !("business_id" in declarationOf(path).input);
  const { data } = useAll(path, {} as never, { enabled: reference !== undefined && isThere });
  const codes = useMemo(() => codesOf(field), [field]);
  return codes ?? (reference && data && choicesOf(reference, data.data));
}

/** The names of the records that a field can name, by their numbers. */
export async function readChoices(field: string, business_id: number): Promise<ReadonlyMap<string, string>> {
  const reference = references[field] as Reference;
  const { path } = reference;
  const request = "business_id" in declarationOf(path).input ? { business_id } : {};
  const { data } = await readAll(path, request as RequestOf<ListPath>);
  return new Map(choicesOf(reference, data).map(({ value, label }) => [value, label]));
}
