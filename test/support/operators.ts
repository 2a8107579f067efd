/** Accounts and keys of operators, made beside the API, which has tests of its own. */
import {
  hashSecret,
  newInvitationToken,
  newOperatorKey,
  newSessionToken,
} from "../../src/credentials/keys.ts";
import { createPasswords } from "../../src/credentials/passwords.ts";
import { insertSession } from "../../src/database/access/operator-sessions.ts";
import {
  acceptInvitation,
  insertAccount,
  insertKey,
  type NewAccount,
} from "../../src/database/access/operators.ts";
import type { Grant } from "../../src/domain/access/operators.ts";
import type { World } from "./world.ts";

export const testPassword = "correct horse battery staple";
let passwordHash: Promise<string> | undefined;
let made = 0;

const everything: Grant = { role: "owner", business_ids: null, limit_amount: null, limit_points: null };

/** An account whose person has set the test password and has signed in. */
export async function makeOperator({ sql }: Pick<World, "sql">, given: Partial<NewAccount> = {}) {
  passwordHash ??= createPasswords(1).hash("tests", testPassword);
  made += 1;
  const invitation = hashSecret(newInvitationToken());
  const account = { name: `person ${process.pid} ${made}`, ...everything, ...given };
  const { name } = account;
  const { operator_id } = await insertAccount(sql, account, invitation);
  await acceptInvitation(sql, invitation, await passwordHash);
  return { operator_id, name, session: await signInAs({ sql }, operator_id) };
}

/** Opens another session of an account. @returns its token */
export async function signInAs({ sql }: Pick<World, "sql">, operatorId: number): Promise<string> {
  const token = newSessionToken();
  await insertSession(sql, operatorId, hashSecret(token), "127.0.0.1");
  return token;
}

/** An account that was invited. */
export async function inviteOperator({ sql }: Pick<World, "sql">, grant: Partial<Grant> = {}) {
  made += 1;
  const token = newInvitationToken();
  const name = `guest ${process.pid} ${made}`;
  const { operator_id } = await insertAccount(sql, { name, ...everything, ...grant }, hashSecret(token));
  return { operator_id, name, token };
}

export async function makeKey({ sql }: Pick<World, "sql">, grant: Partial<Grant> = {}) {
  made += 1;
  const key = newOperatorKey();
  const { key_id } = await insertKey(
    sql,
    { name: `script ${made}`, ...everything, ...grant },
    hashSecret(key),
    null,
  );
  return { key_id, key };
}
