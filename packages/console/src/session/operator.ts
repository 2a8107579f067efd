/** Who is signed in, as the service describes it, and what the role may do. */
import { send } from "../api/client.ts";
import { type DataOf, declarationOf, type Path, roles } from "../api/declarations.ts";

export type SessionData = DataOf<"/op/session/get">;
export type Operator = SessionData["operator"];

export async function readSession(): Promise<SessionData> {
  const { data } = await send<{ data: SessionData }>("/op/session/get", {});
  return data;
}

export function mayUse(operator: Operator, path: Path): boolean {
  const { role } = declarationOf(path);
  return role === undefined || roles.indexOf(operator.role) >= roles.indexOf(role);
}
