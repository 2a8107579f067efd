/** Commands of the service itself, which are decided like postings. */
import { type Rejection, reject } from "../../contract/errors.ts";
import type { PostingOperation } from "../../contract/operation.ts";
import { anyLocation } from "../../domain/access/access.ts";
import type { Decision, Member, Needs, RulesFor } from "../../domain/decision.ts";
import { decideOccasion } from "../../domain/engine/occasions.ts";
import type { Occasion, Rules } from "../../domain/engine/rules.ts";
import { accounts } from "../../domain/ledger.ts";
import type { PostingCommand } from "./group-state.ts";

export type Decide<N extends Needs = Needs> = (context: {
  readonly member: Member<N> | undefined;
  readonly rules: RulesFor<N>;
  readonly today: string;
  readonly entryNo: number;
  readonly voucherNo: number;
}) => Decision | Rejection;

/** Makes a command of the service itself. It has no idempotency key, because its repetition has no effect. */
export function internalCommand<N extends Needs>(
  businessId: number,
  contactId: number,
  needs: N,
  decide: Decide<N>,
): PostingCommand {
  return {
    operation: {
      path: "/op/members/settle",
      message: "",
      needs,
      emits: undefined,
      decide: decide as unknown as PostingOperation["decide"],
    },
    businessId,
    contactId,
    integrationId: null,
    locations: anyLocation,
    idempotencyKey: undefined,
    input: {},
  };
}

/** What a decision can read of any member. */
export const allOf = {
  balances: accounts,
  points: () => 0,
  vouchers: () => ({}),
  tier: true,
  stamps: true,
} satisfies Needs;
const refundNeeds = { ...allOf, named: ["sale"] } as const satisfies Needs;

/** Makes a command of the service itself that refunds a sale. */
export function refundCommand(
  businessId: number,
  contactId: number,
  sale_id: number,
  decide: (context: {
    readonly member: Member<typeof refundNeeds> | undefined;
    readonly rules: Rules;
    readonly today: string;
  }) => Decision | Rejection,
): PostingCommand {
  const command = internalCommand(businessId, contactId, refundNeeds, decide as never);
  return { ...command, input: { sale_id } };
}

export const noMember = () => reject("member_not_found" as const);

/** The command that settles a member, and does nothing else. */
export function settleCommand(businessId: number, contactId: number): PostingCommand {
  return internalCommand(businessId, contactId, allOf, ({ member }) =>
    member === undefined ? noMember() : { entries: [], reference_id: undefined, data: {} },
  );
}

/**
 * Makes a command that gives a member what it gets on an occasion.
 * @param follows whether its event comes after that of the write of the transaction, which is the cause
 */
export function occasionCommand(
  businessId: number,
  occasion: Occasion,
  granted: Parameters<typeof decideOccasion>[2],
  follows: boolean,
): PostingCommand {
  const command = internalCommand(businessId, granted.contact_id, allOf, ({ member, ...moment }) =>
    member === undefined ? noMember() : decideOccasion(member, occasion, granted, moment),
  );
  return { ...command, operation: { ...command.operation, emits: "occasion.granted", follows } };
}
