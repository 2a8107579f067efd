/**
 * A business with one member in memory. The operations decide in real groups of postings, and what a group would save is kept here
 * instead of in a database. So properties can be tried on thousands of histories of the whole engine.
 */

import type { PostingOperation } from "../../src/contract/operation.ts";
import { kinds, nameOfRecord } from "../../src/database/engine/kinds.ts";
import type { StoredMember } from "../../src/database/engine/members.ts";
import type { StoredKey } from "../../src/database/ledger/idempotency-keys.ts";
import type { EntryRow } from "../../src/database/ledger/ledger.ts";
import { anyLocation } from "../../src/domain/access/access.ts";
import { addDays } from "../../src/domain/dates.ts";
import { type Balances, namedKinds } from "../../src/domain/decision.ts";
import { leftOf } from "../../src/domain/engine/lots.ts";
import type { Buying } from "../../src/domain/engine/promotions/acting.ts";
import type { Rules } from "../../src/domain/engine/rules.ts";
import { decideSale, type SaleInput } from "../../src/domain/engine/sale.ts";
import type { PublicDefinition } from "../../src/domain/engine/vouchers/codes.ts";
import { type CodeLimit, codeUsesOf } from "../../src/domain/engine/vouchers/limits.ts";
import { accounts } from "../../src/domain/ledger.ts";
import { isDerived, type Kind, type Records } from "../../src/domain/records.ts";
import { Rejection } from "../../src/domain/rejection.ts";
import type { PostingCommand } from "../../src/pipeline/postings/group-state.ts";
import { settleCommand } from "../../src/pipeline/postings/internal-commands.ts";
import { settledMember } from "../../src/pipeline/postings/member-reader.ts";
import { PostingGroup } from "../../src/pipeline/postings/posting-group.ts";
import { euros } from "./vouchers.ts";

const businessId = 1;
const contactId = 100;
type Input = Readonly<Record<string, unknown>>;
type Data = Readonly<Record<string, unknown>>;

/** The sum of a row and of what is added to it. */
function sumOf(kind: Kind, before: Records[Kind], added: Records[Kind]): Records[Kind] {
  const sums = kinds[kind].changing.map((field) => {
    const of = (row: Records[Kind]) => row[field as never] as number;
    return [field, of(before) + of(added)];
  });
  return { ...before, ...Object.fromEntries(sums) };
}

export class MemoryBusiness {
  readonly rules: Rules;
  today: string;
  readonly entries: EntryRow[] = [];
  readonly keys: StoredKey[] = [];
  readonly balances: { -readonly [Account in keyof Balances]: number };
  readonly #records = new Map<Kind, Map<string, Records[Kind]>>();
  #lastVoucherNo = 0;

  constructor(rules: Rules, today: string, balances: Partial<Balances> = {}) {
    this.rules = rules;
    this.today = today;
    this.balances = { wallet: 0, points: 0, vouchers: 0, sales: 0, ...balances };
  }

  recordsOf<Name extends Kind>(kind: Name): Records[Name][] {
    return [...(this.#records.get(kind)?.values() ?? [])] as Records[Name][];
  }

  wait(days: number): void {
    this.today = addDays(this.today, days);
  }

  /** Does what the background job does. */
  settle(): void {
    this.#decide(settleCommand(businessId, contactId));
  }

  /**
   * Posts a command in a group of its own.
   * @param record what the operation would find in the database
   * @param key another one by default
   * @returns the data of the response, or the code of the rejection
   */
  post(operation: PostingOperation, input: Input, record?: unknown, key = `key-${this.keys.length}`) {
    return this.#decide({
      operation,
      businessId,
      contactId,
      integrationId: 1,
      locations: anyLocation,
      record,
      input: { contact_id: contactId, location_id: 1, ...input },
      idempotencyKey: { owner: { businessId, integrationId: 1 }, key, fingerprint: JSON.stringify(input) },
    });
  }

  /**
   * Quotes a sale, as reading a member and deciding without saving does.
   * @returns the data of the response without numbers, or the code of the rejection
   */
  quote(input: Omit<SaleInput, "contact_id" | "location_id">, codes: readonly PublicDefinition[]) {
    const { today, rules, given, codeUses } = this;
    const at = { today, localTime: `${today} 10:00:00`, currency: euros, given };
    const stored = { ...this.#member(), ...at, rules, rulesToday: rules };
    const moment = { ...at, now: today, entryNo: 1, voucherNo: 1e9, locations: anyLocation, codeUses };
    const sale = { contact_id: contactId, location_id: 1, ...input };
    const decision = decideSale(settledMember(stored, contactId), sale, rules, moment, codes);
    return decision instanceof Rejection ? decision.code : JSON.parse(JSON.stringify(decision.data));
  }

  #decide(command: PostingCommand): Data | string {
    const { today, rules } = this;
    const { needs } = command.operation;
    const readsMember = needs.points !== undefined || needs.named !== undefined;
    const own = { business_id: businessId, contact_id: contactId };
    const group = new PostingGroup({
      ledgers: [
        {
          business_id: businessId,
          today,
          now: `${today} 10:00:00+00`,
          local_time: `${today} 10:00:00`,
          last_entry_no: this.entries.length,
          last_voucher_no: this.#lastVoucherNo,
          behind: false,
          events_enabled: false,
          move_state: null,
          ...euros,
        },
      ],
      stored: this.keys,
      accounts: readsMember
        ? []
        : accounts.map((account) => ({
            ...own,
            ...{ account, active: true, anonymous: null, lapses_on: null, balance: this.balances[account] },
          })),
      members: readsMember ? [{ businessId, contactId, member: this.#member() }] : [],
      rules: new Map([[command, rules]]),
      rulesToday: new Map([[businessId, rules]]),
      codeUses: new Map([[businessId, this.codeUses]]),
      given: new Map([[businessId, new Map(this.given)]]),
    });
    const outcome = group.apply(command);
    if (outcome instanceof Rejection) return outcome.code;
    if (typeof outcome !== "object") throw new Error(`the group did not decide: ${outcome}`);
    const recording = group.recording();
    if (outcome.replayed && recording !== undefined) throw new Error("a replay has an effect");
    this.entries.push(...(recording?.entries ?? []));
    this.keys.push(...(recording?.keys ?? []));
    for (const { account, balance } of recording?.balances ?? []) this.balances[account] = balance;
    for (const { after } of recording?.records.held_voucher ?? []) {
      this.#lastVoucherNo = Math.max(this.#lastVoucherNo, after.held_voucher_id);
    }
    for (const [kind, changes = []] of Object.entries(recording?.records ?? {})) {
      for (const { after } of changes) this.#keep(kind as Kind, after);
    }
    return JSON.parse(outcome.body).data;
  }

  #keep<Name extends Kind>(kind: Name, after: Records[Name]): void {
    const known = this.#records.get(kind) ?? new Map<string, Records[Kind]>();
    this.#records.set(kind, known);
    const name = nameOfRecord(kind, after);
    const before = known.get(name);
    known.set(name, before && isDerived(kind) ? sumOf(kind, before, after) : after);
  }

  /** The points that promotions give on all sales. */
  get given(): Map<number, number> {
    const given = new Map<number, number>();
    for (const { promotion_id, left } of this.recordsOf("sale").flatMap(({ grants }) => grants ?? []))
      given.set(promotion_id, left + (given.get(promotion_id) ?? 0));
    return given;
  }

  /** How often codes were used or claimed. */
  get codeUses(): Map<CodeLimit, number> {
    const counts = new Map<CodeLimit, number>();
    for (const { limit, uses } of this.recordsOf("held_voucher").flatMap((one) => codeUsesOf(undefined, one)))
      counts.set(limit, uses + (counts.get(limit) ?? 0));
    return counts;
  }

  #buying(): Buying {
    const kept = this.recordsOf("sale").filter(({ refunded, amount }) => refunded < amount);
    const [bought_on = null] = kept
      .map(({ sold_on }) => sold_on)
      .sort()
      .reverse();
    const facts = { joined_on: "2026-01-01", born_on: "1990-01-20", bought_on };
    return { facts, counts: this.recordsOf("grant_count") };
  }

  #member() {
    const lots = this.recordsOf("lot");
    const leftIn = (matured: boolean) =>
      lots.reduce((sum, lot) => (lot.matured === matured ? sum + leftOf(lot) : sum), 0);
    return {
      active: true,
      anonymous: null,
      lapses_on: null,
      erased: false,
      balances: this.balances,
      today: this.today,
      moreDue: false,
      due: [],
      points: {
        balance: this.balances.points,
        lotted: leftIn(true),
        pending: leftIn(false),
        lots,
        debts: this.recordsOf("debt"),
      },
      vouchers: this.recordsOf("held_voucher"),
      buying: this.#buying(),
      cards: this.recordsOf("member_stamp_card"),
      named: Object.fromEntries(namedKinds.map((kind) => [kind, this.recordsOf(kind)])),
      tier: {
        standing: this.recordsOf("tier_standing")[0],
        sales: this.recordsOf("sales_day"),
        past: [{ valid_from: "2000-01-01", rules: this.rules }],
      },
    } satisfies StoredMember;
  }
}
