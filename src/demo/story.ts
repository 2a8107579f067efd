/** What some members of the demo did in a year, by the operations that partners use: tiers, points, vouchers and the wallet. */
import type { Connection } from "../database/connection.ts";
import { setClocks } from "../database/engine/sandbox.ts";
import type { Benefit } from "../domain/engine/movement.ts";
import type { VoucherDefinition } from "../domain/engine/voucher.ts";
import { redeemPoints } from "../operations/partner/reward-points/redeem.ts";
import { recordSale } from "../operations/partner/sales/record.ts";
import { refundSale } from "../operations/partner/sales/refund.ts";
import { issueVoucher } from "../operations/partner/vouchers/issue.ts";
import { payFromWallet } from "../operations/partner/wallet/pay.ts";
import { reverseMovement } from "../operations/partner/wallet/reverse.ts";
import { topUpWallet } from "../operations/partner/wallet/topup.ts";
import type { PostingCommand } from "../pipeline/postings/group-state.ts";
import { applyCommands, settleCommand } from "../pipeline/postings/open-ledger.ts";

const operations = {
  buy: recordSale,
  refund: refundSale,
  issue: issueVoucher,
  redeem: redeemPoints,
  topup: topUpWallet,
  pay: payFromWallet,
  reverse: reverseMovement,
} as const;

/** What a member did. Records are named by their place in their list. */
export interface StoryStep {
  /** How many days before the last midnight. */
  readonly day: number;
  readonly member: number;
  /** settle: what is due is recorded, as the daily job does. */
  readonly does: keyof typeof operations | "settle";
  readonly location?: number;
  readonly voucher?: number;
  readonly benefit?: number;
  /** The place of the earlier step whose sale, movement or voucher is used. */
  readonly of?: number;
  /** The other fields of the request. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** A business with its records, in the order of the file. */
export interface Cast {
  readonly business_id: number;
  readonly contact_ids: readonly number[];
  readonly location_ids: readonly number[];
  readonly vouchers: readonly VoucherDefinition[];
  readonly benefits: readonly Benefit[];
}

type Made = Readonly<Partial<Record<"sale_id" | "movement_id" | "held_voucher_id", number>>>;

/**
 * Plays the steps in each of some businesses, in the order of the steps, on a clock that stands at ten in the morning of the day.
 * @param at the time that is so many seconds before the last midnight, as PostgreSQL writes it
 */
export async function playStory(
  tx: Connection,
  steps: readonly StoryStep[],
  casts: readonly Cast[],
  at: (seconds: number) => string,
): Promise<void> {
  const businessIds = casts.map(({ business_id }) => business_id);
  const made: Made[][] = [];
  for (const [place, step] of steps.entries()) {
    const play = async (cast: Cast, index: number) => {
      const command = commandOf(step, cast, made[step.of ?? -1]?.[index] ?? {});
      const [outcome] = (await applyCommands(tx, cast.business_id, [command])).outcomes;
      if (typeof outcome !== "object" || !("body" in outcome))
        throw new Error(`step ${place} of the demo is rejected: ${JSON.stringify(outcome)}`);
      return JSON.parse(outcome.body).data as Made;
    };
    // Statements of the businesses are sent together, so that their answers are awaited together.
    const clocks = setClocks(tx, businessIds, at((step.day * 24 - 10) * 60 * 60));
    const [played] = await Promise.all([Promise.all(casts.map(play)), clocks]);
    made.push(played);
  }
}

function commandOf(
  { member, does, location = 0, voucher, benefit, input }: StoryStep,
  { business_id, contact_ids, location_ids, vouchers, benefits }: Cast,
  { held_voucher_id, ...used }: Made,
): PostingCommand {
  const contact_id = contact_ids[member] as number;
  if (does === "settle") return settleCommand(business_id, contact_id);
  const named = vouchers[voucher ?? -1] ?? benefits[benefit ?? -1];
  return {
    ...{ operation: operations[does], businessId: business_id, contactId: contact_id, integrationId: null },
    ...{ idempotencyKey: undefined, record: named },
    input: {
      ...{ contact_id, location_id: location_ids[location], ...input, ...used },
      ...(voucher !== undefined && { voucher_id: vouchers[voucher]?.voucher_id }),
      ...(benefit !== undefined && { benefit_id: benefits[benefit]?.benefit_id }),
      ...(held_voucher_id && { use_vouchers: [held_voucher_id] }),
    },
  };
}
