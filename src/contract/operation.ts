/**
 * What an operation is. A declaration holds everything that is particular to it; routing, validation, the
 * documents, the client and the tests' tables derive from it.
 */

import type { Static, TObject, TSchema } from "typebox";
import type { Connection, Database } from "../database/connection.ts";
import type { LocationAccess } from "../domain/access.ts";
import type { Redemption } from "../domain/engine/exchange.ts";
import type { Debt, Lot, Points } from "../domain/engine/lots.ts";
import type { RefundParts } from "../domain/engine/refund.ts";
import type { Rules } from "../domain/engine/rules.ts";
import type { Sale } from "../domain/engine/sale.ts";
import type { Account, EventType, MemberState } from "../domain/ledger.ts";
import type { Page, PageRequest } from "../domain/pagination.ts";
import type { ErrorCode, Fail, FieldError, Refusal } from "./errors.ts";
import type { Scope } from "./scopes.ts";
import type { Services } from "./services.ts";

/** Who acts, as the audit log tells it. */
export interface Actor {
  readonly name: string;
  readonly address: string;
  readonly requestId: string;
}

/** Who is calling, and for which business; resolved from the token or key before any operation runs. */
export interface Caller {
  readonly actor: Actor;
  /** 0 for an operator's operation that concerns no business. */
  readonly businessId: number;
  /** Undefined for an operator. */
  readonly integrationId: number | undefined;
  /** IANA name; every day and timestamp of the business is wall-clock time there. */
  readonly timeZone: string;
  readonly locations: LocationAccess;
}

/** What a field check gets besides the input. */
export interface CheckContext {
  /** @returns the day it is for the caller, YYYY-MM-DD */
  readonly today: () => string;
  /** Fields that were sent but rejected by the schema: they are not absent. */
  readonly refused: ReadonlySet<string>;
}

interface Declared<Input extends TObject, Output extends TSchema, Code extends ErrorCode> {
  /** Below the base path; it is also the path of the file that declares the operation. */
  readonly path: `/sp/${string}` | `/op/${string}`;
  readonly summary: string;
  /** The message of a successful response. */
  readonly message: string;
  readonly description: string;
  readonly input: Input;
  /** The schema of the response's data; of one item for lists. */
  readonly output: Output;
  /** How large a body may be, in bytes; 64 KiB when absent. */
  readonly maximumBodyBytes?: number;
  /** The example request in the documents, for an operation that rejects some fields together. */
  readonly example?: Partial<Static<Input>>;
  /** The errors of its own, besides those that every operation of its kind has. */
  readonly errors: readonly Code[];
  /** At least one of these fields must be sent, such as those that an update can change. */
  readonly atLeastOneOf?: readonly (keyof Static<Input> & string)[];
  /**
   * What a schema can't say about the fields. It gets only the fields that the schema accepted, so that
   * every failure is reported at once.
   */
  check?(input: Partial<Static<Input>>, context: CheckContext): FieldError[];
}

type Result<Output extends TSchema, Code extends ErrorCode> = Static<Output> | Refusal<Code>;

interface Context<Input extends TObject, Code extends ErrorCode> {
  readonly input: Static<Input>;
  readonly services: Services;
  readonly fail: Fail<Code>;
}

interface CallerContext<Input extends TObject, Code extends ErrorCode> extends Context<Input, Code> {
  readonly caller: Caller;
  /** For reads outside a transaction; each statement sees a snapshot of its own. */
  readonly sql: Database;
}

/** Issues a token; the only kind without a caller. */
export interface TokenOperation<
  Input extends TObject = TObject,
  Output extends TSchema = TSchema,
  Code extends ErrorCode = ErrorCode,
> extends Declared<Input, Output, Code> {
  readonly kind: "token";
  issue(context: Context<Input, Code>): Promise<Result<Output, Code>>;
}

/** What a caller needs: a scope of its integration, or the operator key. */
export type Authority = Scope | "operator";

/** Reads; nothing changes. */
export interface ReadOperation<
  Input extends TObject = TObject,
  Output extends TSchema = TSchema,
  Code extends ErrorCode = ErrorCode,
> extends Declared<Input, Output, Code> {
  readonly kind: "read";
  readonly scope: Authority;
  read(context: CallerContext<Input, Code>): Promise<Result<Output, Code>>;
}

/** Reads a page of a list; its kind adds page and per_page to the input, and pagination to the response. */
export interface ListOperation<
  Input extends TObject = TObject,
  Output extends TSchema = TSchema,
  Code extends ErrorCode = ErrorCode,
> extends Declared<Input, Output, Code> {
  readonly kind: "list";
  readonly scope: Authority;
  list(
    context: CallerContext<Input, Code> & { readonly page: PageRequest },
  ): Promise<Page<Static<Output>> | Refusal<Code>>;
}

/**
 * What changed, for the audit log: records before and after, without secrets; null where there was none. If both are equal,
 * nothing changed, and nothing is recorded.
 */
export interface AuditedChange {
  readonly before: object | null;
  readonly after: object | null;
  /** The business that it concerns, if it is not the caller's. */
  readonly businessId?: number;
}

/** Changes records in one transaction; its kind adds idempotency_key to the input. */
export interface WriteOperation<
  Input extends TObject = TObject,
  Output extends TSchema = TSchema,
  Code extends ErrorCode = ErrorCode,
  Prepared = unknown,
> extends Declared<Input, Output, Code> {
  readonly kind: "write";
  readonly scope: Authority;
  /** The name of the write in the audit log, such as tier.created; every operator's write has one. */
  readonly event?: string;
  readonly status: 200 | 201;
  /** The response holds a secret: it is kept for replays encrypted, under a key outside the database. */
  readonly confidential?: true;
  /**
   * The location of the record that is changed; undefined without one. A caller that may not use it is rejected before a
   * kept response is replayed (docs/decisions/order-of-checks.md). It only reads.
   */
  findLocation?(
    context: CallerContext<Input, Code> & { readonly tx: Connection },
  ): Promise<{ readonly location_id: number | null } | undefined>;
  /**
   * Slow work that needs no transaction, such as hashing a password; done at most once a request. It
   * returns the refusals that are known already, so that they cost nothing.
   */
  prepare?(context: CallerContext<Input, Code>): Promise<Prepared | Refusal<Code>>;
  /** Whether an input needs preparation; all do unless this says otherwise. */
  needsPreparation?(input: Static<Input>): boolean;
  /**
   * It may run several times, so it must change nothing except through tx. It runs while the key is claimed,
   * and is rolled back if another process has used the key.
   */
  write(
    context: CallerContext<Input, Code> & {
      readonly tx: Connection;
      readonly prepared: Prepared;
      /** Writes an operator's change to the audit log, in the same transaction. Every operator write calls it. */
      readonly audit: (change: AuditedChange) => void;
    },
  ): Promise<Result<Output, Code>>;
}

/** An entry to add to the ledger. The write path numbers, dates and stores it. */
export interface EntryDraft {
  readonly event_type: EventType;
  /** Signed, never 0. The event type says which account it moves. */
  readonly amount: number;
  readonly location_id?: number | undefined;
  /** The caller's reference. All entries of a command without one get the generated reference of the first. */
  readonly reference_id?: string | undefined;
  readonly reason?: string | undefined;
}

export interface Posting<Data> {
  /** Points that were due before. Their entries have no integration, and each has its own reference. */
  readonly settled?: readonly EntryDraft[];
  /** In the order of recording. */
  readonly entries: readonly EntryDraft[];
  readonly data: Data;
  /** The member's points after the entries; absent when the decision did not touch them. */
  readonly points?: Points;
  /** A sale that was made or refunded, as it is now. */
  readonly sale?: Sale;
  readonly refund?: RefundParts & {
    readonly sale_id: number;
    /** The total refunded of the sale, with this refund. */
    readonly refunded: number;
    readonly amount: number;
    readonly location_id: number;
    readonly reference_id: string;
    readonly reason: string | null;
  };
  /** A redemption that was made or reversed, as it is now. */
  readonly redemption?: Redemption & { readonly location_id?: number | null };
}

/** A member as a posting's decision sees it. */
export interface PostingMember extends MemberState {
  /** The lots that have points left, and those that the sale or redemption concerns. */
  readonly lots: readonly Lot[];
  readonly debts: readonly Debt[];
  /** The sale that the input names by sale_id. */
  readonly sale: Sale | undefined;
  /** The redemption that the input names by redemption_id. */
  readonly redemption: Redemption | undefined;
}

/**
 * Writes to the ledger, through the group commit; its kind adds idempotency_key. The decision is pure: it sees the
 * member's state as it stands under the ledger's lock, and returns what to record, or a refusal.
 */
export interface PostingOperation<
  Input extends TObject = TObject,
  Output extends TSchema = TSchema,
  Code extends ErrorCode = ErrorCode,
> extends Declared<Input, Output, Code> {
  readonly kind: "posting";
  readonly scope: Authority;
  /** The name of the write in the audit log, such as tier.created; every operator's write has one. */
  readonly event?: string;
  /**
   * What the decision reads of the member and what its entries move: accounts, or "engine" for all accounts with the
   * member's lots, debts and rules.
   */
  readonly needs: readonly (Account | "engine")[];
  /**
   * Finds the member when the input names a sale or a redemption instead. A caller that may not use the location of that
   * record is rejected. It only reads.
   */
  findMember?(
    context: CallerContext<Input, Code>,
  ): Promise<{ readonly contact_id: number; readonly location_id: number | null } | Refusal<Code>>;
  decide(context: {
    readonly input: Static<Input>;
    /** Undefined when no such member exists. */
    readonly member: PostingMember | undefined;
    /** The rules of the day that the input names by sold_on; of today without it. */
    readonly rules: () => Rules;
    /** The day in the business's time zone, YYYY-MM-DD. */
    readonly today: string;
    /** The number of the entry that is recorded next. */
    readonly nextEntryNo: number;
    readonly fail: Fail<Code>;
  }): Posting<Static<Output>> | Refusal<Code>;
}

export type Operation = TokenOperation | ReadOperation | ListOperation | WriteOperation | PostingOperation;
