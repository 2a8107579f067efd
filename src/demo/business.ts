/** Makes the demo business and its sandbox from the file, in one transaction. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hashSecret, newClientId, newClientSecret } from "../credentials/keys.ts";
import type { DemoFile } from "../data-directory.ts";
import { insertBusiness, type NewBusiness } from "../database/access/businesses.ts";
import { insertIntegration, insertSecret } from "../database/access/integrations.ts";
import type { ProgramRow, PromotionRow, StampCardRow, TierRow } from "../database/catalog.ts";
import * as catalog from "../database/catalog.ts";
import type { Connection } from "../database/connection.ts";
import { setReferralCode } from "../database/engine/rewards/referrals.ts";
import { insertCodes } from "../database/engine/rewards/voucher-codes.ts";
import { type Settings, updateSettings } from "../database/engine/rules.ts";
import { setClock } from "../database/engine/sandbox.ts";
import { completeMembers, recordMembers } from "../database/imports/recording.ts";
import type { NewMember } from "../database/members/members.ts";
import { type OccasionRow, occasions } from "../database/occasions.ts";
import { allScopes, type Scope, scopesInRealTime } from "../domain/access/access.ts";
import type { Benefit } from "../domain/engine/movement.ts";
import type { VoucherDefinition } from "../domain/engine/rules.ts";
import { codeKey } from "../domain/engine/vouchers/codes.ts";
import { type PublicUse, plainVoucher, type VoucherTerms } from "../domain/engine/vouchers/terms.ts";
import { packageRoot } from "../package.ts";
import { insertRejectedRequest } from "./requests.ts";
import { type Moment, playStory } from "./story.ts";

/** The file explains its parts. Locations, tiers, vouchers and members are named by their place in their list. */
interface DemoData {
  readonly business: NewBusiness;
  readonly locations: readonly string[];
  readonly tiers: readonly Omit<TierRow, "tier_id">[];
  /** The program by which members earn. */
  readonly program: Omit<ProgramRow, "program_id">;
  readonly settings: Omit<Settings, "version" | "default_program_id">;
  readonly promotions: readonly Omit<PromotionRow, "promotion_id">[];
  readonly vouchers: readonly (Omit<VoucherDefinition, "voucher_id" | "location_id" | keyof VoucherTerms> &
    Partial<VoucherTerms & PublicUse> & {
      /** Its place in the list; null: everywhere. */
      readonly location: number | null;
      readonly unique_codes?: readonly string[];
    })[];
  readonly stamp_cards: readonly (Omit<StampCardRow, "stamp_card_id" | "voucher_id"> & {
    readonly voucher: number;
  })[];
  readonly occasions: readonly Omit<OccasionRow, "occasion_id">[];
  readonly benefits: readonly (Omit<Benefit, "benefit_id" | "location_id"> & { readonly location: number })[];
  readonly members: readonly DemoMember[];
  readonly story: readonly Moment[];
}

interface DemoMember extends Omit<NewMember, "external_ref" | "password_hash"> {
  /** How many seconds before the last midnight. */
  readonly joined: number;
  readonly referral_code?: string;
}

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
  const make = async (business: NewBusiness, scopes: readonly Scope[], members: readonly DemoMember[]) => {
    const made = await insertDefinitions(tx, { ...data, business }, scopes, dateBack(secondsOfYear));
    const contact_ids = await insertMembers(tx, made.business_id, members, dateBack);
    return { ...made, contact_ids };
  };
  const { contact_ids, vouchers, benefits, ...made } = await make(
    ...([data.business, scopesInRealTime, data.members] as const),
  );
  const ofSandbox = { ...data.business, name: `${data.business.name} sandbox` };
  const sandbox = await make(ofSandbox, allScopes, data.members.slice(0, sandboxMembers));
  // Statements of the two businesses are sent together, so that their results are awaited together.
  await Promise.all([
    playStory(tx, data.story, { ...made, contact_ids, vouchers, benefits }, dateBack),
    playStory(tx, data.story, sandbox, dateBack),
  ]);
  await setClock(tx, made.business_id, null);
  await setClock(tx, sandbox.business_id, new Date(now).toISOString());
  await insertRejectedRequest(tx, made.integration_id, now);

  const { business_id, client_id, client_secret, location_ids } = sandbox;
  return {
    ...made,
    benefit_ids: benefits.map(({ benefit_id }) => benefit_id),
    voucher_ids: vouchers.filter(({ archived }) => !archived).map(({ voucher_id }) => voucher_id),
    archived_voucher_id: (vouchers.find(({ archived }) => archived) as VoucherDefinition).voucher_id,
    contact_ids,
    sandbox: { business_id, client_id, client_secret, location_ids, contact_ids: sandbox.contact_ids },
  };
}

/** Makes a business with its definitions and an integration. @param begins where its clock stands, as PostgreSQL writes times */
async function insertDefinitions(tx: Connection, data: DemoData, scopes: readonly Scope[], begins: string) {
  const business_id = await insertBusiness(tx, data.business);
  await setClock(tx, business_id, begins);
  const location_ids: number[] = [];
  for (const name of data.locations) {
    location_ids.push((await catalog.locations.insert(tx, business_id, { name, closed: false })).location_id);
  }
  const { program_id } = await catalog.programs.insert(tx, business_id, data.program);
  // A sale that a till recorded before the business was made earns, too.
  await updateSettings(tx, business_id, { ...data.settings, default_program_id: program_id }, "ever");
  const tier_ids: number[] = [];
  for (const tier of data.tiers) {
    tier_ids.push((await catalog.tiers.insert(tx, business_id, tier)).tier_id);
  }
  for (const promotion of data.promotions) await catalog.promotions.insert(tx, business_id, promotion);
  const vouchers: VoucherDefinition[] = [];
  for (const { location, unique_codes = [], ...voucher } of data.vouchers) {
    const location_id = location === null ? null : (location_ids[location] as number);
    const defined = { ...plainVoucher, ...voucher, location_id };
    const made = await catalog.vouchers.insert(tx, business_id, defined);
    vouchers.push(made);
    const codes = unique_codes.map((code) => ({ code, code_key: codeKey(code) }));
    if (codes.length > 0) await insertCodes(tx, business_id, made.voucher_id, codes);
  }
  for (const { voucher, ...card } of data.stamp_cards) {
    const { voucher_id } = vouchers[voucher] as VoucherDefinition;
    await catalog.stampCards.insert(tx, business_id, { ...card, voucher_id });
  }
  for (const occasion of data.occasions) await occasions.insert(tx, business_id, occasion);
  const benefits: Benefit[] = [];
  for (const { location, ...benefit } of data.benefits) {
    const location_id = location_ids[location] as number;
    benefits.push(await catalog.benefits.insert(tx, business_id, { ...benefit, location_id }));
  }
  const [client_id, client_secret] = [newClientId(), newClientSecret()];
  const owner = { businessId: business_id, timeZone: data.business.time_zone };
  const grant = { name: "Demo", scopes: [...scopes], all_locations: false, location_ids };
  const { integration_id } = await insertIntegration(tx, owner, client_id, grant);
  await insertSecret(tx, business_id, integration_id, hashSecret(client_secret));
  const integration = { integration_id, client_id, client_secret };
  const ids = { location_ids, tier_ids, program_ids: [program_id] };
  return { business_id, ...integration, ...ids, vouchers, benefits };
}

/** Makes members with empty accounts and no password. @returns their contact_ids, in their order */
async function insertMembers(
  tx: Connection,
  businessId: number,
  members: readonly DemoMember[],
  dateBack: DateBack,
): Promise<number[]> {
  const rows = members.map(({ joined, referral_code: _, ...member }) => {
    return { ...member, external_ref: null, joined_at: dateBack(joined) };
  });
  const ids = await recordMembers(tx, businessId, rows);
  await completeMembers(tx, businessId, ids);
  for (const [nth, { contact_id }] of ids.entries()) {
    const code = members[nth]?.referral_code;
    if (code !== undefined) await setReferralCode(tx, businessId, contact_id, code);
  }
  return ids.map(({ contact_id }) => contact_id);
}
