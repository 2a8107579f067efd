/** Operators: people with an account, keys of scripts, and the operator key. */
import { allRoles, type Role } from "./access.ts";

/** What an operator may do. */
export interface Grant {
  readonly role: Role;
  /** Null: all businesses. */
  readonly business_ids: number[] | null;
  /** What it may correct by hand on a day, in each business, in minor units; null: no limit. */
  readonly limit_amount: number | null;
  readonly limit_points: number | null;
}

/** What decides about which accounts and keys an owner sees: those that may do no more. */
export type Reach = Pick<Grant, "business_ids" | "limit_amount" | "limit_points">;

/** A session ends after this time, and before if it is not used for some hours. */
export const sessionDays = 7;
export const idleHours = 12;
/** How long a password counts as given, for operations that need it. */
export const confirmedMinutes = 10;
/** How long a link to set a password is valid. */
export const invitationHours = 24;

/** The languages that the console has. */
export const consoleLanguages = ["en", "de", "fr", "es"] as const;

export type ConsoleLanguage = (typeof consoleLanguages)[number];

/** The sign-in of a person. The times are in UTC, YYYY-MM-DD HH:MM:SS. */
export interface OperatorSession {
  readonly session_id: number;
  readonly authenticated_at: string;
  readonly expires_at: string;
  /** Whether the password was given a short time ago. */
  readonly is_recent: boolean;
}

export interface Operator extends Grant {
  readonly kind: "account" | "key" | "root";
  /** The operator_id or key_id; null for root. */
  readonly id: number | null;
  readonly name: string;
  readonly session?: OperatorSession;
}

/** Who has the operator key. */
export const rootOperator: Operator = {
  kind: "root",
  id: null,
  name: "root",
  role: "owner",
  business_ids: null,
  limit_amount: null,
  limit_points: null,
};

/** A number that no other operator has: that of an account, or that of a key with a minus sign; 0 for root. */
export function operatorNumber({ kind, id }: Pick<Operator, "kind" | "id">): number {
  return kind === "key" ? -(id as number) : (id ?? 0);
}

/** Whether a role may do what another one may. */
export function includesRole(role: Role, required: Role): boolean {
  return allRoles.indexOf(role) >= allRoles.indexOf(required);
}

export function mayUseBusiness({ business_ids }: Pick<Grant, "business_ids">, businessId: number): boolean {
  return business_ids === null || business_ids.includes(businessId);
}

const limits = ["limit_amount", "limit_points"] as const;

/** The limits of a grant that are higher than those of the operator who gives it. */
export function limitsAbove(own: Grant, given: Grant): (typeof limits)[number][] {
  return limits.filter((limit) => {
    const most = own[limit];
    return most !== null && (given[limit] === null || given[limit] > most);
  });
}

/** What was corrected by hand on a day. */
export interface Corrected {
  readonly amount: number;
  readonly points: number;
}

/**
 * Checks a correction against what its operator has corrected on the day.
 * @returns the limit that it exceeds; undefined when it is within the limits
 */
export function exceededLimit(
  grant: Pick<Grant, "limit_amount" | "limit_points">,
  used: Corrected,
  correction: Corrected,
) {
  for (const unit of ["amount", "points"] as const) {
    const limit = grant[`limit_${unit}`];
    if (limit === null || correction[unit] === 0 || used[unit] + correction[unit] <= limit) continue;
    return { unit, limit, left: Math.max(0, limit - used[unit]) };
  }
  return undefined;
}

const token = "[A-Za-z0-9_-]{43}";
const operatorKeyForm = new RegExp(`^loyop_${token}$`);
const sessionForm = new RegExp(`^loyses_${token}$`);

/** Whether a text has the form of such a key. */
export const isOperatorKey = (text: string) => operatorKeyForm.test(text);
export const isSessionToken = (text: string) => sessionForm.test(text);
