/** Shared by the operations on operators: fields, and what an operator can grant to others. */
import {
  type FieldError,
  fieldError,
  fields,
  Rejection,
  reject,
  type Static,
  type TProperties,
  Type,
  writeOperation,
  wrongValue,
} from "../../contract/declare.ts";
import type { Caller, OperatorWrite } from "../../contract/operation.ts";
import { hashSecret, newSessionToken } from "../../credentials/keys.ts";
import {
  endSession,
  endSessionsOf,
  findOperatorBySession,
  insertSession,
  type SessionsOf,
} from "../../database/access/operator-sessions.ts";
import {
  type AccountRecord,
  endInvitation,
  findAccount,
  findLanguage,
  findMissingBusinesses,
  hasOtherOwner,
  lockAccounts,
  updateAccount,
} from "../../database/access/operators.ts";
import type { Connection } from "../../database/connection.ts";
import { allRoles } from "../../domain/access/access.ts";
import {
  consoleLanguages,
  type Grant,
  limitsAbove,
  mayUseBusiness,
  type Operator,
} from "../../domain/access/operators.ts";
import { amountLimit } from "../../domain/ledger.ts";
import { nameKey } from "../../domain/text.ts";

export const operatorId = fields.identifier("The account of an operator.", 3);
export const operatorName = fields.text(100, "The name with which the person signs in, in any case.", "anna");
export const keyName = fields.text(100, "The name of the key.", "nightly report");

/** The audit log shows these as the names of other actors. */
const reservedName = /^(?:root|service|unknown|integration \d+|.*\(imported\))$/i;

/** Rejects a name of an account or a key that can be confused with another actor in the audit log. */
export const checkName = ({ name }: { name?: string }): FieldError[] =>
  name !== undefined && reservedName.test(nameKey(name))
    ? [
        wrongValue(
          "name",
          "must not be root, service, unknown or that of an integration, and not end with (imported)",
        ),
      ]
    : [];

/** What an account or a key may do. */
export const grantFields = {
  role: fields.choice(allRoles, "What the operator may do.", "support"),
  business_ids: fields.nullable(
    Type.Array(fields.businessId, {
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      description: "Businesses.",
    }),
    "The businesses that the operator may use; null for all. For the operator, other businesses do not exist.",
    [1],
  ),
  limit_amount: fields.nullable(
    fields.inMinorUnits(fields.whole(0, amountLimit, "The limit, in minor units.", 2000)),
    "The money that the operator may correct by hand on a day, in each business, in minor units: in wallets and vouchers. A voucher " +
      "of a share counts as its most_amount, and one without it can't be issued. With null, there is no limit.",
  ),
  limit_points: fields.nullable(
    fields.inPoints(fields.whole(0, amountLimit, "The limit.", 500)),
    "The points that the operator may correct by hand on a day, in each business. With null, there is no limit.",
  ),
};

export const optionalGrantFields = {
  business_ids: Type.Optional(grantFields.business_ids),
  limit_amount: Type.Optional(grantFields.limit_amount),
  limit_points: Type.Optional(grantFields.limit_points),
};

const nullableTime = (description: string) => fields.nullable(fields.utcTimestamp, `${description} In UTC.`);

export const account = Type.Object({
  operator_id: operatorId,
  name: operatorName,
  ...grantFields,
  status: fields.choice(
    ["invited", "enabled", "disabled"],
    "invited: the person has not set a password yet. disabled: the person can't sign in.",
    "enabled",
  ),
  created_at: fields.utcTimestamp,
  last_seen_at: nullableTime("When the person last sent a request; null if no session is left."),
});

export const operatorKey = Type.Object({
  key_id: fields.identifier("The key.", 2),
  name: keyName,
  ...grantFields,
  expires_at: nullableTime("The time until which the key is valid; null if it does not expire."),
  last_used_at: nullableTime("When it was last used, to the minute; null if it never was."),
  created_at: fields.utcTimestamp,
});

export const invitationFields = {
  invitation_token: fields.shownOnce(
    Type.String({
      maxLength: 100,
      format: "visible-ascii",
      description:
        "The token of the link with which the person sets the password: {address of the service}/console/accept#token={token}. It " +
        "is valid once, for 24 hours. Only this response shows it.",
      examples: ["loyinv_4fJt..."],
    }),
  ),
  invitation_expires_at: fields.utcTimestamp,
};
/** The token, as the person sends it. */
export const invitationToken = {
  ...invitationFields.invitation_token,
  minLength: 1,
  description: "The token of the link.",
};

export const password = {
  ...fields.password,
  description:
    "8 to 128 characters, without control characters. Not one of the most used passwords, and not the name of the account. Never " +
    "returned.",
};

export const sessionId = fields.identifier("The session.", 12);
export const keyId = fields.identifier("The key.", 2);
export const keySecret = fields.shownOnce(
  Type.String({
    maxLength: 100,
    format: "visible-ascii",
    description: "The key, for `Authorization: Bearer`. Only this response shows it.",
    examples: ["loyop_4fJt..."],
  }),
);
export const expiresInDays = fields.whole(
  1,
  3650,
  "The number of days for which the key is valid. By default, it does not expire.",
  365,
);

export const session = Type.Object({
  session_id: sessionId,
  operator_id: operatorId,
  name: operatorName,
  address: fields.returnedText(255, "The address from which the person signed in.", "192.0.2.7"),
  created_at: fields.utcTimestamp,
  last_seen_at: fields.utcTimestamp,
  expires_at: fields.utcTimestamp,
});

/** The response to a revocation. */
export const revoked = <Id extends TProperties>(id: Id) =>
  Type.Object({ ...id, revoked: fields.flag("Always true.", true) });

export const chosenLanguage = fields.nullable(
  fields.choice(consoleLanguages, "The language.", "de"),
  "In which language the person chose to see the console; null: in that of the browser.",
);

/** Who calls, and what it may do. */
export const currentSession = Type.Object({
  kind: fields.choice(
    ["account", "key", "root"],
    "Whether the caller is an account with a session, a key, or root: who has the operator key.",
  ),
  operator: Type.Object(
    {
      operator_id: fields.nullable(operatorId, "The account; null for a key and for root."),
      key_id: fields.nullable(keyId, "The key; null for an account and for root."),
      name: fields.returnedText(100, "The name of the account or key.", "anna"),
      ...grantFields,
    },
    { description: "The operator." },
  ),
  language: chosenLanguage,
  authenticated_at: nullableTime("When the password was given; null without a session."),
  expires_at: nullableTime("When the session ends at the latest; null without a session."),
});

export async function sessionOf(
  { kind, id, session, ...operator }: Operator,
  sql: Connection,
): Promise<Static<typeof currentSession>> {
  return {
    kind,
    operator: {
      operator_id: kind === "account" ? id : null,
      key_id: kind === "key" ? id : null,
      ...operator,
    },
    language: kind === "account" && id !== null ? await findLanguage(sql, id) : null,
    authenticated_at: session?.authenticated_at ?? null,
    expires_at: session?.expires_at ?? null,
  };
}

/** @returns the operator who calls. Only operators can call operations of this API. */
export function operatorOf({ operator }: Caller): Operator {
  if (operator === undefined) throw new Error("the caller is no operator");
  return operator;
}

/** Rejects a grant of more than the operator has. */
export async function rejectGrant(
  tx: Connection,
  own: Operator,
  given: Grant,
): Promise<Rejection<"role_not_allowed" | "business_not_found" | "validation_failed"> | undefined> {
  if (given.business_ids === null) {
    if (own.business_ids !== null) return reject("role_not_allowed", { role: "owner", all_businesses: true });
  } else {
    const isForeign = given.business_ids.some((id) => !mayUseBusiness(own, id));
    const missing = isForeign || (await findMissingBusinesses(tx, given.business_ids)).length > 0;
    if (missing) return reject("business_not_found");
  }
  const above = limitsAbove(own, given);
  if (above.length === 0) return undefined;
  const errors = above.map((limit) =>
    fieldError(limit, "out_of_range", `must be at most your own, ${own[limit]}`),
  );
  return reject("validation_failed", { errors });
}

/** Finds an account that the operator sees. */
export async function seenAccount(
  tx: Connection,
  own: Operator,
  id: number,
): Promise<AccountRecord | Rejection<"operator_not_found">> {
  return (await findAccount(tx, own, id)) ?? reject("operator_not_found");
}

/**
 * Rejects a change after which no account could manage the others, or none without limits. Root can make it, and then create another
 * account.
 */
export async function rejectLastOwner(
  tx: Connection,
  { kind }: Operator,
  before: AccountRecord,
  after: AccountRecord,
): Promise<Rejection<"last_owner"> | undefined> {
  const isOwner = ({ role, business_ids, status }: AccountRecord) =>
    role === "owner" && business_ids === null && status === "enabled";
  const isUnlimited = (account: AccountRecord) =>
    isOwner(account) && account.limit_amount === null && account.limit_points === null;
  const losesUnlimited = isUnlimited(before) && !isUnlimited(after);
  const losesOwner = isOwner(before) && !isOwner(after);
  if (kind === "root" || !(losesUnlimited || losesOwner)) return undefined;
  return (await hasOtherOwner(tx, before.operator_id, losesUnlimited)) ? undefined : reject("last_owner");
}

/** Ends the sessions and the invitation of an account whose rights change. */
export async function endAccess(tx: Connection, operatorId: number): Promise<void> {
  // A sign-in or an acceptance at the same time holds the account. Its session is there when the account is updated.
  await endInvitation(tx, operatorId);
  await endSessionsOf(tx, operatorId);
}

/** Declares an operation that enables or disables an account. */
export const setsEnabled = (
  enabled: boolean,
  texts: Pick<
    OperatorWrite,
    "path" | "role" | "event" | "summary" | "message" | "description" | "confirm"
  > & {
    readonly sensitive: true;
  },
) =>
  writeOperation({
    ...texts,
    input: { operator_id: operatorId },
    output: account,
    errors: ["operator_not_found", "last_owner"],
    async write({ input: { operator_id }, tx, caller, audit }) {
      const own = operatorOf(caller);
      await lockAccounts(tx);
      const before = await seenAccount(tx, own, operator_id);
      if (before instanceof Rejection) return before;
      await updateAccount(tx, operator_id, { enabled });
      const after = await seenAccount(tx, own, operator_id);
      if (after instanceof Rejection) return after;
      const rejected = await rejectLastOwner(tx, own, before, after);
      if (rejected !== undefined) return rejected;
      if (!enabled) await endAccess(tx, operator_id);
      audit({ before, after });
      return after;
    },
  });

/** What a person sees of sessions: its own, or as an owner those of other accounts. */
export function seenSessions(operator: Operator): SessionsOf {
  const { kind, id, role } = operator;
  const operatorId = kind === "account" ? (id ?? undefined) : undefined;
  return { operatorId, asks: role === "owner" ? operator : undefined };
}

/** Opens a session in a transaction, and ends the previous one of the browser. */
export async function openSession(
  tx: Connection,
  operatorId: number,
  previous: string | undefined,
  address: string,
): Promise<{ token: string; data: Static<typeof currentSession> }> {
  const token = newSessionToken();
  if (previous !== undefined) await endSession(tx, hashSecret(previous));
  await insertSession(tx, operatorId, hashSecret(token), address);
  const operator = await findOperatorBySession({ lookUps: tx, sql: tx }, hashSecret(token));
  if (operator === undefined) throw new Error("a new session is not valid");
  return { token, data: await sessionOf(operator, tx) };
}
