/** Decides the postings of a group in memory, one after the other, and collects what to save. It does no I/O. */
import { Rejection, reject } from "../../contract/errors.ts";
import type { NewAuditEntry } from "../../database/access/audit.ts";
import { kindNames, nameOfRecord } from "../../database/engine/kinds.ts";
import type { ChangedRecords } from "../../database/engine/saving.ts";
import type { DayHappening } from "../../database/ledger/day-totals.ts";
import { type NewKey, newKeyOf } from "../../database/ledger/idempotency-keys.ts";
import type { EntryRow } from "../../database/ledger/ledger.ts";
import type { Decision, EntryDraft, Points } from "../../domain/decision.ts";
import { happeningsOf } from "../../domain/engine/happenings.ts";
import { changeLots, inDueOrder, isDue, unlotted } from "../../domain/engine/lots.ts";
import type { Rules } from "../../domain/engine/rules.ts";
import { type SettledState, settleAll } from "../../domain/engine/settle.ts";
import type { StoredResponse } from "../../domain/idempotency.ts";
import { eventTypes, generatedReference, move } from "../../domain/ledger.ts";
import { rejectWhileMoving } from "../../domain/moving.ts";
import { type Changes, isDerived, type Kind, type Lot, type Records } from "../../domain/records.ts";
import { auditEntryOf } from "./group-audit.ts";
import { correctedBy, GroupCorrections } from "./group-corrections.ts";
import { GroupEvents } from "./group-events.ts";
import {
  addSales,
  balancesAfter,
  cardChangesOf,
  cardsOf,
  countSales,
  countUses,
  type GroupMember,
  joined,
  keepRead,
  newGroupMember,
  type Standing,
  settledIn,
  standingIn,
  takeLapsed,
  viewOf,
  vouchersOf,
} from "./group-member.ts";
import {
  type GroupOutcome,
  type GroupRecording,
  type GroupState,
  type LedgerState,
  ledgerStates,
  type PostingCommand,
  type ReadMember,
} from "./group-state.ts";
import { type IdempotencyKey, replayOf, successBody } from "./outcome.ts";

/** The parts of an entry that all entries of a decision share. */
type Origin = Pick<EntryRow, "integration_id" | "location_id" | "reason">;
const byService: Origin = { integration_id: null, location_id: null, reason: null };

export class PostingGroup {
  readonly #ledgers: ReadonlyMap<number, LedgerState>;
  readonly #members = new Map<string, GroupMember>();
  readonly #rules: ReadonlyMap<PostingCommand, Rules>;
  readonly #rulesToday: ReadonlyMap<number, Rules>;
  readonly #stored = new Map<string, StoredResponse>();
  readonly #entries: EntryRow[] = [];
  readonly #keys: NewKey[] = [];
  readonly #happenings: DayHappening[] = [];
  readonly #audited: NewAuditEntry[] = [];
  readonly #corrections: GroupCorrections;
  readonly #lapsed: GroupRecording["lapsed"][number][] = [];
  #events: GroupEvents | undefined;

  constructor(state: GroupState) {
    const { stored, accounts, members, rules, rulesToday, corrections = [] } = state;
    this.#corrections = new GroupCorrections(corrections);
    this.#ledgers = ledgerStates(state);
    this.#rules = rules;
    this.#rulesToday = rulesToday;
    for (const row of stored)
      this.#stored.set(joined(row.business_id, row.integration_id, row.idempotency_key), row);
    for (const row of accounts)
      this.#hold(row.business_id, row.contact_id, row).balances[row.account] = row.balance;
    for (const read of members) this.#holdRead(read);
  }

  #hold(businessId: number, contactId: number, standing: Standing): GroupMember {
    const name = joined(businessId, contactId);
    const known = this.#members.get(name);
    if (known !== undefined) return known;
    const member = newGroupMember(businessId, contactId, standing);
    this.#members.set(name, member);
    return member;
  }

  #holdRead({ businessId, contactId, member: read }: ReadMember): void {
    const ledger = this.#ledgers.get(businessId);
    if (ledger === undefined) return;
    if (ledger.today !== read.today) {
      // Midnight passed between two statements. The next attempt reads both on the same day.
      throw Object.assign(new Error("the day changed while a group was read"), { code: "40001" });
    }
    // An account that was read alone does not tell whether its member is erased.
    this.#members.delete(joined(businessId, contactId));
    const member = this.#hold(businessId, contactId, read);
    keepRead(member, read);
  }

  /** Decides one command. It sees the effects of the commands before it. */
  apply(command: PostingCommand): GroupOutcome {
    const { operation, businessId, idempotencyKey, audit } = command;
    const ledger = this.#ledgers.get(businessId);
    if (ledger === undefined) return undefined;
    const known = idempotencyKey && replayOf(this.#stored.get(keyName(idempotencyKey)), idempotencyKey);
    const rejected = known ?? rejectWhileMoving(ledger.move_state, true, Math.random());
    if (rejected !== undefined) return rejected;
    const member = this.#members.get(joined(businessId, command.contactId));
    if (member?.due === "more_due") this.#settleSome(ledger, member);
    if (member?.due === "settled_in_part") return member.due;
    const before = audit && { ...member?.balances };
    const decision = this.decide(command);
    if (decision instanceof Rejection) return decision;
    if (before !== undefined && member !== undefined) {
      this.#audited.push(auditEntryOf(command, before, member.balances, decision.data));
    }
    const response = { status: 200, body: successBody(operation.message, decision.data) };
    if (idempotencyKey !== undefined) this.#storeResponse(idempotencyKey, response);
    return { replayed: false, ...response };
  }

  /** The points of a member after the decisions so far; undefined if they were not read. */
  pointsOf(businessId: number, contactId: number): Points | undefined {
    return this.#members.get(joined(businessId, contactId))?.points;
  }

  /** Settles the member of a command if all that is due was read. @returns whether it is settled */
  settle(command: PostingCommand): boolean {
    const member = this.#members.get(joined(command.businessId, command.contactId));
    return member?.due === "all_read" && !(this.decide(command) instanceof Rejection);
  }

  /**
   * Settles the member of a command, decides, and collects the effects of both if the command is accepted.
   * @param isUnsettled whether the member is left unsettled
   */
  decide(command: PostingCommand, isUnsettled = false): Decision | Rejection {
    const { operation, businessId, contactId, limits } = command;
    const ledger = this.#ledgers.get(businessId) as LedgerState;
    const rulesToday = this.#rulesToday.get(businessId);
    const member = this.#members.get(joined(businessId, contactId));
    this.#lapseMoney(ledger, member);
    const settled = settledIn(isUnsettled ? undefined : member, ledger.today);
    const decision = operation.decide({
      input: command.input,
      record: command.record,
      member: member && viewOf(member, settled, operation.needs, command.input, rulesToday),
      rules: this.#rules.get(command) as undefined,
      today: ledger.today,
      now: ledger.now,
      localTime: ledger.local_time,
      currency: ledger,
      entryNo: ledger.nextEntryNo + (settled?.entries.length ?? 0),
      voucherNo: ledger.nextVoucherNo,
      locations: command.locations,
      given: ledger.given,
      codeUses: ledger.codeUses,
      reject,
    });
    if (decision instanceof Rejection) return decision;
    const exceeded = limits && this.#corrections.add(businessId, limits, ledger.today, correctedBy(decision));
    if (exceeded !== undefined) return exceeded;
    if (member === undefined) throw new Error(`${operation.path} accepted a command about no member`);
    if (settled !== undefined) this.#keepSettlement(ledger, member, settled);
    const before = this.#entries.length;
    const standing = ledger.events_enabled ? standingIn(member) : undefined;
    const { entries, location_id = null, reason = null, changes } = decision;
    const cards = ledger.events_enabled && changes ? cardChangesOf(member, changes) : [];
    const [first] = entries;
    const generated = first && generatedReference(first.event_type, ledger.nextEntryNo);
    const reference_id = decision.reference_id ?? generated;
    const origin = { integration_id: command.integrationId, location_id, reason };
    for (const entry of entries) this.#addEntry(ledger, member, entry, origin, reference_id);
    if (changes !== undefined) this.#change(ledger, member, changes, location_id);
    for (const { held_voucher_id } of changes?.held_voucher ?? []) {
      ledger.nextVoucherNo = Math.max(ledger.nextVoucherNo, held_voucher_id + 1);
    }
    if (ledger.events_enabled) {
      this.#events ??= new GroupEvents();
      const events = this.#events;
      const made = { ...decision, reference_id };
      events.addDecision(ledger, member, operation, made, this.#entries.slice(before));
      const following = operation.emits === undefined ? events.following : events.whole;
      const [sale] = changes?.sale ?? [];
      const of = { emits: operation.emits, sale_id: sale?.sale_id, location_id };
      if (decision.closes !== true) events.addCards(following, ledger, member, cards, of);
      if (decision.closes !== true) events.addTier(following, ledger, member, standing, rulesToday);
    }
    return decision;
  }

  /** Lets the money of a gift card lapse on its day. It is recorded whatever the command decides. */
  #lapseMoney(ledger: LedgerState, member: GroupMember | undefined): void {
    const lapsed = member && takeLapsed(member, ledger.today);
    if (member === undefined || lapsed === undefined) return;
    const { lapses_on, amount, reason } = lapsed;
    this.#lapsed.push({ business_id: member.businessId, contact_id: member.contactId });
    if (amount === 0) return;
    this.#addEntry(ledger, member, { event_type: "wallet_adjustment", amount }, { ...byService, reason });
    if (!ledger.events_enabled) return;
    this.#events ??= new GroupEvents();
    this.#events.addLapsedMoney(ledger, member, lapses_on, this.#entries.slice(-1));
  }

  /**
   * Settles the first due lots of a member, if more are due than one transaction settles. If nothing is settled, the sums of
   * what is due are wrong, and its commands are decided.
   */
  #settleSome(ledger: LedgerState, member: GroupMember): void {
    const points = member.points as Points;
    const due = points.lots.filter((lot) => isDue(lot, ledger.today)).sort(inDueOrder);
    // The last one was read only to know that there are more.
    const vouchers = vouchersOf(member);
    const some = { ...points, lots: due.slice(0, -1) };
    const settled = settleAll(some, { vouchers, cards: [] }, undefined, ledger.today);
    // Vouchers without a value lapse without entries.
    const isSettled = settled.entries.length > 0 || settled.vouchers !== vouchers;
    member.due = isSettled ? "settled_in_part" : "all_read";
    this.#keepSettlement(ledger, member, settled);
  }

  #keepSettlement(ledger: LedgerState, member: GroupMember, settled: SettledState): void {
    const { points, vouchers, cards, standing, entries: drafts } = settled;
    const before = this.#entries.length;
    const tier = ledger.events_enabled ? standingIn(member) : undefined;
    for (const draft of drafts) this.#addEntry(ledger, member, draft, byService);
    const changed = <Name extends Kind>(kind: Name, records: readonly Records[Name][]) =>
      records.filter(
        (record) => member.records.get(joined(kind, nameOfRecord(kind, record)))?.after !== record,
      );
    const lapsed = changed("held_voucher", vouchers);
    const lapsedCards = changed("member_stamp_card", cards);
    const begun = cardsOf(member).filter(({ stamp_card_id: id }) =>
      lapsedCards.some((one) => one.stamp_card_id === id),
    );
    this.#change(ledger, member, {
      lot: changed("lot", points.lots),
      debt: changed("debt", points.debts),
      held_voucher: lapsed,
      member_stamp_card: lapsedCards,
      tier_standing: changed("tier_standing", standing === undefined ? [] : [standing]),
    });
    if (!ledger.events_enabled) return;
    this.#events ??= new GroupEvents();
    const recorded = this.#entries.slice(before);
    this.#events.addSettlement(ledger, member, { drafts, entries: recorded, lapsed, cards: begun });
    const rules = this.#rulesToday.get(ledger.business_id);
    this.#events.addTier(this.#events.whole, ledger, member, tier, rules);
  }

  /**
   * Keeps changed records, what they mean for reports, and the points that result.
   * @param location_id of the decision; undefined for a settlement, which happens where each record can be used
   */
  #change(
    { business_id, today: day, given, codeUses }: LedgerState,
    member: GroupMember,
    changes: Changes,
    location_id?: number | null,
  ): void {
    for (const { promotion_id, points } of countSales(member, changes.sale ?? []))
      given.set(promotion_id, points + (given.get(promotion_id) ?? 0));
    for (const kind of kindNames) {
      for (const after of isDerived(kind) ? [] : (changes[kind] ?? [])) {
        const name = joined(kind, nameOfRecord(kind, after as never));
        const known = member.records.get(name);
        const own = "location_id" in after ? after.location_id : null;
        const place = location_id === undefined ? own : location_id;
        if (kind === "held_voucher") countUses(codeUses, known?.after, after);
        const happenings = happeningsOf(kind, known?.after, after, day);
        this.#happenings.push(...happenings.map((one) => ({ business_id, location_id: place, day, ...one })));
        member.records.set(name, { kind, before: known?.before, after });
      }
    }
    const { points } = member;
    const { lot = [], debt = [] } = changes;
    if (points === undefined) {
      // Lots can be added without the points.
      const isNew = (record: Lot) => record.clawed + record.used + record.expired === 0;
      if (debt.length > 0 || !lot.every(isNew)) {
        throw new Error("a decision changed points that it did not read");
      }
      return;
    }
    const paid = new Set(debt.map(({ sale_id }) => sale_id));
    const debts = [...points.debts.filter(({ sale_id }) => !paid.has(sale_id)), ...debt];
    member.points = { ...changeLots(points, lot), balance: member.balances.points ?? points.balance, debts };
    if (unlotted(member.points) < 0) throw new Error("lots hold more points than the balance");
  }

  /** @param reference of an entry without one; by default it gets a generated one */
  #addEntry(
    ledger: LedgerState,
    member: GroupMember,
    draft: EntryDraft,
    origin: Origin,
    reference?: string,
  ): void {
    const { event_type, amount, reference_id = reference, created_at = ledger.now } = draft;
    const { location_id = origin.location_id } = draft;
    const { account } = eventTypes[event_type];
    const balance = move({ active: true, balances: member.balances }, account, amount);
    if (balance instanceof Rejection || amount === 0) {
      const problem = balance instanceof Rejection ? balance.code : "nothing moves";
      throw new Error(`a decision moves ${account} by ${amount}: ${problem}`);
    }
    member.balances[account] = balance;
    if (account === "sales") {
      const parts = draft.sold ?? [];
      if (parts.reduce((sum, { net }) => sum + net, 0) !== amount)
        throw new Error("an entry of sales has no day");
      for (const part of parts) addSales(member, part);
    }
    const entryNo = ledger.nextEntryNo;
    ledger.nextEntryNo += 1;
    // These texts sort as the times do.
    this.#entries.push({
      business_id: member.businessId,
      entry_no: entryNo,
      contact_id: member.contactId,
      account,
      event_type,
      amount,
      balance_after: balance,
      ...origin,
      location_id,
      reference_id: reference_id ?? generatedReference(event_type, entryNo),
      created_at,
    });
  }

  #storeResponse(idempotencyKey: IdempotencyKey, response: { status: number; body: string }): void {
    const stored = { fingerprint: idempotencyKey.fingerprint, ...response };
    this.#keys.push(newKeyOf(idempotencyKey, stored));
    this.#stored.set(keyName(idempotencyKey), stored);
  }

  /** @returns undefined when every command was rejected or replayed, or changed nothing */
  recording(): GroupRecording | undefined {
    const records = this.#changedRecords();
    const { whole = [], following = [] } = this.#events ?? {};
    const saved = [this.#keys, this.#entries, this.#lapsed, whole, following, ...Object.values(records)];
    if (saved.every((rows) => rows.length === 0)) return undefined;
    return {
      entries: this.#entries,
      balances: balancesAfter(this.#entries),
      keys: this.#keys,
      records,
      happenings: this.#happenings,
      audited: this.#audited,
      events: this.#events,
      corrections: this.#corrections.changed(),
      lapsed: this.#lapsed,
    };
  }

  /** What is found of each member, by the rules of today. Without occasions, nothing follows from postings. */
  ofMembers<Found>(find: (member: GroupMember, rules: Rules, today: string) => Found[]): Found[] {
    if ([...this.#rulesToday.values()].every(({ occasions }) => occasions.length === 0)) return [];
    return [...this.#members.values()].flatMap((member) => {
      const rules = this.#rulesToday.get(member.businessId);
      const ledger = this.#ledgers.get(member.businessId);
      return rules && ledger ? find(member, rules, ledger.today) : [];
    });
  }

  /** The records that decisions changed or added. A record that changed twice is saved once. */
  #changedRecords(): ChangedRecords {
    const changed = Object.fromEntries(kindNames.map((kind) => [kind, [] as unknown[]])) as Record<
      Kind,
      unknown[]
    >;
    for (const { businessId, contactId, records } of this.#members.values()) {
      const created_at = this.#ledgers.get(businessId)?.now as string;
      for (const { kind, before, after } of records.values()) {
        if (before === after) continue;
        changed[kind].push({ business_id: businessId, contact_id: contactId, created_at, before, after });
      }
    }
    return changed as unknown as ChangedRecords;
  }
}

function keyName({ owner, key }: IdempotencyKey): string {
  return joined(owner.businessId, owner.integrationId, key);
}
