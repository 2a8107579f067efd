/** The records that a business defines, and the operations that all of them have. */
import {
  type DeclaredAccess,
  type DeclaredChange,
  type ErrorCode,
  type FieldError,
  fieldError,
  fields,
  listOperation,
  type Rejection,
  reject,
  type Static,
  type TObject,
  type TProperties,
  Type,
  writeOperation,
  wrongValue,
} from "../contract/declare.ts";
import type { CheckContext, ListOperation, WriteOperation } from "../contract/operation.ts";
import * as tables from "../database/catalog.ts";
import type { Connection } from "../database/connection.ts";
import { lockSettings } from "../database/engine/rules.ts";
import { newestFirst } from "../database/rows.ts";
import type { ChangeOf, Fragment } from "../database/sql.ts";
import type { Scope } from "../domain/access/access.ts";
import { noLineRules, noMemberLimits } from "../domain/engine/rules.ts";
import { amountLimit } from "../domain/ledger.ts";
import { earnPoints, memberLimits, programRates, rateAmount } from "./rules/program-rates.ts";
import { publicUseFields, rejectDefinition, voucherTermFields } from "./vouchers/voucher-definitions.ts";

/** The fields of an update. A field that is omitted does not change. */
export const changesOf = <Fields extends TProperties>(fields: Fields) =>
  Type.Partial(Type.Object(fields)).properties;

/** The field that names the business, which only operators send. */
export const businessOf = ({ scope }: { readonly scope?: Scope | undefined }) =>
  scope === undefined ? { business_id: fields.businessId } : {};

/** Picks the fields of a row that a schema has. */
export function pick<Schema extends TObject>(row: object, { properties }: Schema) {
  const picked: Record<string, unknown> = {};
  for (const name of Object.keys(row)) {
    if (Object.hasOwn(properties, name)) picked[name] = (row as typeof picked)[name];
  }
  return picked as Static<Schema>;
}

export const locationId = fields.identifier("A location of the business.", 1);
export const nullableLocationId = fields.nullable(
  locationId,
  "A location of the business, or null for none.",
);
export const locationFields = { name: fields.text(255, "The name of the location.", "Main Street") };
export const locationState = {
  closed: fields.flag("Whether it is closed: partners can't record anything there any more.", false),
};

export const tierFields = {
  name: fields.tierName,
  expiry: fields.periodLength,
  expiry_period: fields.periodUnit,
};
/** How sales reach a tier, and how its members earn, which the contract does not have. */
export const tierRuleFields = {
  qualifying_sales: fields.nullable(
    fields.inMinorUnits(fields.whole(0, amountLimit, "The net sales that a member needs for it.", 20_000)),
    "The net sales, in minor units, that a member needs for the tier within the sales calculation period; null if only " +
      "operators assign it. Two tiers can't need the same.",
  ),
  program_id: fields.nullable(
    fields.programId,
    "The program by which members with this tier earn; null for the default program.",
  ),
};
/** A tier, as partners see it. */
export const partnerTier = Type.Object({ tier_id: fields.tierId, ...tierFields });
/** A tier, as operators see it. */
export const tier = Type.Object({ ...partnerTier.properties, ...tierRuleFields });

export const programFields = {
  membership_name: fields.membershipName,
  maximum_points_per_order: fields.maximumPointsPerOrder,
};
const earningMinimum = "Sales below this amount, in minor units, earn nothing.";
export const rateFields = {
  earn_points: fields.inPoints(fields.whole(0, 1000, earnPoints, 1)),
  earn_amount: rateAmount,
  earn_minimum_amount: fields.inMinorUnits(fields.whole(0, amountLimit, earningMinimum, 0)),
};

const mostExclusions = 200;
const exclusions = (description: string, of: typeof fields.sku, examples: string[]) =>
  Type.Array(of, { maxItems: mostExclusions, uniqueItems: true, description, examples: [examples] });
/** The lines of receipts that a program leaves out. */
export const exclusionFields = {
  excluded_categories: exclusions("Lines of these categories earn nothing.", fields.category, [
    "gift cards",
    "tobacco",
  ]),
  excluded_skus: exclusions("Lines of these articles earn nothing.", fields.sku, ["BAG-PAPER"]),
  excluded_from_payment: exclusions(
    "Points and vouchers can't pay lines of these categories.",
    fields.category,
    ["prescriptions"],
  ),
};
/** How a program earns, which only operators set. */
export const earningFields = { ...rateFields, ...exclusionFields, ...memberLimits, rates: programRates };

/** A new program without a rate earns nothing. */
export const noRate = {
  earn_points: 0,
  earn_amount: 100,
  earn_minimum_amount: 0,
  ...noLineRules,
  ...noMemberLimits,
};
export const newEarningFields = {
  earn_points: Type.Optional({ ...rateFields.earn_points, default: noRate.earn_points }),
  earn_amount: Type.Optional({ ...rateFields.earn_amount, default: noRate.earn_amount }),
  earn_minimum_amount: Type.Optional({
    ...rateFields.earn_minimum_amount,
    default: noRate.earn_minimum_amount,
  }),
  ...changesOf({ ...exclusionFields, ...memberLimits, rates: programRates }),
};

export const voucherFields = {
  campaign_name: fields.campaignName,
  coupon_code: fields.couponCode,
  coupon_value: fields.couponValue,
};
/** How long a voucher is valid, and its price, which the contract does not have. */
export const voucherRuleFields = {
  points_price: fields.nullable(
    fields.inPoints(fields.whole(1, 1_000_000_000, "The points for which members can buy it.", 500)),
    "The points for which members can buy it; null if they can't.",
  ),
  validity: fields.nullable(fields.periodLength, "How long it is valid; null if it does not lapse.", 3),
  validity_period: fields.nullable(fields.periodUnit, "The unit of validity; null if it does not lapse."),
  ...voucherTermFields,
  ...publicUseFields,
};

/** The length of a validity and its unit are sent together: both with a value, or both null. */
export function checkValidity(
  { validity, validity_period: unit }: Readonly<Record<string, unknown>>,
  { rejected }: Pick<CheckContext, "rejected">,
): FieldError[] {
  if (rejected.has("validity") || rejected.has("validity_period")) return [];
  if ((validity === undefined) === (unit === undefined) && (validity === null) === (unit === null)) return [];
  return (unit ?? null) === null
    ? [fieldError("validity_period", "required", "must be sent together with validity")]
    : [fieldError("validity", "required", "must be sent together with validity_period")];
}

/** Whether what belongs to some locations, or to all if there are none, belongs to one of others. */
export const isForOneOf = (of: readonly number[], ids: ReadonlySet<number>): boolean =>
  of.length === 0 || of.some((id) => ids.has(id));

/** A voucher definition, as partners see it. */
export const partnerVoucher = Type.Object({
  voucher_id: fields.voucherId,
  ...voucherFields,
  archived: fields.archived,
});

/** The fields of a top-up benefit that an update can change. */
export const benefitFields = {
  title: fields.title,
  promo_amount: fields.promoAmount,
  status: fields.benefitStatus,
};
/** A top-up benefit, as partners see it. */
export const partnerBenefit = Type.Object({
  benefit_id: fields.benefitId,
  title: fields.title,
  amount: fields.benefitAmount,
  promo_amount: fields.promoAmount,
  status: fields.benefitStatus,
});

type RecordDeclaration = DeclaredChange &
  Pick<
    WriteOperation,
    | ("path" | "summary" | "message" | "description" | "findLocation")
    | ("check" | "concernsEarning" | "maximumFields")
  > & {
    readonly confirm?: string;
    readonly errors?: readonly ErrorCode[];
    /** The schema of the response, if it is not the record as operators see it. */
    readonly output?: TObject;
  };

type InputDeclaration = RecordDeclaration & {
  readonly input: TProperties;
  /** Whether at least one of the optional fields of a new record must be sent. */
  readonly atLeastOne?: boolean;
  /** Checks the records that the input names before anything is written. */
  rejectInput?(tx: Connection, businessId: number, input: object): Promise<Rejection | undefined>;
};

type ListDeclaration<Row> = DeclaredAccess &
  Pick<ListOperation, "path" | "summary" | "message" | "description"> & {
    /** The columns that a table shows first. */
    readonly columns?: readonly string[];
    /** The schema of an item, if it is not the record as operators see it. */
    readonly output?: TObject;
    /** Makes the item, if it has other fields than the record. */
    readonly show?: (row: Row) => Record<string, unknown>;
    /** Adds fields that the records don't have. */
    readonly more?: (sql: Connection, businessId: number, rows: readonly Row[]) => Promise<readonly Row[]>;
    /** An option without which only the records that meet a condition are listed. */
    readonly unless?: { readonly option: string; readonly description: string; readonly which: Fragment };
    /** A condition that all listed records meet. */
    readonly which?: Fragment;
  };

/** For an operator's operation whose input names a location. The pipeline checks the locations of partners. */
export const atLocation = {
  errors: ["location_not_found"],
  rejectInput: (tx, businessId, { location_id }: { location_id?: number | null }) =>
    rejectMissingLocations(tx, businessId, location_id == null ? [] : [location_id]),
} satisfies Partial<InputDeclaration>;

/** @returns the rejection of locations that the business does not have */
export async function rejectMissingLocations(
  tx: Connection,
  businessId: number,
  ids: readonly number[] = [],
): Promise<Rejection<"location_not_found"> | undefined> {
  const location_ids = await tables.findMissingLocations(tx, businessId, ids);
  return location_ids.length === 0 ? undefined : reject("location_not_found", { location_ids });
}

/**
 * Makes the operations on a kind of record, which name it by its number and return it.
 * @param schema as operators see it
 */
export function recordsOf<Row extends Record<keyof Row, unknown>, Id extends keyof Row & string>(
  table: tables.RecordTable<Row, Id>,
  id: Id,
  schema: TObject,
  notFound: ErrorCode,
) {
  const number = { [id]: schema.properties[id] } as TProperties;
  const numberIn = (input: object) => (input as Record<Id, number>)[id];
  const missing = (input: object) =>
    reject(notFound, notFound === "location_not_found" ? { location_ids: [numberIn(input)] } : {});
  return {
    /** Lists the records, page by page. */
    list: ({ output = schema, unless, which: always, show, more, ...declared }: ListDeclaration<Row>) =>
      listOperation({
        ...(declared as Omit<typeof declared, "columns"> & DeclaredAccess),
        output,
        input: {
          ...businessOf(declared),
          ...(unless && { [unless.option]: fields.option(unless.description) }),
        },
        async list({ sql, caller: { businessId, locations }, input, page }) {
          const isIncluded = unless !== undefined && (input as Record<string, unknown>)[unless.option];
          const which = unless && !isIncluded ? unless.which : always;
          // Partners go through their lists from the newest record on, as through those of the contract.
          const sort = declared.scope && newestFirst(id);
          const listed = await table.page(sql, businessId, page, { which, sort, locations });
          const rows = more ? await more(sql, businessId, listed.rows) : listed.rows;
          return { ...listed, rows: rows.map((row) => show?.(row) ?? pick(row, output)) };
        },
      }),
    /** Creates a record. @param defaultsOf the values of optional fields that are not sent */
    create: (
      { rejectInput, ...declared }: InputDeclaration,
      defaultsOf: Partial<Row> | ((input: Partial<Row>) => Partial<Row>) = {},
    ) =>
      writeOperation({
        output: schema,
        ...declared,
        status: 201,
        input: { ...businessOf(declared), ...declared.input },
        async write({ input, tx, caller, audit }) {
          const rejected = await rejectInput?.(tx, caller.businessId, input);
          if (rejected !== undefined) return rejected;
          const sent = input as Partial<Row>;
          const defaults = typeof defaultsOf === "function" ? defaultsOf(sent) : defaultsOf;
          const made = await table.insert(tx, caller.businessId, { ...defaults, ...sent } as Row);
          audit({ before: null, after: made });
          return pick(made, declared.output ?? schema);
        },
      }),
    update: ({ rejectInput, ...declared }: InputDeclaration) =>
      writeOperation({
        output: schema,
        ...declared,
        input: { ...businessOf(declared), ...number, ...declared.input },
        atLeastOne: Object.values(declared.input).every((field) => Type.IsOptional(field)),
        errors: [notFound, ...(declared.errors ?? [])],
        async write({ input, tx, caller, audit }) {
          const rejected = await rejectInput?.(tx, caller.businessId, input);
          if (rejected !== undefined) {
            const found = await table.find(tx, caller.businessId, numberIn(input));
            return found === undefined ? missing(input) : rejected;
          }
          const updated = await table.update(tx, caller.businessId, numberIn(input), input as ChangeOf<Row>);
          if (updated === undefined) return missing(input);
          audit(updated);
          return pick(updated.after, declared.output ?? schema);
        },
      }),
    remove: (declared: RecordDeclaration) =>
      writeOperation({
        confirm: "This can't be undone.",
        ...declared,
        input: { ...businessOf(declared), ...number },
        output: Type.Object({ ...number, deleted: fields.flag("Always true.", true) }),
        errors: [notFound],
        async write({ input, tx, caller, audit }) {
          const before = await table.remove(tx, caller.businessId, numberIn(input));
          if (before === undefined) return missing(input);
          audit({ before, after: null });
          return { ...pick(before, Type.Object(number)), deleted: true };
        },
      }),
  };
}

/** For operations that change how sales reach a tier: rejects a program that does not exist, and sales that another tier needs. */
export const withTierRules = {
  errors: ["program_not_found"],
  async rejectInput(tx, businessId, { tier_id, program_id, qualifying_sales }: Partial<tables.TierRow>) {
    // Changes of tiers wait for each other here.
    await lockSettings(tx, businessId);
    if (program_id != null && !(await tables.programs.find(tx, businessId, program_id))) {
      return reject("program_not_found", {});
    }
    if (qualifying_sales == null) return undefined;
    const others = await tables.tiers.all(tx, businessId);
    const other = others.find((one) => one.tier_id !== tier_id && one.qualifying_sales === qualifying_sales);
    if (other === undefined) return undefined;
    const problem = `must differ from that of the tier ${other.name}`;
    return reject("validation_failed", { errors: [wrongValue("qualifying_sales", problem)] });
  },
} satisfies Partial<InputDeclaration>;

/** A location, as partners see it. */
export const partnerLocation = Type.Object({ location_id: locationId, ...locationFields });
const location = Type.Object({ ...partnerLocation.properties, ...locationState });
/** A reward program, as partners see it. */
export const partnerProgram = Type.Object({ program_id: fields.programId, ...programFields });
/** A reward program, as operators see it. */
export const program = Type.Object({ program_id: fields.programId, ...programFields, ...earningFields });
/** A voucher definition, as operators see it. */
export const voucher = Type.Object({
  ...partnerVoucher.properties,
  location_id: nullableLocationId,
  ...voucherRuleFields,
});
const benefit = Type.Object({ ...partnerBenefit.properties, location_id: locationId });

export const locations = recordsOf(tables.locations, "location_id", location, "location_not_found");
export const tiers = recordsOf(tables.tiers, "tier_id", tier, "tier_not_found");
export const programs = recordsOf(tables.programs, "program_id", program, "program_not_found");
/** For a list of vouchers. */
export const unlessArchivedAreIncluded = {
  option: "include_archived",
  description: "Whether to include archived vouchers.",
  which: tables.notArchived,
};
/** For a list of top-up benefits. */
export const unlessInactiveAreIncluded = {
  option: "include_inactive",
  description: "Whether to include inactive benefits.",
  which: tables.isActive,
};

export const vouchers = recordsOf(tables.vouchers, "voucher_id", voucher, "voucher_not_found");
export const benefits = recordsOf(tables.benefits, "benefit_id", benefit, "benefit_not_found");

/** What a new or a changed voucher definition is checked for. */
export const ofVoucher = {
  ...atLocation,
  rejectInput: async (tx, businessId, input) =>
    (await atLocation.rejectInput(tx, businessId, input)) ?? rejectDefinition(tx, businessId, input),
  check: checkValidity,
} satisfies Partial<InputDeclaration>;
