/** Checks the limits of operators in a group of postings, and keeps what they have corrected. */
import { type Rejection, reject } from "../../contract/errors.ts";
import type { CorrectionRow } from "../../database/access/corrections.ts";
import {
  type Corrected,
  exceededLimit,
  type Grant,
  type Operator,
  operatorNumber,
} from "../../domain/access/operators.ts";
import { addDays } from "../../domain/dates.ts";
import type { Decision } from "../../domain/decision.ts";
import { balanceLimit, eventTypes } from "../../domain/ledger.ts";
import { joined } from "./group-member.ts";

/** The limits of the operator who sent a command. */
export interface CommandLimits {
  readonly operatorNumber: number;
  readonly grant: Pick<Grant, "limit_amount" | "limit_points">;
}

/** @returns undefined for an operator without limits */
export function limitsOf(operator: Operator): CommandLimits | undefined {
  const { limit_amount, limit_points } = operator;
  if (limit_amount === null && limit_points === null) return undefined;
  return { operatorNumber: operatorNumber(operator), grant: operator };
}

const none: Corrected = { amount: 0, points: 0 };

/** What a decision corrects: money in the wallet and in vouchers, and points. Debits count as credits do. */
export function correctedBy({ entries, corrected }: Pick<Decision, "entries" | "corrected">): Corrected {
  if (corrected !== undefined) return { amount: corrected, points: 0 };
  const sum = (accounts: readonly string[]) =>
    entries
      .filter(({ event_type }) => accounts.includes(eventTypes[event_type].account))
      .reduce((total, { amount }) => total + Math.abs(amount), 0);
  return { amount: sum(["wallet", "vouchers"]), points: sum(["points"]) };
}

export class GroupCorrections {
  readonly #rows: Map<string, CorrectionRow>;
  readonly #changed = new Set<string>();

  constructor(rows: readonly CorrectionRow[]) {
    this.#rows = new Map(rows.map((row) => [joined(row.business_id, row.operator_number), row]));
  }

  /** Adds a correction to what its operator has corrected today. @returns the rejection if it exceeds a limit */
  add(
    business_id: number,
    { operatorNumber: operator_number, grant }: CommandLimits,
    today: string,
    correction: Corrected,
  ): Rejection<"limit_exceeded"> | undefined {
    const name = joined(business_id, operator_number);
    const row = this.#rows.get(name);
    const used = row?.day === today ? row : none;
    const exceeded = exceededLimit(grant, used, correction);
    if (exceeded !== undefined) {
      return reject("limit_exceeded", { ...exceeded, resets_at: `${addDays(today, 1)} 00:00:00` });
    }
    // One without a limit of amounts may issue what is worth any amount.
    const amount = Math.min(balanceLimit, used.amount + correction.amount);
    const points = used.points + correction.points;
    this.#rows.set(name, { business_id, operator_number, day: today, amount, points });
    this.#changed.add(name);
    return undefined;
  }

  changed(): CorrectionRow[] {
    return [...this.#changed].map((name) => this.#rows.get(name) as CorrectionRow);
  }
}
