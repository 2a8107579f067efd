/** The types of operations. Routing, validation, documents, client, command line and tests derive from a declaration. */
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { Connection, Share } from "../database/connection.ts";
import type { LocationAccess, Role, Scope } from "../domain/access/access.ts";
import type { Operator } from "../domain/access/operators.ts";
import { type Actor, type AuditEvent, type ServiceEvent, serviceEvents } from "../domain/audit-events.ts";
import type { Decision, Member, Moment, Needs, RulesFor } from "../domain/decision.ts";
import type { EventName } from "../domain/events.ts";
import type { Page, PageRequest } from "../domain/pagination.ts";
import type { ErrorCode, Reject, Rejection } from "./errors.ts";
import type { FieldError } from "./field-errors.ts";
import * as fields from "./fields.ts";
import type { Services } from "./services.ts";

/** The authenticated caller, and the business that it acts for. */
export interface Caller {
  readonly actor: Actor;
  /** 0 for an operator's operation that concerns no business. */
  readonly businessId: number;
  /** Undefined for an operator. */
  readonly integrationId: number | undefined;
  /** Undefined for a partner. */
  readonly operator: Operator | undefined;
  /** The IANA name of the business's time zone. */
  readonly timeZone: string;
  /** The ISO 3166-1 alpha-2 code of the business's country. */
  readonly country: string | null;
  readonly locations: LocationAccess;
  /** Whether the caller could use operations of a scope now. Operators can. */
  readonly mayUse: (scope: Scope) => boolean;
}

export interface CheckContext
  extends Pick<Caller, "businessId" | "country">,
    Pick<Context, "sql" | "services"> {
  /** Fields that were sent, but that the schema rejected. The input does not have them. */
  readonly rejected: ReadonlySet<string>;
  readonly events: readonly AuditEvent[];
  readonly paths: ReadonlySet<string>;
}

interface Declared<I extends TObject, O extends TSchema, C extends ErrorCode> {
  /** Below the base path. The file that declares the operation has the same path. */
  readonly path: `/sp/${string}` | `/op/${string}`;
  readonly summary: string;
  /** The message of a successful response. */
  readonly message: string;
  readonly description: string;
  readonly input: I;
  /** The schema of the response's data; of one item for lists. */
  readonly output: O;
  /** 64 KiB when absent. */
  readonly maximumBodyBytes?: number;
  /** The most fields of all objects of a body together. When absent, it is 64, or unlimited if maximumBodyBytes is given. */
  readonly maximumFields?: number;
  /** Its own errors. All operations of a kind have further ones. */
  readonly errors: readonly C[];
  /** At least one of these fields must be sent, such as those that an update can change. */
  readonly atLeastOneOf?: readonly (keyof Static<I> & string)[];
  /** Exactly one of these fields must be sent. */
  readonly exactlyOneOf?: readonly (keyof Static<I> & string)[];
  /** At most one of these fields can be sent. */
  readonly onlyOneOf?: readonly (keyof Static<I> & string)[];
  /**
   * Checks what a schema can't express. It gets only the fields that the schema accepted, so that one response reports all
   * failures. It can read from the database.
   */
  check?(input: Partial<Static<I>>, context: CheckContext): FieldError[] | Promise<FieldError[]>;
}

export interface Context<I extends TObject = TObject, C extends ErrorCode = ErrorCode> {
  readonly input: Static<I>;
  readonly caller: Caller;
  /** For reads outside a transaction. Each statement has its own snapshot. */
  readonly sql: Share;
  readonly services: Services;
  readonly reject: Reject<C>;
}

/** Issues a token. It is the only kind without an authenticated caller. */
export interface Token<I extends TObject, O extends TSchema, C extends ErrorCode> extends Declared<I, O, C> {
  readonly kind: "token";
  issue(context: Pick<Context<I, C>, "input" | "services" | "reject">): Promise<Static<O> | Rejection<C>>;
}

/** A session that was opened or ended. */
export interface SessionChange<Data> {
  readonly data: Data;
  /** The token of the new session, which the cookie gets; null: the session has ended. */
  readonly token: string | null;
  readonly operator: { readonly operator_id: number; readonly name: string };
  readonly event: ServiceEvent;
}

/** What a person should know before, without a change of a session. */
interface NoSessionChange<Data> {
  readonly data: Data;
  readonly event?: undefined;
}

/** Signs a person in or out, or tells what a person should know before. It has no authenticated caller. */
export interface Session<I extends TObject, O extends TSchema, C extends ErrorCode>
  extends Declared<I, O, C> {
  readonly kind: "session";
  change(
    context: Pick<Context<I, C>, "input" | "sql" | "services" | "reject"> & {
      /** The token of the caller's session, valid or not. */
      readonly session: string | undefined;
      readonly address: string;
    },
  ): Promise<SessionChange<Static<O>> | NoSessionChange<Static<O>> | Rejection<C>>;
}

interface Authorized<I extends TObject, O extends TSchema, C extends ErrorCode> extends Declared<I, O, C> {
  /** Whether it concerns what sales need to earn points. A person should know afterwards what is missing. */
  readonly concernsEarning?: true;
  /** A warning to a person before the request, such as that it can't be undone. It can depend on a field. */
  readonly confirm?: string | { readonly [Field in keyof Static<I>]?: string };
  /**
   * The error that a request would get for a record as it is, so that nobody is asked to confirm a request in vain.
   * @param record as the operation that gets or lists it returns it
   */
  rejects?(record: Readonly<Record<string, unknown>>, input: Partial<Static<I>>): C | undefined;
}

/** Who may use an operation: a partner with a scope, or an operator with at least a role. */
export type Access = PartnerAccess | OperatorAccess;

export interface PartnerAccess {
  readonly scope: Scope;
  /** Operators have the operation, too. */
  readonly operator?: OperatorVariant;
}

export interface OperatorAccess {
  readonly scope: "operator";
  readonly role: Role;
  /** A person who signed in must have given the password a short time ago. */
  readonly sensitive?: true;
  /** It concerns the installation, so operators who are limited to some businesses may not use it. */
  readonly concernsAllBusinesses?: true;
}

/**
 * How operators have a partner's operation. It names a business, has all locations, and a posting has a reason. What is not
 * declared here is as for partners.
 */
export interface OperatorVariant
  extends Omit<OperatorAccess, "scope">,
    Partial<Pick<PostingOperation, "summary" | "description" | "message" | "undoes" | "concernsEarning">> {
  /** By default, that of the partner's operation, below /op instead of /sp. */
  readonly path?: `/op/${string}`;
  /** Its name in the audit log. */
  readonly event?: AuditEvent;
  readonly confirm?: string;
  readonly rejects?: PostingOperation["rejects"];
  readonly columns?: readonly string[];
  /** Further fields. */
  readonly input?: TProperties;
  /** Further errors. */
  readonly errors?: readonly ErrorCode[];
  /** Its entries have no location. */
  readonly withoutLocation?: true;
}

/**
 * An operator's change has a name in the audit log, such as tier.created. So does a partner's write that can't be undone.
 */
export type ChangeAccess =
  | (PartnerAccess & { readonly event?: AuditEvent })
  | (OperatorAccess & { readonly event: AuditEvent });

export interface Read<I extends TObject, O extends TSchema, C extends ErrorCode> extends Authorized<I, O, C> {
  readonly kind: "read";
  /** The columns that a table shows, if the data is one list of records. */
  readonly columns?: readonly string[];
  read(context: Context<I, C>): Promise<Static<O> | Rejection<C>>;
}

/** Reads a page of a list. The kind adds page, per_page and after to the input, and pagination and next to the response. */
export interface List<I extends TObject, O extends TSchema, C extends ErrorCode> extends Authorized<I, O, C> {
  readonly kind: "list";
  /** The columns that a table shows first, if the items have more columns than fit. */
  readonly columns?: readonly (keyof Static<O> & string)[];
  list(context: Context<I, C> & { readonly page: PageRequest }): Promise<Page<Static<O>> | Rejection<C>>;
}

/** A record before and after a change, for the audit log. It contains no secrets. Equal records are not logged. */
export interface AuditedChange {
  /** Null for a record that does not exist. */
  readonly before: object | null;
  readonly after: object | null;
  /** The business of the record, if it is not the caller's. */
  readonly businessId?: number;
}

/** The event of a write. The write path adds the entries of the write, and records it if the business records events. */
export interface EmittedEvent {
  /** The members that it is about. */
  readonly contact_ids: readonly number[];
  /** Numbers, flags and names of fields, but no personal data. */
  readonly data?: object;
}

/** Changes records in one transaction. The kind adds idempotency_key to the input. */
export interface Write<I extends TObject, O extends TSchema, C extends ErrorCode, Prepared>
  extends Authorized<I, O, C> {
  readonly kind: "write";
  readonly status: 200 | 201;
  /** The type of its event. A write that changes members or adds entries to the ledger has one. */
  readonly emits?: EventName;
  /** The response contains a secret. It is stored encrypted, with a key that is not in the database. */
  readonly confidential?: true;
  /**
   * Finds the location of the record that is changed; undefined without one. A caller that may not use it is rejected, even
   * if a response is stored under the key (docs/decisions/order-of-checks.md). It only reads.
   */
  findLocation?(
    context: Context<I, C> & { readonly tx: Connection },
  ): Promise<{ readonly location_id: number | null } | undefined>;
  /** Slow work before the transaction, such as hashing a password, at most once. Rejections are returned before it. */
  prepare?(context: Context<I, C>): Promise<Prepared | Rejection<C>>;
  /** Whether an input needs preparation. Without this function, all do. */
  needsPreparation?(input: Static<I>): boolean;
  /**
   * It may run several times, so it must change nothing except through tx. It runs while the key is claimed,
   * and is rolled back if another process has used the key.
   */
  write(
    context: Context<I, C> & {
      readonly tx: Connection;
      readonly prepared: Exclude<Prepared, Rejection>;
      /** Writes a change to the audit log, in the same transaction. Every write with an event calls it. */
      readonly audit: (change: AuditedChange) => void;
      /** Records an event of the declared type, in the same transaction. */
      readonly emit: (event: EmittedEvent) => void;
    },
  ): Promise<Static<O> | Rejection<C>>;
}

/** What a posting finds before its decision. */
export interface Found<F = unknown> {
  readonly contact_id: number;
  /** Where the record was made or can be used; null: everywhere. */
  readonly location_id?: number | null | undefined;
  readonly record?: F | undefined;
}

/**
 * Adds entries to the ledger through the group commit. The kind adds idempotency_key to the input. `decide` is a pure function:
 * it gets the member, settled, as it is under the lock of the ledger, and returns the entries and records to save, or a rejection.
 */
export interface Post<I extends TObject, O extends TSchema, C extends ErrorCode, N extends Needs, F = unknown>
  extends Authorized<I, O, C> {
  readonly kind: "posting";
  /** The type of its event. */
  readonly emits: EventName;
  /** What the decision reads of the member. */
  readonly needs: N;
  /** It undoes a transaction, so it does not count towards the limits of an operator. */
  readonly undoes?: true;
  /**
   * Finds the records that the input names and that decisions don't change, and the member if the input names a record of
   * it instead. A caller that may not use their location is rejected. It only reads, and before the ledger is locked.
   */
  find?(context: Context<I, C>): Promise<Found<F> | Rejection<C>>;
  decide(
    context: Moment & {
      readonly input: Static<I>;
      /** Undefined when no such member exists. */
      readonly member: Member<N> | undefined;
      readonly rules: RulesFor<N>;
      /** What `find` found. */
      readonly record: F | undefined;
      readonly reject: Reject<C>;
    },
  ): Decision<Static<O>> | Rejection<C>;
}

// The pipeline treats all operations alike, so it uses general types.
export type TokenOperation = Token<TObject, TSchema, ErrorCode>;
export type ReadOperation = Read<TObject, TSchema, ErrorCode> & Access;
export type ListOperation = List<TObject, TSchema, ErrorCode> & Access;
export type WriteOperation = Write<TObject, TSchema, ErrorCode, unknown> & ChangeAccess;
export type OperatorWrite = Extract<WriteOperation, { scope: "operator" }>;
export type PostingOperation = Post<TObject, TSchema, ErrorCode, Needs> & ChangeAccess;
export type AuthorizedOperation = ReadOperation | ListOperation | WriteOperation | PostingOperation;
export type SessionOperation = Session<TObject, TSchema, ErrorCode>;
export type PartnerOperation = TokenOperation | AuthorizedOperation;
export type Operation = PartnerOperation | SessionOperation;

/** Whether an operation is for operators. The others are for partners. */
export function isOperatorOperation({ path }: Operation): boolean {
  return path.startsWith("/op/");
}

/** Whether an operation has an authenticated caller. The others make one. */
export function isAuthorized(operation: Operation): operation is AuthorizedOperation {
  return operation.kind !== "token" && operation.kind !== "session";
}

/** The events that the audit log can contain: those that operations declare, and those of the service itself. */
export function auditEventsOf(operations: readonly Operation[]): AuditEvent[] {
  const declared = operations.map((operation) => ("event" in operation ? operation.event : undefined));
  return [...new Set([...declared.filter((event) => event !== undefined), ...serviceEvents])];
}

/** Whether an operation changes something, and so needs an idempotency_key. */
export function isWrite({ kind }: Operation): boolean {
  return kind === "write" || kind === "posting";
}

/** The schema of an operation's request body: its own fields, and those of its kind. */
export function bodyOf(operation: Operation): TObject {
  const own = operation.input.properties as TProperties;
  const key = isWrite(operation) ? { idempotency_key: fields.idempotencyKey } : {};
  const { perPage: per_page, page: number, after } = fields;
  const page = operation.kind === "list" ? { per_page, page: number, after } : {};
  return Type.Object({ ...key, ...own, ...page }, { additionalProperties: false });
}

const errorsOfAll = [
  "query_parameters_not_allowed",
  "invalid_content_type",
  "payload_too_large",
  "malformed_json",
  "legacy_field_not_allowed",
  "validation_failed",
  "rate_limited",
  "internal_error",
  "service_unavailable",
] as const;
const errorsOfPartners = [
  "sp_integration_not_found",
  "sp_scope_not_granted",
  "sp_token_scope_missing",
] as const;
const errorsOfWrites = [
  "idempotency_key_required",
  "idempotency_key_reused_with_different_payload",
  "idempotency_key_of_another_secret",
] as const;

/** Every error of an operation: its own, those of its kind, and those of all operations. */
export function errorsOf(operation: Operation): readonly ErrorCode[] {
  const isOperator = isOperatorOperation(operation);
  const codes = new Set<ErrorCode>([...operation.errors, ...errorsOfAll]);
  const add = (...more: readonly ErrorCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (isAuthorized(operation)) {
    add("unauthorized", ...(isOperator ? (["role_not_allowed"] as const) : errorsOfPartners));
    if ("sensitive" in operation) add("reauthentication_required");
    if (operation.kind === "posting" && isOperator && operation.undoes === undefined) add("limit_exceeded");
  }
  if (isWrite(operation)) add(...errorsOfWrites);
  if (isOperator && "business_id" in operation.input.properties) add("business_not_found");
  if (!isOperator && "location_id" in operation.input.properties) add("sp_location_not_allowed");
  return [...codes];
}
