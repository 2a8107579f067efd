/** The names of commands and records. */
import type { Operation } from "../../contract/operation.ts";

/** The fields of a request or of a record. */
export type Fields = Readonly<Record<string, unknown>>;

/** Nouns that end in an s and are no plurals, or are one thing of a business. */
const unchanged = new Set(["reward-settings", "status"]);

function singular(noun: string): string {
  if (unchanged.has(noun) || !noun.endsWith("s")) return noun;
  return noun.endsWith("sses") ? noun.slice(0, -2) : noun.slice(0, -1);
}

/**
 * The records that the service names by id, by the field of their id: what they are called, and the noun of their list.
 */
export const records: Readonly<Record<string, { readonly name: string; readonly noun: string }>> = {
  benefit_id: { name: "Top-up benefit", noun: "topup-benefits" },
  business_id: { name: "Business", noun: "businesses" },
  contact_id: { name: "Member", noun: "members" },
  integration_id: { name: "Integration", noun: "integrations" },
  location_id: { name: "Location", noun: "locations" },
  program_id: { name: "Reward program", noun: "programs" },
  tier_id: { name: "Tier", noun: "tiers" },
  voucher_id: { name: "Voucher", noun: "vouchers" },
};

/** Operations that are used by a hand-written command. */
const commandsOfTheirOwn: Readonly<Record<string, readonly string[]>> = {
  "/op/imports/members": ["import", "members"],
  "/op/imports/sales": ["import", "sales"],
  "/op/exports/members": ["export", "members"],
  "/op/exports/sales": ["export", "sales"],
  "/op/exports/transactions": ["export", "transactions"],
  "/op/ledger/verify": ["verify"],
  "/op/status/get": ["status"],
};

/** Whether an operation has a hand-written command. */
export function hasCommandOfItsOwn(path: string): boolean {
  return path in commandsOfTheirOwn;
}

/** The words of an operation's command: /op/businesses/create is `business create`. */
export function commandOfPath(path: string): readonly string[] {
  const [, , noun = "", ...verb] = path.split("/");
  return commandsOfTheirOwn[path] ?? [singular(noun), verb.join("-")];
}

/** The plural noun of a path, which also works as a command. */
export function pluralOf(path: string): string {
  return path.split("/")[2] as string;
}

/** The field whose id may stand without its option: the first id that is required besides the business. */
export function subjectField({ path, kind, input }: Operation): string | undefined {
  if (kind === "list" || path.endsWith("/create")) return undefined;
  const ids = (input.required ?? []).filter((field) => field.endsWith("_id"));
  return (
    ids.find((field) => field !== "business_id") ?? (path.startsWith("/op/businesses/") ? ids[0] : undefined)
  );
}

/** The name of a record; empty if it has none. */
export function nameOf(record: Fields): string {
  const { name, membership_name, campaign_name, title, first_name, last_name } = record;
  const found = name ?? membership_name ?? campaign_name ?? title;
  return typeof found === "string" ? found : [first_name, last_name].filter(Boolean).join(" ");
}
