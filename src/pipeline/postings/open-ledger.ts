/** Adds entries in the transaction of a write, such as an import, by the functions that groups of postings use. */

import type { Rejection } from "../../contract/errors.ts";
import type { Connection } from "../../database/connection.ts";
import { listOpenLots } from "../../database/engine/lots.ts";
import { listVouchersHeld } from "../../database/engine/rewards/vouchers.ts";
import { countImportedEntries } from "../../database/imports/recording.ts";
import { lockLedgers } from "../../database/ledger/ledger.ts";
import type { Decision, Needs, Points } from "../../domain/decision.ts";
import { entryOf } from "../../domain/engine/entries.ts";
import { leftOf } from "../../domain/engine/lots.ts";
import { closeCard } from "../../domain/engine/stamps/cards.ts";
import { withoutTier } from "../../domain/engine/standing.ts";
import { addFollowing } from "./following.ts";
import {
  readAccounts,
  readCodeUses,
  readCorrections,
  readMembersOf,
  readRules,
  saveGroup,
} from "./group-commit.ts";
import type { GroupOutcome, GroupState, PostingCommand } from "./group-state.ts";
import { allOf, type Decide, internalCommand, noMember, settleCommand } from "./internal-commands.ts";
import { PostingGroup } from "./posting-group.ts";

/** A ledger that is locked in a transaction, with some members. Decisions about these members add entries to it. */
export interface OpenLedger<N extends Needs = Needs> {
  /** The time of its entries, as PostgreSQL writes it. */
  readonly now: string;
  /** The day in the business's time zone. */
  readonly today: string;
  /** Decides in memory, after the decisions before. A rejection has no effect. */
  post(contactId: number, decide: Decide<N>): Decision | Rejection;
  /** The points of a member after the decisions before; undefined for a contact_id without a member, and if they were not read. */
  pointsOf(contactId: number): Points | undefined;
  /** Settles members in memory. @returns members with more due than was read. They are not settled */
  settle(contactIds: readonly number[]): number[];
  /**
   * Saves the decisions. @returns how many entries were recorded
   * @param forTiers whether occasions give something for tiers that members reached. An import gives nothing
   */
  record(forTiers?: "give"): Promise<number>;
}

/** What is done with a ledger: "record" by default. */
type Use =
  | "record"
  /** For members of this transaction, whose accounts need not exist: those with entries are made with them. */
  | "record_new"
  /** Members are not settled before each decision, but by `settle`. */
  | "record_unsettled";

/**
 * Locks a ledger to the end of the transaction, and reads members for decisions.
 * @throws when there is no such business
 */
export async function openLedger<N extends Needs>(
  tx: Connection,
  businessId: number,
  contactIds: readonly number[],
  needs: N,
  use: Use = "record",
): Promise<OpenLedger<N>> {
  // Accounts with adjacent keys are on the same pages.
  const members = [...new Set(contactIds)].sort((one, other) => one - other);
  const commands = members.map((contactId) => internalCommand(businessId, contactId, needs, noMember));
  const isNew = use === "record_new";
  const read = await readForGroup(tx, businessId, isNew ? [] : commands);
  const accounts = members.flatMap((contact_id) =>
    needs.balances.map((account) => ({
      business_id: businessId,
      contact_id,
      account,
      balance: 0,
      active: true,
      anonymous: null,
      lapses_on: null,
    })),
  );
  const group = new PostingGroup(isNew ? { ...read, accounts } : read);
  const [ledger] = read.ledgers;
  return {
    now: ledger.now,
    today: ledger.today,
    post(contactId, decide) {
      const command = internalCommand(businessId, contactId, needs, decide);
      return group.decide(command, use === "record_unsettled");
    },
    pointsOf: (contactId) => group.pointsOf(businessId, contactId),
    settle(contactIds) {
      const commands = [...new Set(contactIds)].map((contactId) => settleCommand(businessId, contactId));
      return commands.flatMap((command) => (group.settle(command) ? [] : command.contactId));
    },
    async record(forTiers) {
      if (forTiers === "give") await addFollowing(tx, group, true);
      const recording = group.recording();
      if (recording === undefined) return 0;
      const { last_entry_no: before } = ledger;
      const last = before + recording.entries.length;
      const counted = last > before && countImportedEntries(tx, businessId, before, last);
      await Promise.all([saveGroup(tx, recording), counted]);
      return recording.entries.length;
    },
  };
}

/** Locks the ledger of a business, and reads what commands need. */
async function readForGroup(tx: Connection, businessId: number, commands: readonly PostingCommand[]) {
  // The statements after the lock see the changes of its previous holder.
  const [[ledger], accounts, members, rules, codeUses, corrections] = await Promise.all([
    lockLedgers(tx, [businessId], "wait"),
    readAccounts(tx, commands),
    readMembersOf(tx, commands),
    readRules(tx, commands),
    readCodeUses(tx, commands),
    readCorrections(tx, commands),
  ]);
  if (ledger === undefined) throw new Error(`business ${businessId} has no ledger`);
  return { ledgers: [ledger] as const, stored: [], accounts, members, ...rules, codeUses, corrections };
}

const membersAtOnce = 500;

interface Applying {
  /** Changes what was read, such as by further records. */
  readonly change?: (read: GroupState) => GroupState;
  /** Whether entries can be earlier than those before. */
  readonly counts?: boolean;
  /** Whether the event of what members get for tiers comes after that of the write. */
  readonly follows?: boolean;
  /** Is told of a command whose decision fails, which is left out then. Otherwise, it fails all. */
  readonly leaveOut?: LeaveOut;
}

/** @throws the error when too many decisions fail */
export type LeaveOut = (error: unknown, command: PostingCommand) => void;

interface Applied {
  /** Of each command; undefined for one that was left out. */
  readonly outcomes: readonly GroupOutcome[];
  /** How many entries were recorded. */
  readonly entries: number;
}

/** Decides commands and saves their effects, in a transaction. */
export async function applyCommands(
  tx: Connection,
  businessId: number,
  commands: readonly PostingCommand[],
  applying: Applying = {},
): Promise<Applied> {
  const { change = (read) => read, counts = false, follows = false, leaveOut } = applying;
  const read = await readForGroup(tx, businessId, commands);
  const group = new PostingGroup(change(read));
  const outcomes: GroupOutcome[] = [];
  for (const [at, command] of commands.entries()) {
    try {
      outcomes.push(group.apply(command));
    } catch (error) {
      if (leaveOut === undefined) throw error;
      leaveOut(error, command);
      // The group may have a part of its effects. Nothing is saved yet, so the others are decided in another group.
      const others = await applyCommands(tx, businessId, commands.toSpliced(at, 1), applying);
      return { ...others, outcomes: others.outcomes.toSpliced(at, 0, undefined) };
    }
  }
  await addFollowing(tx, group, follows);
  const recording = group.recording();
  const { last_entry_no: before } = read.ledgers[0];
  const last = before + (recording?.entries.length ?? 0);
  const counted = counts && last > before && countImportedEntries(tx, businessId, before, last);
  if (recording !== undefined) await Promise.all([saveGroup(tx, recording), counted]);
  return { outcomes, entries: recording?.entries.length ?? 0 };
}

/** Records what is due of members, in a transaction. @returns how many entries were recorded */
export async function settleMembers(
  tx: Connection,
  businessId: number,
  contactIds: readonly number[],
): Promise<number> {
  let entries = 0;
  let rest = [...new Set(contactIds)];
  while (rest.length > 0) {
    const commands = rest.slice(0, membersAtOnce).map((contactId) => settleCommand(businessId, contactId));
    const applied = await applyCommands(tx, businessId, commands);
    const { outcomes } = applied;
    entries += applied.entries;
    rest = [
      ...commands.flatMap(({ contactId }, index) => (outcomes[index] === "settled_in_part" ? contactId : [])),
      ...rest.slice(membersAtOnce),
    ];
  }
  return entries;
}

/** Settles a member, writes off its balances except the total of its sales, and closes its lots and debts. */
export async function closeAccounts(
  tx: Connection,
  businessId: number,
  contactId: number,
  reason: string | undefined,
): Promise<void> {
  await settleMembers(tx, businessId, [contactId]);
  const lots = await listOpenLots(tx, businessId, contactId);
  const held = await listVouchersHeld(tx, businessId, contactId);
  const closed = lots.map((lot) => ({ ...lot, clawed: lot.clawed + leftOf(lot) }));
  const close: Decide<typeof allOf> = ({ member, today }) => {
    if (member === undefined) return noMember();
    const { wallet, points, vouchers } = member.balances;
    return {
      entries: [
        ...entryOf("wallet_adjustment", -wallet),
        ...entryOf("reward_points_adjustment", -points),
        ...entryOf("voucher_issued", -vouchers),
      ],
      reference_id: undefined,
      reason,
      changes: {
        lot: closed,
        debt: member.points.debts.map((debt) => ({ ...debt, owed: 0 })),
        held_voucher: held.map((voucher) => ({ ...voucher, status: "lapsed" })),
        member_stamp_card: member.cards.map(closeCard),
        tier_standing: member.tier.standing === undefined ? [] : [withoutTier(today)],
      },
      closes: true,
      data: {},
    };
  };
  const command = internalCommand(businessId, contactId, allOf, close);
  await applyCommands(tx, businessId, [command], {
    change(read) {
      const members = read.members.map((one) => {
        return { ...one, member: { ...one.member, points: { ...one.member.points, lots }, vouchers: held } };
      });
      return { ...read, members };
    },
  });
}
