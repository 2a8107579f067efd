/** Makes the demo business and its sandbox from the file, in one transaction. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hashSecret, newClientId, newClientSecret } from "../credentials/keys.ts";
import type { DemoFile } from "../data-directory.ts";
import { insertBusiness, type NewBusiness } from "../database/access/businesses.ts";
import { insertIntegration, insertSecret } from "../database/access/integrations.ts";
import {
  benefits,
  locations,
  type ProgramRow,
  programs,
  type TierRow,
  tiers,
  vouchers,
} from "../database/catalog.ts";
import type { Connection } from "../database/connection.ts";
import { type Settings, updateSettings } from "../database/engine/rules.ts";
import { setClocks } from "../database/engine/sandbox.ts";
import { countImportedMembers, recordMembers } from "../database/imports.ts";
import type { NewMember } from "../database/members/members.ts";
import { allScopes, type Scope, scopesInRealTime } from "../domain/access.ts";
import type { Benefit } from "../domain/engine/movement.ts";
import { tierByHand } from "../domain/engine/tier.ts";
import type { VoucherDefinition } from "../domain/engine/voucher.ts";
import { accounts, type EventType, eventTypes } from "../domain/ledger.ts";
import type { HeldVoucher } from "../domain/records.ts";
import { packageRoot } from "../package.ts";
import { openLedger } from "../pipeline/postings/open-ledger.ts";
import { insertRejectedRequest } from "./requests.ts";
import { playStory, type StoryStep } from "./story.ts";

/** The file explains its parts. Locations, tiers and members are named by their place in their list. */
interface DemoData {
  readonly business: NewBusiness;
  readonly locations: readonly string[];
  readonly tiers: readonly Omit<TierRow, "tier_id">[];
  /** The program by which members earn. */
  readonly program: Omit<ProgramRow, "program_id">;
  readonly settings: Omit<Settings, "version" | "default_program_id">;
  readonly vouchers: readonly (Omit<VoucherDefinition, "voucher_id" | "location_id"> & {
    readonly location: number | null;
  })[];
  readonly benefits: readonly (Omit<Benefit, "benefit_id" | "location_id"> & { readonly location: number })[];
  readonly members: readonly DemoMember[];
  readonly story: readonly StoryStep[];
  readonly entries: readonly (readonly [
    member: number,
    event_type: EventType,
    amount: number,
    location: number | null,
    reference_id: string | null,
    reason: string | null,
    time: number,
  ])[];
}

interface DemoMember extends Omit<NewMember, "external_ref" | "password_hash"> {
  readonly tier: number | null;
  readonly joined: number;
}

/** The id of a record that the file names by its place in a list. */
const idAt = (ids: readonly number[], place: number | null) =>
  place === null ? null : (ids[place] as number);

/** Returns the time that is this many seconds before the last midnight, as PostgreSQL writes it. */
type DateBack = (secondsBefore: number) => string;

const dayMilliseconds = 24 * 60 * 60 * 1000;
/** The history is a little longer than a year. */
const secondsOfYear = 367 * 24 * 60 * 60;
/** How many members of the demo business are in its sandbox, too. */
const sandboxMembers = 3;

/** Makes both businesses. @param now milliseconds. All entries are of earlier days. @returns their ids and credentials */
export async function insertDemo(tx: Connection, now: number): Promise<Omit<DemoFile, "base_url">> {
  const data = JSON.parse(readFileSync(join(packageRoot, "demo/lantern-coffee.json"), "utf8")) as DemoData;
  const midnight = Math.floor(now / dayMilliseconds) * dayMilliseconds;
  const dateBack: DateBack = (secondsBefore) =>
    new Date(midnight - secondsBefore * 1000).toISOString().replace("T", " ");

  const begins = dateBack(secondsOfYear);
  const {
    definitions,
    tiers: madeTiers,
    ...made
  } = await insertDefinitions(tx, data, scopesInRealTime, begins);
  const contact_ids = await insertMembers(tx, made.business_id, data.members, dateBack);
  const business = { ...data.business, name: `${data.business.name} sandbox` };
  const sandbox = await insertDefinitions(tx, { ...data, business }, allScopes, begins);
  const few = data.members.slice(0, sandboxMembers);
  const sandboxContacts = await insertMembers(tx, sandbox.business_id, few, dateBack);

  const casts = [
    { ...made, contact_ids, vouchers: definitions },
    { ...sandbox, contact_ids: sandboxContacts, vouchers: sandbox.definitions },
  ];
  await playStory(tx, data.story, casts, dateBack);
  await setClocks(tx, [made.business_id], null);
  await setClocks(tx, [sandbox.business_id], new Date(now).toISOString());
  await insertHistory(tx, data.entries, { ...made, contact_ids, definitions }, dateBack);
  const assigned = data.members.map(({ tier }) => madeTiers[tier ?? -1]);
  await assignTiers(tx, made.business_id, contact_ids, assigned);
  await insertRejectedRequest(tx, made.integration_id, now);

  const { business_id, client_id, client_secret, location_ids } = sandbox;
  const { benefits: offers, ...shown } = made;
  return {
    ...shown,
    benefit_ids: offers.map(({ benefit_id }) => benefit_id),
    voucher_ids: definitions.filter(({ archived }) => !archived).map(({ voucher_id }) => voucher_id),
    archived_voucher_id: (definitions.find(({ archived }) => archived) as VoucherDefinition).voucher_id,
    contact_ids,
    sandbox: { business_id, client_id, client_secret, location_ids, contact_ids: sandboxContacts },
  };
}

/** Makes a business with its definitions and an integration. @param begins where its clock stands, as PostgreSQL writes times */
async function insertDefinitions(tx: Connection, data: DemoData, scopes: readonly Scope[], begins: string) {
  const business_id = await insertBusiness(tx, data.business);
  await setClocks(tx, [business_id], begins);
  const location_ids: number[] = [];
  for (const name of data.locations) {
    location_ids.push((await locations.insert(tx, business_id, { name })).location_id);
  }
  const { program_id } = await programs.insert(tx, business_id, data.program);
  // A sale that a till recorded before the business was made earns, too.
  await updateSettings(tx, business_id, { ...data.settings, default_program_id: program_id }, "ever");
  const made: TierRow[] = [];
  for (const tier of data.tiers) made.push(await tiers.insert(tx, business_id, tier));
  const tier_ids = made.map(({ tier_id }) => tier_id);
  const definitions: VoucherDefinition[] = [];
  for (const { location, ...voucher } of data.vouchers) {
    const record = { ...voucher, location_id: idAt(location_ids, location) };
    definitions.push(await vouchers.insert(tx, business_id, record));
  }
  const offers: Benefit[] = [];
  for (const { location, ...benefit } of data.benefits) {
    const record = { ...benefit, location_id: location_ids[location] as number };
    offers.push(await benefits.insert(tx, business_id, record));
  }
  const [client_id, client_secret] = [newClientId(), newClientSecret()];
  const owner = { businessId: business_id, timeZone: data.business.time_zone };
  const grant = { name: "Demo", scopes: [...scopes], all_locations: false, location_ids };
  const { integration_id } = await insertIntegration(tx, owner, client_id, grant);
  await insertSecret(tx, integration_id, hashSecret(client_secret));
  const program_ids = [program_id];
  const integration = { integration_id, client_id, client_secret };
  const ids = { location_ids, tier_ids, program_ids };
  return { business_id, ...integration, ...ids, tiers: made, definitions, benefits: offers };
}

/** Makes members with empty accounts and no password. @returns their contact_ids, in their order */
async function insertMembers(
  tx: Connection,
  businessId: number,
  members: readonly DemoMember[],
  dateBack: DateBack,
): Promise<number[]> {
  const rows = members.map(({ joined, tier: _, ...member }) => {
    return { ...member, external_ref: null, joined_at: dateBack(joined) };
  });
  const ids = await recordMembers(tx, businessId, rows, []);
  const memberIds = ids.map(({ member_id }) => member_id);
  await countImportedMembers(tx, businessId, memberIds);
  return ids.map(({ contact_id }) => contact_id);
}

/** Records the entries of the file, which are in the order of time, and the vouchers that they issue and use. */
async function insertHistory(
  tx: Connection,
  entries: DemoData["entries"],
  {
    business_id,
    contact_ids,
    location_ids,
    definitions,
  }: Pick<DemoFile, "business_id" | "contact_ids" | "location_ids"> & {
    readonly definitions: readonly VoucherDefinition[];
  },
  dateBack: DateBack,
): Promise<void> {
  const ledger = await openLedger(tx, business_id, contact_ids, { balances: accounts });
  const vouchers: HeldVoucher[] = [];
  for (const [member, event_type, amount, location, reference_id, reason, time] of entries) {
    const at = dateBack(time);
    const sold_on = eventTypes[event_type].account === "sales" ? at.slice(0, 10) : undefined;
    const entry = { event_type, amount, created_at: at, sold_on, ...(reference_id && { reference_id }) };
    const location_id = idAt(location_ids, location);
    const contact_id = contact_ids[member] as number;
    ledger.post(contact_id, ({ voucherNo }) => {
      const of = { contact_id, event_type, value: Math.abs(amount), at };
      const held_voucher = voucherAfter(of, vouchers, definitions, voucherNo);
      return {
        entries: [entry],
        location_id,
        ...(reason && { reason }),
        changes: { held_voucher },
        data: {},
      };
    });
  }
  await ledger.record();
}

/** Assigns tiers by hand, from today on. @param assigned of the members in their order; undefined for none */
async function assignTiers(
  tx: Connection,
  businessId: number,
  contactIds: readonly number[],
  assigned: readonly (TierRow | undefined)[],
): Promise<void> {
  const ledger = await openLedger(tx, businessId, contactIds, { balances: ["sales"] });
  for (const [index, contactId] of contactIds.entries()) {
    const standing = tierByHand(undefined, assigned[index], ledger.today);
    const changes = standing && { tier_standing: [standing] };
    ledger.post(contactId, () => ({ entries: [], changes, data: {} }));
  }
  await ledger.record();
}

/** The voucher of an entry of the history, as it is afterwards; none for another entry. */
function voucherAfter(
  { contact_id, event_type, value, at }: VoucherEntry,
  vouchers: HeldVoucher[],
  definitions: readonly VoucherDefinition[],
  held_voucher_id: number,
): HeldVoucher[] {
  if (event_type === "voucher_issued") {
    const definition = definitions.find(({ coupon_value }) => coupon_value === value);
    if (definition === undefined) throw new Error(`no voucher of the demo is worth ${value}`);
    const { voucher_id, coupon_code, coupon_value, location_id } = definition;
    const issued: HeldVoucher = {
      ...{ held_voucher_id, contact_id, voucher_id, coupon_code, coupon_value, location_id },
      ...{
        reference_id: `HV-${held_voucher_id}`,
        issued_on: at.slice(0, 10),
        lapses_on: null,
        status: "held",
      },
      ...{ redeemed_at: null, sale_id: null, redemption_id: null },
    };
    vouchers.push(issued);
    return [issued];
  }
  if (event_type !== "voucher_redeemed" && event_type !== "voucher_reversed") return [];
  const isRedeemed = event_type === "voucher_redeemed";
  const index = vouchers.findIndex(
    (voucher) =>
      voucher.contact_id === contact_id &&
      voucher.coupon_value === value &&
      voucher.status === (isRedeemed ? "held" : "redeemed"),
  );
  const before = vouchers[index];
  if (before === undefined) throw new Error("the demo uses a voucher that its member does not hold");
  const after: HeldVoucher = {
    ...before,
    status: isRedeemed ? "redeemed" : "held",
    redeemed_at: isRedeemed ? at : null,
  };
  vouchers[index] = after;
  return [after];
}

interface VoucherEntry {
  readonly contact_id: number;
  readonly event_type: EventType;
  /** In minor units. */
  readonly value: number;
  /** As PostgreSQL writes times. */
  readonly at: string;
}
