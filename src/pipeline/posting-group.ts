/** Decides the postings of a group one after the other in memory, and collects the rows to record. No I/O. */
import { fail, Refusal } from "../contract/errors.ts";
import type { Actor, PostingOperation } from "../contract/operation.ts";
import type { NewAuditEntry } from "../database/access/audit.ts";
import type { EngineRecording } from "../database/engine/recording.ts";
import type { StoredKey } from "../database/ledger/idempotency-keys.ts";
import type { AccountRow, EntryRow, LockedLedger, Recording } from "../database/ledger/ledger.ts";
import type { AuditEvent } from "../domain/audit-events.ts";
import type { Rules } from "../domain/engine/rules.ts";
import type { StoredResponse } from "../domain/idempotency.ts";
import { type Account, eventTypes, generatedReference, move } from "../domain/ledger.ts";
import type {
  Balances,
  Debt,
  EntryDraft,
  Lot,
  Member,
  Posting,
  Redemption,
  Sale,
} from "../domain/posting.ts";
import { type IdempotencyKey, type Outcome, replayOf, successBody } from "./request.ts";

/** One posting that waits to be recorded. */
export interface PostingCommand {
  readonly operation: Pick<PostingOperation, "path" | "message" | "needs" | "decide">;
  readonly businessId: number;
  /** The member whose accounts it moves. */
  readonly contactId: number;
  /** The integration of its entries; null for an operator and for the service itself. */
  readonly integrationId: number | null;
  /** For the audit log: the operator who sent it, and the name of the change. */
  readonly audit?: { readonly actor: Actor; readonly event: AuditEvent } | undefined;
  /** Undefined for a command of the service itself, which has no more effect when it is repeated. */
  readonly idempotencyKey: IdempotencyKey | undefined;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The rows that are read for a group under the locks of its ledgers. */
export interface GroupState {
  /** The locked ones. */
  readonly ledgers: readonly LockedLedger[];
  /** The responses to keys that were used before. */
  readonly stored: readonly StoredKey[];
  /** The accounts that the commands need, if they exist. */
  readonly accounts: readonly AccountRow[];
  /** The member and the rules of each command that needs the engine. */
  readonly engine: readonly {
    readonly command: PostingCommand;
    readonly member: Member;
    readonly rules: Rules;
  }[];
}

interface GroupMember {
  readonly businessId: number;
  readonly contactId: number;
  readonly active: boolean;
  readonly balances: Partial<Record<Account, number>>;
  readonly moved: Set<Account>;
  lots: readonly Lot[];
  debts: readonly Debt[];
  readonly sales: Map<number, Sale>;
  readonly redemptions: Map<number, Redemption>;
}

interface LedgerState extends LockedLedger {
  /** The number of the next entry of the group. */
  nextEntryNo: number;
}

const nameOf = (...parts: readonly (string | number)[]) => parts.join(" ");

export class PostingGroup {
  readonly #ledgers: ReadonlyMap<number, LedgerState>;
  readonly #members = new Map<string, GroupMember>();
  readonly #rules = new Map<PostingCommand, Rules>();
  readonly #stored = new Map<string, StoredResponse>();
  readonly #entries: EntryRow[] = [];
  readonly #keys: StoredKey[] = [];
  /** The audit entries of operators' commands. */
  readonly audited: NewAuditEntry[] = [];
  readonly #refunds: EngineRecording["refunds"][number][] = [];
  /** Lots, debts, sales and redemptions as they were read. Decisions replace those that they change. */
  readonly #unchanged = new Set<unknown>();

  constructor({ ledgers, stored, accounts, engine }: GroupState) {
    this.#ledgers = new Map(
      ledgers.map((ledger) => [ledger.business_id, { ...ledger, nextEntryNo: ledger.last_entry_no + 1 }]),
    );
    for (const row of stored) {
      this.#stored.set(nameOf(row.business_id, row.integration_id, row.idempotency_key), row);
    }
    for (const { business_id, contact_id, account, active, balance } of accounts) {
      this.#memberNamed(business_id, contact_id, active).balances[account] = balance;
    }
    for (const { command, member: row, rules } of engine) {
      this.#rules.set(command, rules);
      const member = this.#memberNamed(command.businessId, command.contactId, row.active);
      Object.assign(member.balances, row.balances);
      // Each command of a member reads the lots of its own sale.
      const known = new Set(member.lots.map(({ lot_id }) => lot_id));
      member.lots = [...member.lots, ...row.points.lots.filter(({ lot_id }) => !known.has(lot_id))];
      member.debts = row.points.debts;
      if (row.sale !== undefined) member.sales.set(row.sale.sale_id, row.sale);
      if (row.redemption !== undefined) member.redemptions.set(row.redemption.redemption_id, row.redemption);
      const { lots, debts } = row.points;
      for (const record of [...lots, ...debts, row.sale, row.redemption]) this.#unchanged.add(record);
    }
  }

  #memberNamed(businessId: number, contactId: number, active: boolean): GroupMember {
    const name = nameOf(businessId, contactId);
    const known = this.#members.get(name);
    if (known !== undefined) return known;
    const member: GroupMember = {
      businessId,
      contactId,
      active,
      balances: {},
      moved: new Set(),
      lots: [],
      debts: [],
      sales: new Map(),
      redemptions: new Map(),
    };
    this.#members.set(name, member);
    return member;
  }

  /**
   * Decides one command after those before it.
   * @returns undefined when its ledger is not locked
   */
  apply(command: PostingCommand): Outcome | undefined {
    const { operation, businessId, idempotencyKey, audit } = command;
    const ledger = this.#ledgers.get(businessId);
    if (ledger === undefined) return undefined;
    const known = idempotencyKey && replayOf(this.#stored.get(keyName(idempotencyKey)), idempotencyKey);
    if (known !== undefined) return known;

    const member = this.#members.get(nameOf(businessId, command.contactId));
    const posting = operation.decide({
      input: command.input,
      member: member && memberOf(member, command),
      rules: () => this.#rulesOf(command),
      today: ledger.today,
      nextEntryNo: ledger.nextEntryNo,
      fail,
    });
    if (posting instanceof Refusal) return posting;
    if (member === undefined) throw new Error(`${operation.path} moves accounts of no member`);
    const before = { ...member.balances };
    this.#collect(command, ledger, member, posting);
    if (audit !== undefined) this.#audit(command, audit, before, member.balances);
    const response = { status: 200, body: successBody(operation.message, posting.data) };
    if (idempotencyKey !== undefined) this.#storeResponse(idempotencyKey, response);
    return { ...response, replayed: false };
  }

  #audit(
    { businessId, contactId, input }: PostingCommand,
    audit: NonNullable<PostingCommand["audit"]>,
    before: GroupMember["balances"],
    after: GroupMember["balances"],
  ): void {
    const accounts = (Object.keys(after) as Account[]).filter(
      (account) => before[account] !== after[account],
    );
    const changed = (of: GroupMember["balances"]) =>
      Object.fromEntries(accounts.map((account) => [account, of[account]]));
    this.audited.push({
      business_id: businessId,
      ...audit,
      before: { contact_id: contactId, ...changed(before) },
      after: { contact_id: contactId, ...changed(after), reason: input.reason },
    });
  }

  #rulesOf(command: PostingCommand): Rules {
    const rules = this.#rules.get(command);
    if (rules === undefined) throw new Error(`${command.operation.path} did not read the rules`);
    return rules;
  }

  #collect(command: PostingCommand, ledger: LedgerState, member: GroupMember, posting: Posting): void {
    const { settled = [], entries, location_id = null, reason = null } = posting;
    const byService = { integration_id: null, location_id: null, reason: null };
    for (const entry of settled) this.#addEntry(command, ledger, member, entry, byService);
    const first = entries[0];
    const reference =
      first && (first.reference_id ?? generatedReference(first.event_type, ledger.nextEntryNo));
    const origin = { integration_id: command.integrationId, location_id, reason };
    for (const entry of entries) {
      const draft = { ...entry, reference_id: entry.reference_id ?? reference };
      this.#addEntry(command, ledger, member, draft, origin);
    }
    const { points, sale, refund, redemption } = posting;
    if (points === undefined) {
      if ((sale ?? refund ?? redemption) === undefined) return;
      throw new Error(`${command.operation.path} changes a sale without its points`);
    }
    if (points.balance !== member.balances.points) {
      throw new Error(`${command.operation.path} leaves points that its entries don't add up to`);
    }
    member.lots = points.lots;
    member.debts = points.debts;
    if (sale !== undefined) member.sales.set(sale.sale_id, sale);
    if (redemption !== undefined) member.redemptions.set(redemption.redemption_id, redemption);
    if (refund !== undefined) this.#refunds.push({ ...this.#made(member.businessId), ...refund });
  }

  #addEntry(
    { operation }: PostingCommand,
    ledger: LedgerState,
    member: GroupMember,
    { event_type, amount, reference_id }: EntryDraft,
    origin: Pick<EntryRow, "integration_id" | "location_id" | "reason">,
  ): void {
    const { account } = eventTypes[event_type];
    const balance = move({ active: true, balances: member.balances }, account, amount);
    if (balance instanceof Refusal || amount === 0) {
      const problem = balance instanceof Refusal ? balance.code : "nothing moves";
      throw new Error(`${operation.path} moves ${account} by ${amount}: ${problem}`);
    }
    member.balances[account] = balance;
    member.moved.add(account);
    const entryNo = ledger.nextEntryNo;
    ledger.nextEntryNo += 1;
    this.#entries.push({
      business_id: member.businessId,
      entry_no: entryNo,
      contact_id: member.contactId,
      account,
      event_type,
      amount,
      balance_after: balance,
      ...origin,
      reference_id: reference_id ?? generatedReference(event_type, entryNo),
      created_at: ledger.now,
    });
  }

  #storeResponse(idempotencyKey: IdempotencyKey, response: { status: number; body: string }): void {
    const stored = { fingerprint: idempotencyKey.fingerprint, ...response };
    const { businessId: business_id, integrationId: integration_id } = idempotencyKey.owner;
    this.#keys.push({ business_id, integration_id, idempotency_key: idempotencyKey.key, ...stored });
    this.#stored.set(keyName(idempotencyKey), stored);
  }

  /** @returns the rows to record; undefined when every command was rejected or replayed, or changed nothing */
  recording(): Recording | undefined {
    const engine = this.#engineRecording();
    const recorded: readonly (readonly object[])[] = [this.#keys, this.#entries, ...Object.values(engine)];
    if (recorded.every((rows) => rows.length === 0)) return undefined;
    const heads = [...this.#ledgers.values()]
      .filter((ledger) => ledger.nextEntryNo > ledger.last_entry_no + 1)
      .map(({ business_id, nextEntryNo, now }) => ({
        business_id,
        last_entry_no: nextEntryNo - 1,
        last_recorded_at: now,
      }));
    const balances = [...this.#members.values()].flatMap((member) =>
      [...member.moved].map((account) => ({
        business_id: member.businessId,
        contact_id: member.contactId,
        account,
        balance: member.balances[account] as number,
      })),
    );
    return { heads, entries: this.#entries, balances, keys: this.#keys, engine };
  }

  /** The records that the decisions changed. A record that changed twice is saved once. */
  #engineRecording(): EngineRecording {
    const changed = <Row>(rows: Iterable<Row>) => [...rows].filter((row) => !this.#unchanged.has(row));
    const members = [...this.#members.values()];
    return {
      sales: members.flatMap(({ businessId, sales }) =>
        changed(sales.values()).map((sale) => ({ ...sale, ...this.#made(businessId) })),
      ),
      refunds: this.#refunds,
      lots: members.flatMap(({ businessId: business_id, contactId: contact_id, lots }) =>
        changed(lots).map((lot) => ({ ...lot, business_id, contact_id })),
      ),
      debts: members.flatMap(({ businessId: business_id, contactId: contact_id, debts }) =>
        changed(debts).map((debt) => ({ ...debt, business_id, contact_id })),
      ),
      redemptions: members.flatMap(({ businessId, redemptions }) =>
        changed(redemptions.values()).map((redemption) => ({ ...redemption, ...this.#made(businessId) })),
      ),
    };
  }

  #made(business_id: number) {
    return { business_id, created_at: this.#ledgers.get(business_id)?.now as string };
  }
}

function keyName({ owner, key }: IdempotencyKey): string {
  return nameOf(owner.businessId, owner.integrationId, key);
}

function memberOf(member: GroupMember, { operation, input }: PostingCommand): Member | undefined {
  const accounts = operation.needs.filter((need): need is Account => need !== "engine");
  if (accounts.some((account) => member.balances[account] === undefined)) return undefined;
  const { active, lots, debts, sales, redemptions } = member;
  const { sale_id = 0, redemption_id = 0 } = input as { sale_id?: number; redemption_id?: number };
  const balances = { ...member.balances } as Balances;
  return {
    active,
    balances,
    points: { balance: balances.points, lots, debts },
    sale: sales.get(sale_id),
    redemption: redemptions.get(redemption_id),
  };
}
