/**
 * The baseline "by hand": what a team would write with Fastify and pg for the same data and checks. Reads use the tables of the
 * service; credits use those of schema.sql. It has no limits, log, metrics, or turns of businesses.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import Fastify from "fastify";
import pg from "pg";

pg.types.setTypeParser(20, Number);
const key = Buffer.from(process.env.TOKEN_KEY, "hex");
const pool = new pg.Pool();
const app = Fastify();
app.decorateRequest("business", 0);

const authorize = (scope) => async (request, reply) => {
  const [head, payload, signature] = (request.headers.authorization ?? "").replace(/^Bearer /, "").split(".");
  const expected = createHmac("sha256", key).update(`${head}.${payload}`).digest();
  const sent = Buffer.from(signature ?? "", "base64url");
  const isSigned = sent.length === expected.length && timingSafeEqual(sent, expected);
  const claims = isSigned ? JSON.parse(Buffer.from(payload, "base64url")) : { exp: 0 };
  if (claims.exp <= Date.now() / 1000) return reply.code(401).send({ success: false, error: "unauthorized" });
  if (!claims.scope.split(" ").includes(scope)) {
    return reply.code(403).send({ success: false, error: "scope_missing" });
  }
  request.business = claims.business;
};

function post(path, scope, properties, required, run) {
  const body = { type: "object", properties, required, additionalProperties: false };
  app.post(path, { onRequest: authorize(scope), schema: { body } }, async (request, reply) => {
    const result = await run(request.body, request.business);
    if (result === undefined) return reply.code(404).send({ success: false, error: "not_found" });
    const { meta = {}, ...data } = result;
    return { success: true, message: "Done.", data: data.rows ?? data, meta };
  });
}

const id = { type: "integer", minimum: 1 };
const amount = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const text = { type: "string", minLength: 1, maxLength: 255 };
const select = async (name, statement, values) => (await pool.query({ name, text: statement, values })).rows;

const memberColumns =
  "member_id, contact_id, first_name, last_name, phone_number, email, external_ref, active";
const member = (row) => row && { ...row, tier: null, next_tier: null, keep_tier: null };

post("/members/get", "wa.members.read", { contact_id: id }, ["contact_id"], async (body, business) => {
  const statement = `SELECT ${memberColumns} FROM member WHERE business_id = $1 AND contact_id = $2`;
  return member((await select("get", statement, [business, body.contact_id]))[0]);
});

post("/members/find", "wa.members.read", { phone_number: text }, ["phone_number"], async (body, business) => {
  const statement = `SELECT ${memberColumns} FROM member WHERE business_id = $1 AND phone_number = $2`;
  return member((await select("find", statement, [business, body.phone_number]))[0]);
});

async function pointsOf(business, contact) {
  const statement = `
    SELECT (SELECT json_object_agg(account, balance) FROM account WHERE business_id = $1 AND contact_id = $2) AS balances,
      (SELECT json_agg(d) FROM (SELECT event, day, amount FROM member_due
        WHERE business_id = $1 AND contact_id = $2 AND amount <> 0 ORDER BY day) AS d) AS due,
      (SELECT sum(owed) FROM points_debt WHERE business_id = $1 AND contact_id = $2 AND owed > 0) AS owed,
      (SELECT json_agg(v) FROM (SELECT held_voucher_id, coupon_code, coupon_value FROM held_voucher
        WHERE business_id = $1 AND contact_id = $2 AND status = 'held' LIMIT 100) AS v) AS vouchers,
      (SELECT rules FROM reward_rules WHERE business_id = $1 ORDER BY valid_from DESC, version DESC LIMIT 1) AS rules`;
  const [row] = await select("points", statement, [business, contact]);
  return row.balances === null ? undefined : row;
}

post("/members/balances", "wa.wallet.read", { contact_id: id }, ["contact_id"], async (body, business) => {
  const found = await pointsOf(business, body.contact_id);
  if (found === undefined) return undefined;
  const { balances, due, owed, rules } = found;
  const dueOf = (event) => (due ?? []).filter((one) => one.event === event);
  return {
    rp_name: rules.rp_name,
    wallet: balances.wallet,
    points: balances.points,
    points_amount: Math.floor((balances.points * rules.value_amount) / rules.value_points),
    points_pending: dueOf("points_mature").map((one) => ({ matures_on: one.day, points: one.amount })),
    points_expiring: dueOf("points_expire").map((one) => ({ valid_through: one.day, points: one.amount })),
    points_owed: owed ?? 0,
    vouchers: balances.vouchers,
    sales: balances.sales,
  };
});

const sale = { contact_id: id, location_id: id, amount };
post("/sales/quote", "wa.sales.read", sale, Object.keys(sale), async (body, business) => {
  const found = await pointsOf(business, body.contact_id);
  if (found === undefined) return undefined;
  const { balances, rules, vouchers } = found;
  const program = rules.program ?? { earn_points: 0, earn_amount: 1 };
  const earned = rules.enable_rp ? Math.floor(body.amount / program.earn_amount) * program.earn_points : 0;
  const payable = rules.value_amount && Math.floor((body.amount * rules.value_points) / rules.value_amount);
  return {
    amount: body.amount,
    amount_due: body.amount,
    points_earned: earned,
    why: [{ code: "earned", base: body.amount, points: earned }],
    balances: { ...balances, points: balances.points + earned, sales: balances.sales + body.amount },
    usable: {
      points: Math.min(balances.points, payable),
      wallet: Math.min(balances.wallet, body.amount),
      vouchers: vouchers ?? [],
    },
    program: rules.program && { program_id: program.program_id, membership_name: program.membership_name },
  };
});

post("/transactions/list", "wa.wallet.read", { page: id }, [], async ({ page = 1 }, business) => {
  const statement = `
    SELECT event_type, contact_id, reference_id, amount, balance_after, location_id, reason,
      to_char(created_at AT TIME ZONE 'Europe/Madrid', 'YYYY-MM-DD HH24:MI:SS') AS created_at, total
    FROM (SELECT max(entry_no) AS total FROM ledger_entry WHERE business_id = $1) AS counted, (
      SELECT * FROM ledger_entry WHERE business_id = $1 ORDER BY created_at DESC, entry_no DESC LIMIT 15 OFFSET $2
    ) AS listed
    ORDER BY listed.created_at DESC, entry_no DESC`;
  const rows = await select("list", statement, [business, (page - 1) * 15]);
  const total = rows[0]?.total ?? 0;
  const pagination = { current_page: page, per_page: 15, total, last_page: Math.ceil(total / 15) };
  return { rows: rows.map(({ total: _, ...row }) => row), meta: { pagination } };
});

const credit = {
  idempotency_key: text,
  contact_id: id,
  location_id: id,
  amount,
  adjustment_type: text,
  reason: text,
};
post("/wallet/adjust", "wa.wallet.write", credit, Object.keys(credit), async (body, business) => {
  const client = await pool.connect();
  const run = (name, statement, values) => client.query({ name, text: statement, values });
  try {
    await client.query("BEGIN");
    const claimed = await run(
      "claim",
      "INSERT INTO idempotency_key VALUES ($1, $2, $3, 0, '') ON CONFLICT DO NOTHING",
      [...[business, body.idempotency_key], createHmac("sha256", key).update(JSON.stringify(body)).digest()],
    );
    if (claimed.rowCount === 0) throw new Error("replays are not part of the baseline");
    const change = `UPDATE account SET balance = balance + $1
      WHERE contact_id = $2 AND account = 'wallet' AND active RETURNING balance`;
    const { rows } = await run("change", change, [body.amount, body.contact_id]);
    const { contact_id, amount, adjustment_type, location_id, reason } = body;
    const data = { contact_id, amount, adjustment_type, balance_after: rows[0].balance };
    const entry = `INSERT INTO ledger_entry
        (contact_id, account, event_type, amount, balance_after, location_id, integration_id, reason)
      VALUES ($1, 'wallet', 'wallet_adjustment', $2, $3, $4, $5, $6)`;
    await run("entry", entry, [contact_id, amount, data.balance_after, location_id, business, reason]);
    const response =
      "UPDATE idempotency_key SET status = 200, response = $3 WHERE integration_id = $1 AND idempotency_key = $2";
    await run("response", response, [business, body.idempotency_key, JSON.stringify(data)]);
    await client.query("COMMIT");
    return data;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
});

await app.listen({ host: "127.0.0.1", port: 0 });
process.send(app.server.address().port);
process.once("disconnect", () => process.exit(0));
