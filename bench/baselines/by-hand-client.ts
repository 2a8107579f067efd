/** Where there is no pgbench: the same transaction from a Node.js process, prepared, one client a connection. */
import pg from "pg";
import { answerTask } from "../child.ts";

export interface ByHandTask {
  readonly database: string;
  readonly members: number;
  readonly clients: number;
  readonly seconds: number;
}

export interface ByHandResult {
  readonly perSecond: number;
  readonly meanMilliseconds: number;
}

const upTo = (limit: number) => 1 + Math.floor(Math.random() * limit);
const fingerprint = Buffer.alloc(32, 1);

async function run({ database, members, clients, seconds }: ByHandTask): Promise<ByHandResult> {
  // Host, user and password come from the environment, as they do for pgbench.
  const pool = new pg.Pool({ database, max: clients });
  let [done, milliseconds] = [0, 0];
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const run = async () => {
    const client = await pool.connect();
    while (performance.now() < endsAt) {
      const sentAt = performance.now();
      await adjust(client, members);
      done += 1;
      milliseconds += performance.now() - sentAt;
    }
    client.release();
  };
  await Promise.all(Array.from({ length: clients }, run));
  const elapsed = (performance.now() - startedAt) / 1000;
  await pool.end();
  return { perSecond: done / elapsed, meanMilliseconds: milliseconds / done };
}

async function adjust(client: pg.PoolClient, members: number): Promise<void> {
  const contactId = upTo(members);
  const amount = upTo(100_000);
  const key = `receipt-${upTo(Number.MAX_SAFE_INTEGER)}`;
  await client.query("BEGIN");
  await client.query({
    name: "claim",
    text: `INSERT INTO idempotency_key (integration_id, idempotency_key, fingerprint, status, answer)
      VALUES (1, $1, $2, 0, '') ON CONFLICT DO NOTHING`,
    values: [key, fingerprint],
  });
  const { rows } = await client.query<{ balance: string }>({
    name: "move",
    text: `UPDATE account SET balance = balance + $1
      WHERE contact_id = $2 AND account = 'wallet' AND active RETURNING balance`,
    values: [amount, contactId],
  });
  const balance = rows[0]?.balance ?? "0";
  await client.query({
    name: "enter",
    text: `INSERT INTO ledger_entry (contact_id, account, event_type, amount, balance_after, location_id,
        integration_id, reason)
      VALUES ($1, 'wallet', 'wallet_adjustment', $2, $3, $4, 1, 'Goodwill after a late delivery')`,
    values: [contactId, amount, balance, upTo(20)],
  });
  const data = { contact_id: contactId, amount, adjustment_type: "credit", balance_after: Number(balance) };
  await client.query({
    name: "keep",
    text: "UPDATE idempotency_key SET status = 200, answer = $1 WHERE integration_id = 1 AND idempotency_key = $2",
    values: [JSON.stringify({ success: true, message: "Wallet adjusted.", data, meta: {} }), key],
  });
  await client.query("COMMIT");
}

answerTask(run);
