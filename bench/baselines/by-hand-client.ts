/** Where there is no pgbench: the same transaction from a Node.js process, prepared, one client a connection. */
import postgres from "postgres";
import { Latencies } from "../load/latencies.ts";
import type { ByHandResult } from "./by-hand.ts";

export interface ByHandTask {
  readonly database: string;
  readonly members: number;
  readonly clients: number;
  readonly seconds: number;
}

const upTo = (limit: number) => 1 + Math.floor(Math.random() * limit);
const fingerprint = Buffer.alloc(32, 1);

async function run({ database, members, clients, seconds }: ByHandTask): Promise<ByHandResult> {
  // Host, user and password come from the environment, as they do for pgbench.
  const sql = postgres({ database, max: clients });
  const latencies = new Latencies();
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const client = async () => {
    while (performance.now() < endsAt) {
      const sentAt = performance.now();
      await adjust(sql, members);
      latencies.add(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const elapsed = (performance.now() - startedAt) / 1000;
  await sql.end();
  return { perSecond: latencies.count / elapsed, meanMilliseconds: latencies.summary().mean };
}

function adjust(sql: postgres.Sql, members: number): Promise<void> {
  const contactId = upTo(members);
  const amount = upTo(100_000);
  const key = `receipt-${upTo(Number.MAX_SAFE_INTEGER)}`;
  return sql.begin(async (tx) => {
    await tx`
      INSERT INTO idempotency_key (integration_id, idempotency_key, fingerprint, status, answer)
      VALUES (1, ${key}, ${fingerprint}, 0, '') ON CONFLICT DO NOTHING`;
    const [account] = await tx<{ balance: string }[]>`
      UPDATE account SET balance = balance + ${amount}
      WHERE contact_id = ${contactId} AND account = 'wallet' AND active RETURNING balance`;
    const balance = account?.balance ?? "0";
    await tx`
      INSERT INTO ledger_entry (contact_id, account, event_type, amount, balance_after, location_id, integration_id,
        reason)
      VALUES (${contactId}, 'wallet', 'wallet_adjustment', ${amount}, ${balance}, ${upTo(20)}, 1,
        'Goodwill after a late delivery')`;
    const data = { contact_id: contactId, amount, adjustment_type: "credit", balance_after: Number(balance) };
    const answer = JSON.stringify({ success: true, message: "Wallet adjusted.", data, meta: {} });
    await tx`
      UPDATE idempotency_key SET status = 200, answer = ${answer}
      WHERE integration_id = 1 AND idempotency_key = ${key}`;
  }) as Promise<void>;
}

process.once("message", (task: ByHandTask) => {
  run(task).then(
    (result) => process.send?.(result, () => process.exit(0)),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
