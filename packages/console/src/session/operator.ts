/** Who is signed in, as the service describes it, and what the role may do. */
import { send } from "../api/client.ts";
import { declarationOf, type Path, type Role, roles } from "../api/declarations.ts";

export interface Operator {
  readonly operator_id: number;
  readonly name: string;
  readonly role: Role;
  /** Null: all businesses. */
  readonly business_ids: readonly number[] | null;
  /** The limits of corrections. Null: none. */
  readonly limit_amount: number | null;
  readonly limit_points: number | null;
}

export interface SessionData {
  readonly kind?: "account" | "key" | "root";
  readonly operator: Operator | null;
}

export async function readSession(): Promise<SessionData> {
  const { data } = await send<{ data: SessionData }>("/op/session/get", {});
  return data;
}

export function mayUse(operator: Operator | null, path: Path): boolean {
  const { role } = declarationOf(path);
  return operator === null || role === undefined || roles.indexOf(operator.role) >= roles.indexOf(role);
}
