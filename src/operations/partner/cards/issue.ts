import {
  fieldError,
  fields,
  Rejection,
  type Static,
  Type,
  writeOperation,
  wrongValue,
} from "../../../contract/declare.ts";
import type { Context } from "../../../contract/operation.ts";
import { benefits } from "../../../database/catalog.ts";
import type { Connection } from "../../../database/connection.ts";
import { findCurrentRules } from "../../../database/engine/rules.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { insertAnonymousMember } from "../../../database/members/cards.ts";
import { addDays } from "../../../domain/dates.ts";
import { type Benefit, decideTopup, giftLapsesOn } from "../../../domain/engine/movement.ts";
import { limitsOf } from "../../../pipeline/postings/group-corrections.ts";
import { internalCommand, noMember } from "../../../pipeline/postings/internal-commands.ts";
import { applyCommands } from "../../../pipeline/postings/open-ledger.ts";
import { money } from "../../amounts.ts";
import {
  card,
  cardKind,
  checkOwnNumber,
  giftValidThrough,
  makeCard,
  ownNumber,
  toldCard,
} from "../../members/cards.ts";
import { pick, rejectMissingLocations } from "../../records.ts";
import { reference } from "../../sales/sales.ts";

const topUp = {
  movement_id: fields.nullableMovementId,
  reference_id: fields.nullable(reference, "The reference of the top-up; null without one."),
  amount: money("The amount that was paid for the card", 5000),
  promo_amount: money("The bonus", 500),
  balance_after: fields.inMinorUnits(fields.balanceAfter),
};
const topUpFields = Type.Object(topUp);
type Topped = Static<typeof topUpFields>;
const withoutTopUp: Topped = {
  movement_id: null,
  reference_id: null,
  amount: 0,
  promo_amount: 0,
  balance_after: 0,
};

/** The most cards at once: their business's postings wait meanwhile. */
const mostCards = 100;

const cardCount = fields.wholeOr(
  1,
  1,
  mostCards,
  "How many cards to issue, all alike. The response has the first one, and /op/cards/list has all.",
);

/** Only operators have it. */
const countOf = (input: object) => (input as { readonly card_count?: number }).card_count ?? 1;

interface TopUpInput {
  readonly location_id: number;
  readonly amount?: number | undefined;
  readonly reference_id?: string | undefined;
  readonly reason?: string | undefined;
}

/** Tops up a new member, in the transaction that makes it. */
async function topUpNew(
  tx: Connection,
  caller: Context["caller"],
  contact_id: number,
  input: TopUpInput,
  benefit: Benefit | undefined,
) {
  const { businessId, integrationId = null, operator } = caller;
  let topped: Topped = withoutTopUp;
  const command = internalCommand(businessId, contact_id, { balances: ["wallet"] }, (context) => {
    const { member, entryNo } = context;
    const decision = member ? decideTopup(member, { ...input, contact_id }, benefit, entryNo) : noMember();
    if (!(decision instanceof Rejection)) topped = decision.data;
    return decision;
  });
  const limits = operator && limitsOf(operator);
  const { outcomes } = await applyCommands(tx, businessId, [{ ...command, integrationId, limits }]);
  const [outcome] = outcomes;
  return outcome instanceof Rejection ? outcome : topped;
}

export const issueCard = writeOperation({
  path: "/sp/cards/issue",
  scope: "wa.wallet.write",
  emits: "card.issued",
  status: 201,
  summary: "Issue an anonymous card",
  message: "Card issued.",
  description:
    "Makes a card that nobody has claimed yet, with a member of its own, and tops it up if benefit_id or amount is sent. The member has no " +
    "name, phone number or e-mail address, and is in no list of members. It buys, earns and pays as others do, by its contact_id, which " +
    "/sp/members/find returns for the code. A gift card has only the money with which it is sold: it earns nothing, and its money lapses " +
    "after the gift_validity of the business's rules. /sp/cards/claim joins a card to a person.",
  operator: {
    role: "support",
    event: "card.issued",
    input: { card_count: cardCount },
    errors: ["location_not_found", "limit_exceeded"],
  },
  input: {
    location_id: fields.locationId,
    kind: cardKind,
    card_code: ownNumber,
    benefit_id: Type.Optional(fields.benefitId),
    amount: Type.Optional(fields.amount),
    reference_id: Type.Optional(fields.referenceId),
    reason: Type.Optional(fields.reason),
  },
  onlyOneOf: ["benefit_id", "amount"],
  output: Type.Object({ ...card.properties, ...topUp, valid_through: giftValidThrough }),
  errors: [
    "card_already_exists",
    "gift_card_limit_exceeded",
    "benefit_not_found",
    "benefit_inactive",
    "validation_failed",
  ],
  check: (input) => [
    ...checkOwnNumber("card_code", input.card_code),
    ...(input.kind === "gift" && input.amount === undefined && input.benefit_id === undefined
      ? [fieldError("amount", "required", "or benefit_id must be sent for a gift card")]
      : []),
    ...(input.card_code !== undefined && countOf(input) > 1
      ? [wrongValue("card_count", "must be 1 with card_code")]
      : []),
  ],
  findLocation: async ({ input: { benefit_id }, tx, caller }) =>
    benefit_id === undefined ? undefined : benefits.find(tx, caller.businessId, benefit_id),
  async write({ input, tx, caller, services, audit, emit, reject }) {
    const { businessId } = caller;
    const { location_id, kind, card_code, benefit_id, amount } = input;
    const missing = await rejectMissingLocations(tx, businessId, [location_id]);
    if (missing !== undefined) return missing as never;
    const benefit = benefit_id === undefined ? undefined : await benefits.find(tx, businessId, benefit_id);
    if (benefit_id !== undefined && benefit === undefined) return reject("benefit_not_found");
    const today = (await lockLedger(tx, businessId))?.today as string;
    const rules = await findCurrentRules(tx, businessId);
    const isGift = kind === "gift";
    const lapsesOn = isGift ? giftLapsesOn(rules, today) : null;
    const valid_through = lapsesOn === null ? null : addDays(lapsesOn, -1);
    const { gift_maximum_amount: maximum } = rules;
    const isToppedUp = benefit !== undefined || amount !== undefined;
    const issueOne = async () => {
      const contact_id = await insertAnonymousMember(tx, businessId, isGift ? "gift" : "card", lapsesOn);
      const made = await makeCard(tx, { services, caller }, { contact_id, kind }, card_code);
      if (made instanceof Rejection) return made;
      const topped = isToppedUp ? await topUpNew(tx, caller, contact_id, input, benefit) : withoutTopUp;
      if (topped instanceof Rejection) return topped as never;
      if (isGift && maximum !== null && topped.balance_after > maximum)
        return reject("gift_card_limit_exceeded", { maximum });
      const more = { ...pick(topped, topUpFields), valid_through };
      const told = { ...toldCard(made), ...more };
      audit({ before: null, after: { location_id, ...told } });
      emit({ contact_ids: [contact_id], data: { location_id, ...told } });
      return { ...made, ...more };
    };
    const first = await issueOne();
    for (let issued = 1; issued < countOf(input); issued++) {
      const next = await issueOne();
      if (next instanceof Rejection) return next;
    }
    return first;
  },
});
