/** What the members of the demo did in a year, by the operations that partners use. */

import type { Connection } from "../database/connection.ts";
import { advanceClock } from "../database/engine/sandbox.ts";
import { anyLocation } from "../domain/access/access.ts";
import type { Benefit } from "../domain/engine/movement.ts";
import type { VoucherDefinition } from "../domain/engine/rules.ts";
import { liveThrough } from "../operations/access/sandbox-clock.ts";
import { adjustRewardPoints } from "../operations/partner/reward-points/adjust.ts";
import { redeemPoints } from "../operations/partner/reward-points/redeem.ts";
import { recordSale } from "../operations/partner/sales/record.ts";
import { refundSale } from "../operations/partner/sales/refund.ts";
import { issueVoucher } from "../operations/partner/vouchers/issue.ts";
import { adjustWallet } from "../operations/partner/wallet/adjust.ts";
import { payFromWallet } from "../operations/partner/wallet/pay.ts";
import { reverseMovement } from "../operations/partner/wallet/reverse.ts";
import { topUpWallet } from "../operations/partner/wallet/topup.ts";
import type { PostingCommand } from "../pipeline/postings/group-state.ts";
import { applyCommands } from "../pipeline/postings/open-ledger.ts";

const operations = {
  buy: recordSale,
  refund: refundSale,
  issue: issueVoucher,
  redeem: redeemPoints,
  topup: topUpWallet,
  pay: payFromWallet,
  reverse: reverseMovement,
  adjustPoints: adjustRewardPoints,
  adjustWallet,
} as const;

/** What members did at one time. */
export interface Moment {
  /** How many days before the last midnight. */
  readonly day: number;
  /** HH:MM. */
  readonly time: string;
  readonly steps: readonly StoryStep[];
}

/** What a member did. Records are named by their place in their list. */
interface StoryStep {
  readonly member: number;
  readonly does: keyof typeof operations;
  readonly location?: number;
  readonly voucher?: number;
  readonly benefit?: number;
  /** The reference_id of the step of an earlier moment whose sale, movement or voucher is used. */
  readonly of?: string;
  /** The other fields of the request. */
  readonly input?: Readonly<Record<string, unknown>> & { readonly reference_id?: string };
}

/** A business with its records, in the order of the file. The story of further members is left out. */
export interface Cast {
  readonly business_id: number;
  readonly contact_ids: readonly number[];
  readonly location_ids: readonly number[];
  readonly vouchers: readonly VoucherDefinition[];
  readonly benefits: readonly Benefit[];
}

type Made = Readonly<Partial<Record<"sale_id" | "movement_id" | "held_voucher_id", number>>>;

/**
 * Plays the story in a business whose clock stands before it. What is due meanwhile is recorded on its day.
 * @param dateBack returns the time that is so many seconds before the last midnight
 */
export async function playStory(
  tx: Connection,
  story: readonly Moment[],
  cast: Cast,
  dateBack: (seconds: number) => string,
): Promise<void> {
  const made = new Map<string | undefined, Made>();
  const dayBack = (days: number) => dateBack(days * 24 * 60 * 60).slice(0, 10);
  for (const { day, time, steps } of story) {
    const played = steps.filter(({ member }) => member < cast.contact_ids.length);
    if (played.length === 0) continue;
    const date = dayBack(day);
    await liveThrough(tx, cast.business_id, date);
    const commands = played.map((step) => commandOf(step, cast, made.get(step.of)));
    const clock = advanceClock(tx, cast.business_id, `${date} ${time}`);
    const [{ outcomes }] = await Promise.all([applyCommands(tx, cast.business_id, commands), clock]);
    for (const [index, outcome] of outcomes.entries()) {
      if (typeof outcome !== "object" || !("body" in outcome)) {
        const step = JSON.stringify([day, time, played[index]]);
        throw new Error(`a step of the demo is rejected: ${step} ${JSON.stringify(outcome)}`);
      }
      made.set(played[index]?.input?.reference_id, JSON.parse(outcome.body).data);
    }
  }
  await liveThrough(tx, cast.business_id, dayBack(0));
}

function commandOf(
  { member, does, location = 0, voucher, benefit, input }: StoryStep,
  { business_id, contact_ids, location_ids, vouchers, benefits }: Cast,
  { sale_id, movement_id, held_voucher_id }: Made = {},
): PostingCommand {
  const contact_id = contact_ids[member] as number;
  const definition = vouchers[voucher ?? -1];
  const offer = benefits[benefit ?? -1];
  return {
    operation: operations[does],
    businessId: business_id,
    contactId: contact_id,
    integrationId: null,
    idempotencyKey: undefined,
    locations: anyLocation,
    record: definition ?? offer,
    input: {
      contact_id,
      location_id: location_ids[location],
      ...input,
      sale_id,
      movement_id,
      voucher_id: definition?.voucher_id,
      benefit_id: offer?.benefit_id,
      use_vouchers: held_voucher_id === undefined ? [] : [held_voucher_id],
    },
  };
}
