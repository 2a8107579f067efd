/** The records that a business defines: locations, tiers, reward programs, promotions, stamp cards, vouchers and top-up benefits. */
import type { LocationAccess } from "../domain/access/access.ts";
import type { Benefit } from "../domain/engine/movement.ts";
import type {
  LineRules,
  MemberLimits,
  Promotion,
  StampCard,
  Tier,
  VoucherDefinition,
} from "../domain/engine/rules.ts";
import { codeKey } from "../domain/engine/vouchers/codes.ts";
import { changeOfKind, type PublicUse } from "../domain/engine/vouchers/terms.ts";
import type { PageRequest } from "../domain/pagination.ts";
import type { EarningRate } from "../domain/records.ts";
import type { Connection } from "./connection.ts";
import { todayOf } from "./engine/due.ts";
import { lockSettings, readStamps, recordRules } from "./engine/rules.ts";
import { firstRow, newestFirst, oldestFirst, readPage, requiredRow, type SortColumn } from "./rows.ts";
import {
  assignmentsOf,
  type ChangeOf,
  type Fragment,
  fragment,
  list,
  nameInSql,
  type SqlValue,
} from "./sql.ts";

/** Which records a list has, and in which order. */
interface Listed {
  /** A condition to follow others. */
  readonly which?: Fragment | undefined;
  /** By default, the order of the kind. */
  readonly sort?: readonly SortColumn[] | undefined;
  /** Those of the caller. It also sees records without a location. */
  readonly locations: LocationAccess;
}

const atOneOf = (ids: ReadonlySet<number>) =>
  fragment`AND (location_id IS NULL OR location_id = ANY (${[...ids]}::bigint[]))`;

/**
 * Makes the statements for a table of records.
 * @param id the column with the number of a record
 * @param fields the other columns
 * @param present a further condition that rows must meet, which begins with AND
 */
export function recordTable<Row extends object, Id extends keyof Row & string>(
  name: string,
  id: Id,
  fields: readonly Exclude<keyof Row & string, Id>[],
  sort: readonly SortColumn[],
  present = fragment``,
) {
  const table = nameInSql(name);
  const columns = list([id, ...fields].map(nameInSql));
  const hasLocation = [id, ...fields].includes("location_id" as Id);
  const one = (businessId: number, recordId: number) =>
    fragment`business_id = ${businessId} AND ${nameInSql(id)} = ${recordId} ${present}`;
  const find = (sql: Connection, businessId: number, recordId: number, lock = fragment``) =>
    firstRow(sql<Row[]>`SELECT ${columns} FROM ${table} WHERE ${one(businessId, recordId)} ${lock}`);
  return {
    insert: (tx: Connection, businessId: number, record: Omit<Row, Id>) =>
      requiredRow(tx<Row[]>`
        INSERT INTO ${table} (business_id, ${list(fields.map(nameInSql))})
        VALUES (${businessId}, ${list(fields.map((field) => (record as Row)[field] as SqlValue))})
        RETURNING ${columns}`),
    find,
    /** Changes the fields given, at least one. @returns undefined when there is no such record */
    async update(tx: Connection, businessId: number, recordId: number, change: ChangeOf<Omit<Row, Id>>) {
      const [before, after] = await Promise.all([
        find(tx, businessId, recordId, fragment`FOR NO KEY UPDATE`),
        firstRow(tx<Row[]>`
          UPDATE ${table} SET ${assignmentsOf(fields, change)} WHERE ${one(businessId, recordId)}
          RETURNING ${columns}`),
      ]);
      return before && after && { before, after };
    },
    /** Deletes and returns a record. @returns undefined when there is no such record */
    remove: (tx: Connection, businessId: number, recordId: number) =>
      firstRow(tx<Row[]>`DELETE FROM ${table} WHERE ${one(businessId, recordId)} RETURNING ${columns}`),
    /** A page of the records that meet a condition, with the total. */
    page: (sql: Connection, businessId: number, page: PageRequest, listed: Listed) => {
      const { which = fragment``, locations } = listed;
      const isVisible = !hasLocation || locations.everywhere ? fragment`` : atOneOf(locations.ids);
      const from = fragment`FROM ${table} WHERE business_id = ${businessId} ${present} ${which} ${isVisible}`;
      return readPage<Row>(sql, { columns, from, sort: listed.sort ?? sort }, page);
    },
  };
}

export type RecordTable<Row extends object, Id extends keyof Row & string> = ReturnType<
  typeof recordTable<Row, Id>
>;

interface LocationRow {
  readonly location_id: number;
  readonly name: string;
  readonly closed: boolean;
}

export const locations = recordTable<LocationRow, "location_id">(
  "location",
  "location_id",
  ["name", "closed"],
  oldestFirst("location_id"),
);

/** Of locations. */
export const isOpen = fragment`AND NOT closed`;

export function listLocationNames(sql: Connection, businessId: number) {
  return sql<
    Omit<LocationRow, "closed">[]
  >`SELECT location_id, name FROM location WHERE business_id = ${businessId}`;
}

/** Finds the given ids that are not locations of the business. */
export async function findMissingLocations(
  tx: Connection,
  businessId: number,
  locationIds: readonly number[],
): Promise<number[]> {
  if (locationIds.length === 0) return [];
  const rows = await tx<{ location_id: number }[]>`
    SELECT location_id FROM location
    WHERE business_id = ${businessId} AND location_id = ANY (${locationIds}::bigint[])`;
  const present = new Set(rows.map((row) => row.location_id));
  return locationIds.filter((locationId) => !present.has(locationId));
}

export interface TierRow extends Omit<Tier, "program"> {
  /** The program by which its members earn; null: the default program. */
  readonly program_id: number | null;
}

const isThere = fragment`AND deleted_on IS NULL`;
const tierTable = recordTable<TierRow, "tier_id">(
  "member_tier",
  "tier_id",
  ["name", "expiry", "expiry_period", "qualifying_sales", "program_id"],
  [
    // Those without are last.
    { by: "coalesce(qualifying_sales, 9223372036854775807)", type: "bigint", isDescending: false },
    ...oldestFirst("tier_id"),
  ],
  isThere,
);

/** Waits for a change, and records the rules if there was one. @param changing undefined when nothing was changed */
async function withRules<Changed>(tx: Connection, businessId: number, changing: Promise<Changed>) {
  const changed = await changing;
  if (changed !== undefined) await recordRules(tx, businessId);
  return changed;
}

/** A change of a tier is a change of the rules, which are recorded. */
export const tiers = {
  ...tierTable,
  /** All tiers of a business, in the order they were made. */
  all: (sql: Connection, businessId: number) =>
    sql<TierRow[]>`
      SELECT tier_id, name, expiry, expiry_period, qualifying_sales, program_id FROM member_tier
      WHERE business_id = ${businessId} ${isThere} ORDER BY tier_id`,
  /** Finds a tier and keeps it from being deleted to the end of the transaction. */
  hold: (tx: Connection, businessId: number, tierId: number) =>
    tierTable.find(tx, businessId, tierId, fragment`FOR SHARE`),
  /** How many members have each of some tiers. */
  async countHolders(sql: Connection, businessId: number, tierIds: readonly number[]) {
    const rows = await sql<{ tier_id: number; members: number }[]>`
      SELECT tier_id, count(*) AS members FROM tier_standing
      WHERE business_id = ${businessId} AND tier_id = ANY (${tierIds}::bigint[]) GROUP BY tier_id`;
    return new Map(rows.map(({ tier_id, members }) => [tier_id, members]));
  },
  insert: (tx: Connection, businessId: number, tier: Omit<TierRow, "tier_id">) =>
    withRules(tx, businessId, tierTable.insert(tx, businessId, tier)),
  update: (tx: Connection, businessId: number, tierId: number, change: ChangeOf<Omit<TierRow, "tier_id">>) =>
    withRules(tx, businessId, tierTable.update(tx, businessId, tierId, change)),
  /** Marks a tier as deleted. Its members then have no tier, or the one that they qualify for. */
  remove: (tx: Connection, businessId: number, tierId: number) =>
    withRules(
      tx,
      businessId,
      firstRow(tx<TierRow[]>`
        UPDATE member_tier SET deleted_on = ${todayOf(businessId)}
        WHERE business_id = ${businessId} AND tier_id = ${tierId} ${isThere}
        RETURNING tier_id, name, expiry, expiry_period, qualifying_sales, program_id`),
    ),
};

/** A reward program. Operators set the rate by which it earns. */
export interface ProgramRow extends EarningRate, LineRules, MemberLimits {
  readonly program_id: number;
  readonly membership_name: string;
}

const programTable = recordTable<ProgramRow, "program_id">(
  "reward_program",
  "program_id",
  [
    ...([
      "membership_name",
      "maximum_points_per_order",
      "earn_points",
      "earn_amount",
      "earn_minimum_amount",
    ] as const),
    ...(["excluded_categories", "excluded_skus", "excluded_from_payment", "rates"] as const),
    ...(["maximum_points_per_day", "maximum_points_per_month"] as const),
  ],
  oldestFirst("program_id"),
);

/** A change of a program is a change of the rules, which are recorded. */
export const programs: typeof programTable = {
  ...programTable,
  update: (tx, businessId, programId, change) =>
    withRules(tx, businessId, programTable.update(tx, businessId, programId, change)),
  async remove(tx, businessId, programId) {
    // It may become the default program at the same time.
    await lockSettings(tx, businessId);
    await tx`
      UPDATE reward_settings SET default_program_id = NULL
      WHERE business_id = ${businessId} AND default_program_id = ${programId}`;
    await tx`
      UPDATE member_tier SET program_id = NULL WHERE business_id = ${businessId} AND program_id = ${programId}`;
    return withRules(tx, businessId, programTable.remove(tx, businessId, programId));
  },
};

/** A promotion, as operators define it. */
export interface PromotionRow extends Omit<Promotion, "voucher"> {
  readonly status: RecordStatus;
}

/** The status of a promotion, a stamp card or an occasion. */
export const recordStatuses = ["draft", "active", "paused", "ended"] as const;
export type RecordStatus = (typeof recordStatuses)[number];

const promotionTable = recordTable<PromotionRow, "promotion_id">(
  "promotion",
  "promotion_id",
  [
    ...(["name", "status", "first_day", "last_day", "weekdays", "from_time", "until_time"] as const),
    ...(["location_ids", "tier_ids", "skus", "categories", "minimum_amount", "minimum_quantity"] as const),
    ...(["multiply", "points", "voucher_id", "per", "exclusive", "member", "member_days"] as const),
    ...(["most_per_member", "most_per_member_day", "budget_points", "stamp_card_id", "stamps"] as const),
  ],
  newestFirst("promotion_id"),
);

/** A promotion that has not ended, with the number of its articles and categories. */
export interface PresentPromotion extends Pick<PromotionRow, "promotion_id" | "name"> {
  readonly words: number;
}

export const isActing = ({ status }: Pick<PromotionRow, "status">) => status === "active";

/** A change of a promotion, a stamp card or an occasion that acts is a change of the rules, which are recorded. */
export const acting = <Row extends Pick<PromotionRow, "status">, Id extends keyof Row & string>(
  table: RecordTable<Row, Id>,
): Pick<RecordTable<Row, Id>, "insert" | "update"> => ({
  async insert(tx, businessId, record) {
    const made = await table.insert(tx, businessId, record);
    if (isActing(made)) await recordRules(tx, businessId);
    return made;
  },
  async update(tx, businessId, id, change) {
    const changed = await table.update(tx, businessId, id, change);
    if (changed && (isActing(changed.before) || isActing(changed.after))) await recordRules(tx, businessId);
    return changed;
  },
});

export const promotions = {
  ...promotionTable,
  ...acting(promotionTable),
  present: (sql: Connection, businessId: number) =>
    sql<PresentPromotion[]>`
      SELECT promotion_id, name, cardinality(skus) + cardinality(categories) AS words FROM promotion
      WHERE business_id = ${businessId} AND status <> 'ended' ORDER BY business_id, promotion_id`,
};

/** A stamp card, as operators define it. */
export interface StampCardRow extends Omit<StampCard, "voucher"> {
  readonly status: RecordStatus;
}

const stampCardTable = recordTable<StampCardRow, "stamp_card_id">(
  "stamp_card",
  "stamp_card_id",
  [
    ...(["name", "status", "stamps_needed", "voucher_id", "counts", "most_per_day"] as const),
    ...(["skus", "categories", "counts_free_lines", "minimum_amount", "location_ids"] as const),
    ...(["validity", "validity_period"] as const),
  ],
  newestFirst("stamp_card_id"),
);

/** A stamp card, with what a member can know of its voucher. */
export interface PresentStampCard extends StampCardRow {
  readonly campaign_name: string;
  readonly archived: boolean;
  readonly location_id: number | null;
}

export const stampCards = {
  ...stampCardTable,
  ...acting(stampCardTable),
  async insert(tx: Connection, businessId: number, card: Omit<StampCardRow, "stamp_card_id">) {
    await readStamps(tx, businessId);
    return acting(stampCardTable).insert(tx, businessId, card);
  },
  /** Those that have not ended, and others with given numbers, in the order in which they were made. */
  present: (sql: Connection, businessId: number, ids: readonly number[] = []) =>
    sql<PresentStampCard[]>`
      SELECT c.*, v.campaign_name, v.archived, v.location_id FROM stamp_card c
      JOIN voucher v ON v.business_id = c.business_id AND v.voucher_id = c.voucher_id
      WHERE c.business_id = ${businessId} AND (c.status <> 'ended' OR c.stamp_card_id = ANY(${ids}::bigint[]))
      ORDER BY c.business_id, c.stamp_card_id`,
};

export const notArchived = fragment`AND NOT archived`;
export const isActive = fragment`AND status = 'active'`;

/** A voucher definition, as operators define it. */
export interface VoucherRow extends VoucherDefinition, PublicUse {
  /** The form in which the public code is compared. */
  readonly public_key: string | null;
}

const voucherTable = recordTable<VoucherRow, "voucher_id">(
  "voucher",
  "voucher_id",
  [
    ...(["campaign_name", "coupon_code", "coupon_value", "archived", "location_id", "points_price"] as const),
    ...(["validity", "validity_period"] as const),
    ...(["kind", "percent", "most_amount", "skus", "categories", "minimum_amount"] as const),
    ...(["public_code", "public_key", "most_per_member", "most_uses", "first_day", "last_day"] as const),
  ],
  newestFirst("voucher_id"),
);

const withKey = <Change extends ChangeOf<VoucherRow>>(change: Change): Change => {
  const { public_code } = change;
  return public_code === undefined ? change : { ...change, public_key: public_code && codeKey(public_code) };
};

/** A change of a voucher that a promotion, a stamp card or an occasion gives is a change of the rules. */
export const vouchers: typeof voucherTable = {
  ...voucherTable,
  insert: (tx, businessId, voucher) => voucherTable.insert(tx, businessId, withKey(voucher)),
  async update(tx, businessId, voucherId, wanted) {
    // A promotion, a stamp card or an occasion may begin to give it at the same time.
    await lockSettings(tx, businessId);
    const before = await voucherTable.find(tx, businessId, voucherId);
    const change = withKey(changeOfKind(before, wanted));
    const changed = await voucherTable.update(tx, businessId, voucherId, change);
    const [given] = await tx`
      SELECT FROM promotion WHERE business_id = ${businessId} AND voucher_id = ${voucherId} AND status = 'active'
      UNION ALL
      SELECT FROM stamp_card WHERE business_id = ${businessId} AND voucher_id = ${voucherId} AND status = 'active'
      UNION ALL
      SELECT FROM occasion WHERE business_id = ${businessId} AND voucher_id = ${voucherId} AND status = 'active' LIMIT 1`;
    if (given !== undefined) await recordRules(tx, businessId);
    return changed;
  },
};

export const benefits = recordTable<Benefit, "benefit_id">(
  "topup_benefit",
  "benefit_id",
  ["title", "amount", "promo_amount", "status", "location_id"],
  newestFirst("benefit_id"),
);
