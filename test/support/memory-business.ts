/**
 * A business with one member in memory. The operations decide in real groups of postings, and what a group would save is kept here
 * instead of in a database. So properties can be tried on thousands of histories of the whole engine.
 */

import type { PostingOperation } from "../../src/contract/operation.ts";
import { nameOfRecord } from "../../src/database/engine/kinds.ts";
import type { StoredMember } from "../../src/database/engine/members.ts";
import type { StoredKey } from "../../src/database/ledger/idempotency-keys.ts";
import type { EntryRow } from "../../src/database/ledger/ledger.ts";
import { anyLocation } from "../../src/domain/access.ts";
import { addDays } from "../../src/domain/dates.ts";
import { type Balances, namedKinds } from "../../src/domain/decision.ts";
import { leftOf } from "../../src/domain/engine/lots.ts";
import type { Rules } from "../../src/domain/engine/rules.ts";
import { accounts } from "../../src/domain/ledger.ts";
import type { Kind, Records, SalesOfDay } from "../../src/domain/records.ts";
import { Rejection } from "../../src/domain/rejection.ts";
import type { PostingCommand } from "../../src/pipeline/postings/group-state.ts";
import { settleCommand } from "../../src/pipeline/postings/open-ledger.ts";
import { PostingGroup } from "../../src/pipeline/postings/posting-group.ts";

const businessId = 1;
const contactId = 100;
type Input = Readonly<Record<string, unknown>>;
type Data = Readonly<Record<string, unknown>>;

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
        },
      ],
      stored: this.keys,
      accounts: readsMember
        ? []
        : accounts.map((account) => ({ ...own, account, active: true, balance: this.balances[account] })),
      members: readsMember ? [{ businessId, contactId, member: this.#member() }] : [],
      rules: new Map([[command, rules]]),
      rulesToday: new Map([[businessId, rules]]),
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
    const before = kind === "sales_day" ? (known.get(name) as SalesOfDay | undefined) : undefined;
    const { net, sales } = after as SalesOfDay;
    known.set(name, before ? { ...before, net: before.net + net, sales: before.sales + sales } : after);
  }

  #member(): StoredMember {
    const lots = this.recordsOf("lot");
    const leftIn = (matured: boolean) =>
      lots.reduce((sum, lot) => (lot.matured === matured ? sum + leftOf(lot) : sum), 0);
    return {
      active: true,
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
      named: Object.fromEntries(namedKinds.map((kind) => [kind, this.recordsOf(kind)])),
      tier: {
        standing: this.recordsOf("tier_standing")[0],
        sales: this.recordsOf("sales_day"),
        past: [{ valid_from: "2000-01-01", rules: this.rules }],
      },
    };
  }
}
