/** Fields and look-ups that operations on cards share. */
import {
  type ErrorCode,
  type FieldError,
  fieldError,
  fields,
  type Rejection,
  reject,
  Type,
} from "../../contract/declare.ts";
import type { Caller } from "../../contract/operation.ts";
import { newCardCode } from "../../credentials/card-codes.ts";
import type { Connection } from "../../database/connection.ts";
import { type CardRow, insertCard, type NewCard } from "../../database/members/cards.ts";
import type { MemberRow } from "../../database/members/members.ts";
import {
  canBeCardCode,
  cardKey,
  cardKinds,
  cardStatuses,
  hasWrongCheckDigit,
  ownNumberLength,
  personCardKinds,
} from "../../domain/cards.ts";
import { pick } from "../records.ts";
import { nullableDay } from "../sales/sales.ts";
import { countWrongCode, type LookingUp, tooManyWrongCodes } from "./wrong-codes.ts";

const cardCode = fields.personal(
  fields.text(64, "The code of the card, without blanks and hyphens.", "7301948211650347"),
);

/** A code as it is scanned or typed. */
export const writtenCardCode = {
  ...cardCode,
  format: "pasted-text" as const,
  description: "The code of a card. Blanks and hyphens make no difference.",
  examples: ["7301 9482 1165 0347"],
};

const { least, most } = ownNumberLength;

/** The number of a card that the business has already. */
export const ownNumber = Type.Optional({
  ...writtenCardCode,
  description:
    `The number of a card that the business has, with ${least} to ${most} visible ASCII characters besides blanks and hyphens. ` +
    "Without it, the service makes a code of 16 digits, of which the last one is a check digit.",
  examples: ["LC 0004711"],
});

const meaningOfKinds = "app: the member shows it on a phone. plastic: it is printed.";
export const personCardKind = fields.choice(personCardKinds, meaningOfKinds);
export const cardKind = fields.choice(
  cardKinds,
  `${meaningOfKinds} gift: it was sold with money, and earns nothing.`,
);

export const cardStatus = fields.choice(
  cardStatuses,
  "active: it finds its member. blocked, replaced: it is rejected with card_blocked.",
);

export const giftValidThrough = nullableDay(
  "The last day on which the money of a gift card can be used; null if it does not lapse.",
);

/** A card in responses. */
export const card = Type.Object({
  card_id: fields.identifier("The card, in events and in the audit log, which don't have its code.", 41),
  card_code: cardCode,
  contact_id: fields.contactId,
  kind: cardKind,
  status: cardStatus,
  created_at: fields.timestamp,
});

/** Checks the number of a card that the business has. */
export function checkOwnNumber(field: string, number: string | undefined): FieldError[] {
  if (number === undefined || canBeCardCode(cardKey(number))) return [];
  const problem = `must have ${least} to ${most} visible ASCII characters besides blanks and hyphens`;
  return [fieldError(field, "invalid_format", problem)];
}

/**
 * Looks up a card that can be used, and counts a code that none has.
 * @param find finds a card by its code, in the form in which codes are compared
 */
export async function lookUpCard(
  context: LookingUp,
  code: string,
  find: (key: string) => Promise<CardRow | undefined>,
): Promise<CardRow | Rejection<"card_not_found"> | Rejection<ErrorCode>> {
  const rejected = tooManyWrongCodes(context);
  if (rejected !== undefined) return rejected;
  const key = cardKey(code);
  const found = await find(key);
  if (found !== undefined) return found;
  countWrongCode(context);
  return reject("card_not_found", { reason: hasWrongCheckDigit(key) ? "check_digit" : "unknown" });
}

/** The rejection of a card that finds its member no longer. */
export function rejectUnusable({ status }: Pick<CardRow, "status">) {
  return status === "active" ? undefined : reject("card_blocked", { status });
}

/** Rejects to show the code of an anonymous card, with which anyone can pay, to a partner who may not see money. */
export const rejectHiddenCode = (
  { mayUse }: Pick<Caller, "mayUse">,
  { anonymous }: Pick<MemberRow, "anonymous">,
) =>
  anonymous === null || mayUse("wa.wallet.read")
    ? undefined
    : (reject("sp_scope_not_granted", { scope: "wa.wallet.read" }) as Rejection<never>);

/**
 * Makes a card of a member, whose lock the caller holds.
 * @param own the number of a card that the business has. One that exists already counts as a guess, because the rejection says that it exists
 */
export async function makeCard(
  tx: Connection,
  context: LookingUp,
  card: Omit<NewCard, "card_code">,
  own: string | undefined,
): Promise<CardRow | Rejection<"card_already_exists">> {
  const { caller: of } = context;
  if (own !== undefined) {
    const rejected = tooManyWrongCodes(context);
    if (rejected !== undefined) return rejected as never;
    const made = await insertCard(tx, of, { ...card, card_code: cardKey(own) });
    if (made === undefined) countWrongCode(context);
    return made ?? reject("card_already_exists");
  }
  // A code that the business has already is very rare. Then another one is made.
  for (;;) {
    const made = await insertCard(tx, of, { ...card, card_code: newCardCode() });
    if (made !== undefined) return made;
  }
}

const { card_code: _, created_at: __, ...told } = card.properties;
/** The fields of a card in the audit log and in events: not its code. */
export const toldCardFields = told;

/** A card as the audit log and events have it. */
export const toldCard = (row: CardRow) => pick(row, Type.Object(toldCardFields));
