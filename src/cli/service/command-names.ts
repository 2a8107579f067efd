/** The words of the command line, derived from the paths and the fields of operations. */
import type { Operation } from "../../contract/operation.ts";
import { operatorOperations } from "../../operations/operations.ts";
import { previewImport } from "../../operations/operator/imports/preview.ts";
import { listRejectedLines } from "../../operations/operator/imports/rejected.ts";
import { startImport } from "../../operations/operator/imports/start.ts";
import { uploadImport } from "../../operations/operator/imports/upload.ts";
import { verifyLedger } from "../../operations/operator/ledger/verify.ts";
import { acceptInvitationOperation } from "../../operations/operator/operators/accept.ts";
import { getInvitation } from "../../operations/operator/operators/get-invitation.ts";
import { previewRules } from "../../operations/operator/rules/preview.ts";
import { createSession } from "../../operations/operator/session/create.ts";
import { deleteSession } from "../../operations/operator/session/delete.ts";
import { getSession } from "../../operations/operator/session/get.ts";
import { getStatus } from "../../operations/operator/status/get.ts";

export const operationAt = (path: string) => operatorOperations.find((one) => one.path === path);

/** The words of commands that are written by hand, if the path has others. */
const ownWordsOf: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  [verifyLedger.path, ["verify"]],
  [getStatus.path, ["status"]],
  [previewRules.path, ["rules", "preview"]],
  [createSession.path, ["login"]],
  [acceptInvitationOperation.path, ["login"]],
  [getInvitation.path, ["login"]],
  [deleteSession.path, ["logout"]],
  [getSession.path, ["whoami"]],
  ...[uploadImport, previewImport, startImport, listRejectedLines].map(
    ({ path }) => [path, ["import"]] as const,
  ),
]);

/** Whether a hand-written command uses an operation. */
export const hasCommandOfItsOwn = (path: string) =>
  ownWordsOf.has(path) || /^\/op\/(?:imports|exports)\//.test(path);

/** Nouns that end in an s but are not plurals, or that a business has only once. */
const unchanged = new Set(["reward-settings", "status"]);

/** Webhook endpoints and what was sent to them have one noun. */
const deliveryCommands: Readonly<Record<string, string>> = { list: "deliveries", get: "delivery" };

/** The words of an operation's command: /op/businesses/create is `business create`. */
export function commandOfPath(path: string): readonly string[] {
  const [, , noun = "", ...verb] = path.split("/");
  if (noun === "webhook-endpoints") return ["webhook", verb.join("-")];
  if (noun === "webhook-deliveries") return ["webhook", deliveryCommands[verb.join("-")] ?? verb.join("-")];
  const singular = unchanged.has(noun) ? noun : noun.replace(/(ss)es$|s$/, "$1");
  const nouns = noun === "operator-keys" ? ["operator", "key"] : [singular];
  return ownWordsOf.get(path) ?? [...nouns, verb.join("-")];
}

/** A text that names operations of the operator, with their commands instead. */
const inCommands = (text: string) =>
  text.replace(/\/op(?:\/[a-z-]+)+/g, (path) => `loyalty ${commandOfPath(path).join(" ")}`);

/** What a group of commands is about, if its noun does not say it. */
const subjects: Readonly<Record<string, string>> = {
  engine: "all points of a business",
  operators: "accounts of people, and keys of scripts",
  "operator-keys": "keys of scripts",
  sessions: "sessions of people",
  reports: "what a business owes its members, and what happened",
  "reward-points": "points by sale, and until when they are valid",
  "reward-settings": "whether and how sales earn points",
  webhooks: "where events are sent, and what was sent",
  vouchers: "voucher definitions, and the vouchers that members hold",
  wallet: "members' money",
};
export const aboutNoun = (noun: string) => subjects[noun] ?? noun.replaceAll("-", " ");

/** The plural noun of a path, which also works as a command. */
export const commandGroupOf = (path: string) =>
  pluralOf(path).startsWith("webhook-") ? "webhooks" : pluralOf(path);

export const pluralOf = (path: string) => path.split("/")[2] as string;

/** The field whose id needs no option on the command line: the first required id besides that of the business. */
export function subjectField({ path, input }: Operation): string | undefined {
  if (path.endsWith("/create")) return undefined;
  const ids = (input.required ?? []).filter((field) => field.endsWith("_id"));
  const own = ids.find((field) => field !== "business_id");
  return own ?? (pluralOf(path) === records.business_id?.noun ? ids[0] : undefined);
}

/** The field of the record that a field names: contact_id for from_contact_id, business_id for sandbox_business_id. */
export const recordField = (field: string) => field.replace(/^(from|sandbox)_/, "");

/** The records that have an id, by the field of the id: their name, and the noun of their list. */
export const records: Readonly<Record<string, { readonly name: string; readonly noun: string }>> = {
  benefit_id: { name: "Top-up benefit", noun: "topup-benefits" },
  business_id: { name: "Business", noun: "businesses" },
  endpoint_id: { name: "Webhook endpoint", noun: "webhook-endpoints" },
  contact_id: { name: "Member", noun: "members" },
  integration_id: { name: "Integration", noun: "integrations" },
  key_id: { name: "Operator key", noun: "operator-keys" },
  location_id: { name: "Location", noun: "locations" },
  operator_id: { name: "Operator", noun: "operators" },
  program_id: { name: "Reward program", noun: "programs" },
  promotion_id: { name: "Promotion", noun: "promotions" },
  occasion_id: { name: "Occasion", noun: "occasions" },
  stamp_card_id: { name: "Stamp card", noun: "stamp-cards" },
  sale_id: { name: "Sale", noun: "sales" },
  segment_id: { name: "Segment", noun: "segments" },
  session_id: { name: "Session", noun: "sessions" },
  tier_id: { name: "Tier", noun: "tiers" },
  voucher_id: { name: "Voucher", noun: "vouchers" },
};

export type Fields = Readonly<Record<string, unknown>>;

const nameFields = ["membership_name", "campaign_name", "title"];

export function recordName(record: Fields): string {
  const field = ["name", ...nameFields, "url"].find((one) => typeof record[one] === "string");
  return field ? String(record[field]) : [record.first_name, record.last_name].filter(Boolean).join(" ");
}

/** business_id is --business, location_ids is --locations, the name of a record is --name, and others keep their name. */
export function flagOf(field: string): string {
  if (nameFields.includes(field)) return "--name";
  return fullFlagOf(
    field
      .replace(/_id$/, "")
      .replace(/s_ids$/, "ses")
      .replace(/_ids$/, "s"),
  );
}

/** The option with the full name of a field, which works as well. */
export const fullFlagOf = (field: string) =>
  // --url is the address of the service, for every command.
  field === "url" ? "--endpoint-url" : `--${field.replaceAll("_", "-")}`;

/** A text of the API about operations, values and some fields, in words of the command line. */
export const inWordsOfCommands = (text: string, fields: object) =>
  withFlags(inCommands(text.replaceAll(/\bnull\b/g, "none")), fields);

/** A text that names fields, with their options instead. */
export function withFlags(text: string, fields: object): string {
  return text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => (word in fields ? flagOf(word) : word));
}
