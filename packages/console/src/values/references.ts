/** Fields that name another record by its number. Forms offer the records, and tables show their names. */
import { declarationOf, type ListPath } from "../api/declarations.ts";
import { useAll } from "../api/queries.ts";
import { useMaybeBusiness } from "../business.tsx";

type Reference = Readonly<{ path: ListPath; id: string; name: string }>;

const references: Readonly<Record<string, Reference | undefined>> = {
  tier_id: { path: "/op/tiers/list", id: "tier_id", name: "name" },
  program_id: { path: "/op/programs/list", id: "program_id", name: "membership_name" },
  default_program_id: { path: "/op/programs/list", id: "program_id", name: "membership_name" },
  location_id: { path: "/op/locations/list", id: "location_id", name: "name" },
  location_ids: { path: "/op/locations/list", id: "location_id", name: "name" },
  voucher_id: { path: "/op/vouchers/list", id: "voucher_id", name: "campaign_name" },
  business_id: { path: "/op/businesses/list", id: "business_id", name: "name" },
  business_ids: { path: "/op/businesses/list", id: "business_id", name: "name" },
  integration_id: { path: "/op/integrations/list", id: "integration_id", name: "name" },
};

export type Choice = Readonly<{ value: string; label: string }>;

export function isReference(field: string): boolean {
  return references[field] !== undefined;
}

/** The records that a field can name; undefined while they load, or for another field. */
export function useChoices(field: string): readonly Choice[] | undefined {
  const business = useMaybeBusiness();
  const reference = references[field];
  const path = reference?.path ?? "/op/businesses/list";
  const isThere = business !== undefined || !("business_id" in declarationOf(path).input);
  const { data } = useAll(path, {} as never, { enabled: reference !== undefined && isThere });
  if (reference === undefined) return undefined;
  const rows = data?.data as readonly Readonly<Record<string, unknown>>[] | undefined;
  return rows?.map((row) => ({ value: String(row[reference.id]), label: String(row[reference.name]) }));
}
