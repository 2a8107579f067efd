/** The fields of stamp cards, and what makes one impossible. */
import { type FieldError, fields, reject, Type, wrongValue } from "../../contract/declare.ts";
import {
  type PresentStampCard,
  recordStatuses,
  type StampCardRow,
  stampCards,
  vouchers,
} from "../../database/catalog.ts";
import type { Connection } from "../../database/connection.ts";
import { lockSettings } from "../../database/engine/rules.ts";
import { mostStampCards } from "../../domain/engine/stamps/counting.ts";
import { amountLimit } from "../../domain/ledger.ts";
import { changesOf, checkValidity, recordsOf, rejectMissingLocations } from "../records.ts";
import { findToChange, problemsOfName, statusStepOf } from "../status-steps.ts";
import { problemOfChosen, problemOfPlaces } from "../vouchers/given-vouchers.ts";
import { readsWithWarning } from "../warnings.ts";
import { promotedWords } from "./promotions.ts";
import { cardName, stampsNeeded } from "./stamps.ts";

/** What a stamp card counts, and what it gives. */
const stampCardFields = {
  name: cardName,
  stamps_needed: stampsNeeded,
  voucher_id: { ...fields.voucherId, description: "The voucher that a full card gives." },
  counts: fields.choice(
    ["visit", "unit"],
    "visit: a sale gives one stamp. unit: it gives one for each unit of the lines that count.",
    "unit",
  ),
  most_per_day: fields.nullable(
    fields.whole(1, 100, "A number of sales.", 1),
    "With visit, how many sales of a member on a day give a stamp; null: any number, and always with unit. By default, 1 with visit.",
    null,
  ),
  ...promotedWords,
  counts_free_lines: Type.Boolean({
    description: "Whether lines with the amount 0 count, too. What vouchers pay gives no stamps.",
    examples: [false],
  }),
  minimum_amount: fields.inMinorUnits(
    fields.whole(
      0,
      amountLimit,
      "The least amount of the lines that count, without what vouchers pay, in minor units.",
      0,
    ),
  ),
  location_ids: Type.Array(fields.locationId, {
    maxItems: 100,
    uniqueItems: true,
    description: "Where it collects stamps. Empty: everywhere.",
    examples: [[1]],
  }),
  validity: fields.nullable(
    fields.periodLength,
    "How long the stamps of a card are valid after its first one; null if they don't lapse.",
    12,
  ),
  validity_period: fields.nullable(fields.periodUnit, "The unit of validity; null if they don't lapse."),
};

export const stampCard = Type.Object({
  stamp_card_id: fields.stampCardId,
  status: fields.choice(recordStatuses, "Whether it collects stamps: only an active card does.", "active"),
  ...stampCardFields,
});

/** What a new card is, unless it says something else. */
export const newStampCard = ({
  counts,
}: Partial<StampCardRow>): Omit<
  StampCardRow,
  "stamp_card_id" | "name" | "stamps_needed" | "voucher_id" | "counts"
> => ({
  status: "active",
  most_per_day: counts === "visit" ? 1 : null,
  skus: [],
  categories: [],
  counts_free_lines: false,
  minimum_amount: 0,
  location_ids: [],
  validity: null,
  validity_period: null,
});

export const stampCardChanges = changesOf(stampCardFields);
const { name, stamps_needed, voucher_id, counts } = stampCardFields;
export const newStampCardFields = {
  ...stampCardChanges,
  ...{ name, stamps_needed, voucher_id, counts },
  status: Type.Optional(
    fields.choice(
      ["active", "draft"],
      "Whether it collects stamps from the next sale on, or waits as a draft.",
    ),
  ),
};

/** Why a card could not be told from another one, or counts nothing. @param others those that have not ended */
function problemsOfCard(
  one: Omit<StampCardRow, "stamp_card_id">,
  others: readonly PresentStampCard[],
): FieldError[] {
  const called = ({ stamp_card_id }: PresentStampCard) => `stamp card ${stamp_card_id}`;
  const problems = problemsOfName(one, others, { plural: "stamp cards", most: mostStampCards, called });
  if (one.counts === "unit" && one.most_per_day !== null)
    problems.push(
      wrongValue("most_per_day", "must be null with counts unit, which counts units and not sales"),
    );
  if (one.counts === "visit" && one.counts_free_lines && one.skus.length + one.categories.length === 0)
    problems.push(
      wrongValue(
        "counts_free_lines",
        "must be false with counts visit and no skus or categories, which counts no lines",
      ),
    );
  return problems;
}

/** Rejects a card that names what is not there, or whose voucher it could not give. @param known the card before the change */
async function rejectNamed(
  tx: Connection,
  businessId: number,
  one: Partial<StampCardRow>,
  known: Partial<StampCardRow> = {},
) {
  const voucher_id = one.voucher_id ?? (one.location_ids && known.voucher_id);
  if (voucher_id !== undefined) {
    const voucher = await vouchers.find(tx, businessId, voucher_id);
    if (voucher === undefined) return reject("voucher_not_found");
    const { location_ids = [] } = { ...known, ...one };
    const missing = await rejectMissingLocations(tx, businessId, location_ids);
    if (missing !== undefined) return missing;
    const problem =
      (one.voucher_id === undefined ? undefined : problemOfChosen(voucher)) ??
      (await problemOfPlaces(tx, businessId, location_ids, voucher));
    if (problem !== undefined) return reject("validation_failed", { errors: [problem] });
  }
  return undefined;
}

async function rejectImpossible(
  tx: Connection,
  businessId: number,
  one: Omit<StampCardRow, "stamp_card_id"> & { readonly stamp_card_id?: number | undefined },
) {
  const all = await stampCards.present(tx, businessId);
  const errors = problemsOfCard(
    one,
    all.filter(({ stamp_card_id }) => stamp_card_id !== one.stamp_card_id),
  );
  return errors.length > 0 ? reject("validation_failed", { errors }) : undefined;
}

export const ofNewStampCard = {
  errors: ["location_not_found", "voucher_not_found"],
  check: checkValidity,
  async rejectInput(tx: Connection, businessId: number, input: object) {
    await lockSettings(tx, businessId);
    const one = { ...newStampCard(input), ...input } as Omit<StampCardRow, "stamp_card_id">;
    return (await rejectNamed(tx, businessId, one)) ?? rejectImpossible(tx, businessId, one);
  },
} as const;

export const ofChangedStampCard = {
  errors: ["stamp_card_ended", "location_not_found", "voucher_not_found"],
  check: checkValidity,
  async rejectInput(tx: Connection, businessId: number, input: Partial<StampCardRow>) {
    const known = await findToChange(stampCards, tx, businessId, input.stamp_card_id as number);
    if (known === undefined) return undefined;
    if (known.status === "ended") return reject("stamp_card_ended");
    // The default would give any number of stamps on a day.
    if (input.counts === "visit" && known.counts === "unit" && input.most_per_day === undefined) {
      const problem = "must be sent when a card counts visits from now on; null: any number";
      return reject("validation_failed", { errors: [wrongValue("most_per_day", problem)] });
    }
    return (
      (await rejectNamed(tx, businessId, input, known)) ??
      rejectImpossible(tx, businessId, { ...known, ...input })
    );
  },
} as const;

export const stampCardRecords = recordsOf(stampCards, "stamp_card_id", stampCard, "stamp_card_not_found");

const named = {
  table: stampCards,
  id: "stamp_card_id",
  schema: stampCard,
  notFound: "stamp_card_not_found",
} as const;

/** What operators read of stamp cards. */
export const readStampCards = readsWithWarning({
  ...named,
  problemsOf: async (tx, businessId, one: StampCardRow) => {
    const { details = {} } = (await rejectNamed(tx, businessId, one)) ?? {};
    return "errors" in details ? details.errors : [];
  },
});

/** Declares an operation that moves a stamp card to another status. */
export const stampCardStep = statusStepOf({
  ...named,
  ended: "stamp_card_ended",
  rejectActive: async (tx, businessId, one: StampCardRow) =>
    (await rejectImpossible(tx, businessId, one)) ?? rejectNamed(tx, businessId, one),
});
