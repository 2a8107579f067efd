/** The functions and types with which files declare operations. */
import { type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { Scope } from "../domain/access/access.ts";
import type { AuditEvent } from "../domain/audit-events.ts";
import type { Needs } from "../domain/decision.ts";
import type { ErrorCode } from "./errors.ts";
import type {
  List,
  ListOperation,
  OperatorAccess,
  OperatorVariant,
  PartnerAccess,
  Post,
  PostingOperation,
  Read,
  ReadOperation,
  Session,
  SessionOperation,
  Token,
  TokenOperation,
  Write,
  WriteOperation,
} from "./operation.ts";

export { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
export { type ErrorCode, type Reject, Rejection, reject } from "./errors.ts";
export { type FieldError, fieldError, wrongValue } from "./field-errors.ts";
export * as fields from "./fields.ts";

/** Who may use an operation: a partner with a scope, or an operator with a role. */
export type DeclaredAccess = PartnerAccess | OperatorRole;

interface OperatorRole extends Omit<OperatorAccess, "scope"> {
  readonly scope?: undefined;
}

/** Who may use an operation that changes something. An operator's has a name in the audit log, and a partner's can have one. */
export type DeclaredChange =
  | (PartnerAccess & { readonly event: AuditEvent })
  | {
      readonly scope: Scope;
      readonly event?: undefined;
      readonly operator?: OperatorVariant & { readonly event: AuditEvent };
    }
  | (OperatorRole & { readonly event: AuditEvent });

/** An operation as its file declares it. */
type Declaration<Declared extends { readonly errors: unknown }, Input extends TProperties> = Omit<
  Declared,
  "kind" | "errors" | "status" | "input" | "atLeastOneOf"
> &
  Partial<Pick<Declared, "errors">> & {
    readonly input: Input;
    /** Whether at least one of the optional fields must be sent. */
    readonly atLeastOne?: boolean;
  };

// The functions below check a declaration with its own types, and return it with the general types of the pipeline.

function complete({
  input,
  atLeastOne = false,
  ...declared
}: {
  input: TProperties;
  atLeastOne?: boolean;
}): object {
  const optional = Object.keys(input).filter((name) => Type.IsOptional(input[name]));
  return {
    errors: [],
    scope: "operator",
    ...declared,
    input: Type.Object(input),
    ...(atLeastOne && { atLeastOneOf: optional }),
  };
}

const withSchema = (declared: { readonly input: TProperties }) => ({
  ...declared,
  input: Type.Object(declared.input),
});

export function tokenOperation<I extends TProperties, O extends TSchema, const C extends ErrorCode>(
  declaration: Omit<Token<TObject<I>, O, C>, "kind" | "input"> & { readonly input: I },
): TokenOperation {
  return { kind: "token", ...withSchema(declaration) } as unknown as TokenOperation;
}

export function sessionOperation<I extends TProperties, O extends TSchema, const C extends ErrorCode>(
  declaration: Omit<Session<TObject<I>, O, C>, "kind" | "input"> & { readonly input: I },
): SessionOperation {
  return { kind: "session", ...withSchema(declaration) } as unknown as SessionOperation;
}

export function readOperation<I extends TProperties, O extends TSchema, const C extends ErrorCode = never>(
  declaration: Declaration<Read<TObject<I>, O, C>, I> & DeclaredAccess,
): ReadOperation {
  return { kind: "read", ...complete(declaration) } as ReadOperation;
}

export function listOperation<I extends TProperties, O extends TSchema, const C extends ErrorCode = never>(
  declaration: Declaration<List<TObject<I>, O, C>, I> & DeclaredAccess,
): ListOperation {
  return { kind: "list", onlyOneOf: ["page", "after"], ...complete(declaration) } as unknown as ListOperation;
}

export function writeOperation<
  I extends TProperties,
  O extends TSchema,
  const C extends ErrorCode = never,
  P = unknown,
>(
  declaration: Declaration<Write<TObject<I>, O, C, P>, I> & DeclaredChange & { readonly status?: 201 },
): WriteOperation {
  return { kind: "write", status: 200, ...complete(declaration) } as WriteOperation;
}

export function postingOperation<
  I extends TProperties,
  O extends TSchema,
  const N extends Needs,
  const C extends ErrorCode = never,
  F = unknown,
>(declaration: Declaration<Post<TObject<I>, O, C, N, F>, I> & DeclaredChange): PostingOperation {
  return { kind: "posting", ...complete(declaration) } as unknown as PostingOperation;
}
