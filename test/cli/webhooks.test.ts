/** `loyalty webhook listen` and `trigger`: events reach a receiver, in order and without loss. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterEach, expect, it } from "vitest";
import { eventNames } from "../../src/domain/events.ts";
import { outcomeOf, useCli } from "../support/cli.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { freePort } from "../support/service-process.ts";
import { storeEndpoint } from "../support/webhook-endpoints.ts";
import { testSecret, useWorld } from "../support/world.ts";

const world = useWorld();
const cli = useCli(world);
const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;

async function makeShop(): Promise<Sandbox> {
  const shop = await makeSandbox(world, "2026-01-10 09:00:00");
  const { businessId: business_id } = shop;
  const voucher = { campaign_name: "Coffee", coupon_code: "COFFEE", coupon_value: 400 };
  await operatorWrite(world, "/op/vouchers/create", { business_id, ...voucher });
  await operatorWrite(world, "/op/businesses/update", { business_id, events_enabled: true });
  return shop;
}

interface Received {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
}

class Receiver {
  readonly received: Received[] = [];
  status = 204;
  port = 0;
  #server: Server | undefined;

  async start(): Promise<void> {
    const server = createServer(async (request, response) => {
      const body = (await request.toArray()).join("");
      const headers = request.headers as Record<string, string>;
      const { type, data } = new Webhook(secret).verify(body, headers) as {
        type: string;
        data: { sequence: number };
      };
      this.received.push({ id: headers["webhook-id"] as string, type, sequence: data.sequence });
      response.writeHead(this.status).end();
    });
    await once(server.listen(this.port, "127.0.0.1"), "listening");
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    server?.closeAllConnections();
    if (server?.listening) await new Promise((done) => server.close(done));
  }

  has(count: number) {
    return expect.poll(() => this.received.length).toBeGreaterThanOrEqual(count);
  }
}

const running: ChildProcessWithoutNullStreams[] = [];
const receivers: Receiver[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
  for (const receiver of receivers.splice(0)) await receiver.stop();
});

async function makeReceiver(): Promise<Receiver> {
  const receiver = new Receiver();
  // It listens there again, so no connection of another program may get the port meanwhile.
  receiver.port = await freePort();
  await receiver.start();
  receivers.push(receiver);
  return receiver;
}

/** Starts the command, and waits until it forwards. */
async function listen(words: readonly string[], environment: Record<string, string> = {}) {
  const child = cli.start(["webhook", "listen", ...words], {
    environment: { LOYALTY_WEBHOOK_SECRET: secret, ...environment },
  });
  running.push(child);
  const outcome = outcomeOf(child);
  let said = "";
  child.stderr.on("data", (text: string) => {
    said += text;
  });
  await Promise.race([expect.poll(() => said).toContain("Signing secret"), outcome]);
  return { child, outcome, said: () => said };
}

it("forwards new events in order, also those while the receiver is away or returns an error", async () => {
  const shop = await makeShop();
  const contact_id = await shop.member();
  const receiver = await makeReceiver();
  const { child, outcome, said } = await listen([
    "--forward-to",
    `http://127.0.0.1:${receiver.port}/hooks`,
    "--business",
    String(shop.businessId),
  ]);
  const credit = () =>
    shop.write("/sp/reward-points/adjust", { contact_id, points: 1, adjustment_type: "credit" });
  await credit();
  await receiver.has(1);
  receiver.status = 500;
  await credit();
  await receiver.has(2);
  receiver.status = 200;
  await receiver.stop();
  await credit();
  await credit();
  await expect.poll(said).toContain("Waiting for the receiver");
  await receiver.start();
  await receiver.has(4);
  await expect.poll(said).toContain("The receiver responds again.");
  child.kill("SIGINT");
  const { code, out, err } = await outcome;
  expect(code).toBe(130);
  expect(receiver.received).toEqual(
    [3, 4, 5, 6].map((sequence) => {
      return { id: `evt_${shop.businessId}_${sequence}`, type: "reward_points.adjusted", sequence };
    }),
  );
  expect(out.split("\n").map((line) => line.replace(/\d+ ms/, "ms"))).toEqual([
    ...[204, 500, 200, 200].map(
      (status, index) => `${index + 3}  reward_points.adjusted  member ${contact_id}  ${status}  ms`,
    ),
    "",
  ]);
  expect(err).toContain("The last event was 6. To continue: --since 6");
  const again = await listen([
    "--forward-to",
    `http://127.0.0.1:${receiver.port}`,
    "--business",
    String(shop.businessId),
    "--since",
    "4",
    "--types",
    "reward_points.*",
    "--json",
  ]);
  await receiver.has(6);
  again.child.kill("SIGTERM");
  const lines = (await again.outcome).out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ sequence, status }) => [sequence, status])).toEqual([
    [5, 200],
    [6, 200],
  ]);
});

it("goes on when the service was away, with the credentials of an integration", async () => {
  const shop = await makeShop();
  const { client_id, client_secret } = shop.credentials;
  const receiver = await makeReceiver();
  // A relay that can be stopped stands for the service.
  const relay = async (port: number) => {
    const child = spawn(process.execPath, [
      "-e",
      `
      const net = require("node:net");
      net.createServer((from) => {
        const to = net.connect(${new URL(world.baseUrl).port}, "127.0.0.1");
        from.on("error", () => to.destroy()); to.on("error", () => from.destroy());
        from.pipe(to).pipe(from);
      }).listen(${port}, "127.0.0.1", function () { console.log(this.address().port); });`,
    ]);
    running.push(child);
    const [text] = await once(child.stdout, "data");
    return { child, port: Number(text) };
  };
  const first = await relay(await freePort());
  const environment = { LOYALTY_URL: `http://127.0.0.1:${first.port}`, LOYALTY_CLIENT_SECRET: client_secret };
  const { child, outcome, said } = await listen(
    ["--forward-to", `http://127.0.0.1:${receiver.port}`, "--client-id", client_id, "--since", "0"],
    environment,
  );
  await receiver.has(1);
  first.child.kill("SIGKILL");
  await expect.poll(said).toContain("Waiting for the service");
  await shop.member();
  await relay(first.port);
  await receiver.has(2);
  child.kill("SIGINT");
  expect((await outcome).err).toContain("The service responds again.");
  expect(receiver.received.map(({ sequence }) => sequence)).toEqual([1, 2]);
});

it("says what is wrong", async () => {
  const shop = await makeShop();
  const business = ["--business", String(shop.businessId)];
  const wrong = async (words: string[], environment = {}) =>
    cli.run(["webhook", "listen", ...words], { environment });
  expect(await wrong(business)).toMatchObject({ code: 2, err: expect.stringContaining("--forward-to") });
  expect(await wrong(["--forward-to", "localhost:3000", ...business])).toMatchObject({
    code: 2,
    err: '--forward-to must be a URL such as http://localhost:3000, not "localhost:3000".\n',
  });
  expect(await wrong(["--forward-to", "http://u:hunter2@tail@host", ...business])).toMatchObject({
    code: 2,
    err: expect.stringContaining('not "http://u:***@host".'),
  });
  const to = ["--forward-to", "http://127.0.0.1:9", ...business];
  expect(await wrong([...to, "--types", "sale.*,sales"])).toMatchObject({
    code: 2,
    err: expect.stringContaining('no type of event "sales"'),
  });
  expect(await wrong([...to, "--since", "soon"])).toMatchObject({ code: 2 });
  expect(await wrong([...to, "--since", "99"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("must not be after the newest event, 1"),
  });
  expect(await wrong(to, { LOYALTY_WEBHOOK_SECRET: "s3cret" })).toMatchObject({
    code: 2,
    err: expect.not.stringContaining("s3cret"),
  });
  await shop.member();
  await shop.member();
  await world.sql`DELETE FROM event WHERE business_id = ${shop.businessId} AND event_no < 3`;
  const expired = await wrong([...to, "--since", "1"]);
  expect(expired).toMatchObject({ code: 1, err: expect.stringContaining("--since 2") });
});

const trigger = async (shop: Sandbox, type: string) => {
  const { client_id, client_secret } = shop.credentials;
  const environment = { LOYALTY_CLIENT_SECRET: client_secret };
  return cli.run(
    ["webhook", "trigger", type, "--client-id", client_id, "--location", String(shop.locationId)],
    { environment },
  );
};

it("triggers each type of event, or says what causes it", async () => {
  const shop = await makeShop();
  const made: string[] = [];
  for (const type of eventNames) {
    const { code, out, err } = await trigger(shop, type);
    if (code === 0) {
      expect(out).toMatch(new RegExp(`^${type}: event \\d+ of business ${shop.businessId}`));
      made.push(type);
    } else
      expect(`${code} ${err}`).toMatch(
        /^1 .* can't be made with one request\.\n.*loyalty|on the day|before|receiver/,
      );
  }
  expect(made).toHaveLength(21);
});

it("names endpoints that get nothing in status and doctor, with what to do", async () => {
  const { businessId } = await makeShop();
  const stopped = async (change: string) => {
    const url = "https://receiver.invalid/secret-path";
    const { endpointId } = await storeEndpoint(world.sql, testSecret, { businessId, url });
    await world.sql.query(`UPDATE webhook_endpoint SET ${change} WHERE endpoint_id = ${endpointId}`);
    return endpointId;
  };
  const failing = await stopped(
    "status = 'failing', failing_since = now() - interval '2 hours', due_at = now() + interval '1 day'",
  );
  const gone = await stopped("status = 'disabled', disabled_reason = 'gone'");
  const unreadable = await stopped("status = 'disabled', disabled_reason = 'secret_unreadable'");
  const requested = await stopped("status = 'disabled', disabled_reason = 'requested'");
  const status = await cli.ok(["status"]);
  const { out: doctor } = await cli.run(["doctor"]);
  const named = (endpoint: number, state: string) =>
    `endpoint ${endpoint} of business ${businessId} (receiver.invalid) is ${state}`;
  const expected = [
    [named(failing, "failing for 2 h"), `see: loyalty webhook get ${failing} --business ${businessId}`],
    [named(gone, "disabled: gone"), `see: loyalty webhook get ${gone} --business ${businessId}`],
    [
      named(unreadable, "disabled: secret_unreadable"),
      `its secret was encrypted with another LOYALTY_SECRET; start the service with that one, or give the receiver a new secret: loyalty webhook rotate-secret ${unreadable} --business ${businessId}`,
    ],
  ] as const;
  for (const [state, advice] of expected) {
    expect(status.replace(/\s+/g, " ")).toContain(state);
    expect(doctor.replace(/\s+/g, " ")).toContain(`${state}; ${advice}`);
  }
  expect(doctor).not.toContain(`endpoint ${requested} `);
  expect(status + doctor).not.toContain("secret-path");
});

it("manages endpoints, and says what to do if something is wrong", async () => {
  const { businessId, member } = await makeShop();
  const words = (verb: string, ...more: string[]) => [
    "webhook",
    ...verb.split(" "),
    "--business",
    String(businessId),
    ...more,
  ];
  const url = `https://receiver.invalid/${"a-long-path/".repeat(20)}?token=${"x".repeat(200)}`;
  const headers = ["--headers", "X-A: 1", "--headers", "Authorization: Bearer a:b"];
  const made = await cli.json(
    words("create", "--endpoint-url", url, "--types", "sale.*,member.created", ...headers),
  );
  const { endpoint_id: id, ...data } = made.data;
  expect(data).toMatchObject({
    url,
    types: ["sale.*", "member.created"],
    header_names: ["X-A", "Authorization"],
  });
  const listed = await cli.ok(words("list"));
  for (const line of listed.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  expect((await cli.json(words(`update ${id}`, "--headers", "none"))).data.header_names).toEqual([]);
  expect(await cli.ok(["webhook", "update", "--help"])).toMatch(/"none"\s+for\s+none/);
  // A shell would look for files.
  expect(await cli.ok(["webhook", "create", "--help"])).toContain('--types "sale.*,member.updated"');

  const wrong = async (verb: string, ...more: string[]) => {
    const { code, err } = await cli.run(words(verb, ...more));
    expect(code).toBeGreaterThan(0);
    return err;
  };
  expect(await wrong(`update ${id}`, "--types", "")).toContain("--types must have at least 1 item.");
  expect(await wrong(`update ${id}`, "--types", "sale")).toContain('"sale" is not one of *, sale.*');
  expect(await wrong(`update ${id}`, "--endpoint-url", "http://10.0.0.1/")).toMatch(
    /--endpoint-url must not name 10\.0\.0\.1.*LOYALTY_WEBHOOK_ALLOW_NETWORKS/,
  );
  expect(await wrong(`update ${id}`, "--headers", "none", "--headers", "X")).toContain(
    "Authorization: Bearer abc",
  );
  for (const since of ["yesterday", "soon", "2026-13-45"])
    expect(await wrong(`replay ${id}`, "--since", since)).toContain(
      "--since must be a day or a time that exists, as YYYY-MM-DD or YYYY-MM-DD HH:MM:SS.",
    );
  const named = `${id} --business ${businessId}`;
  expect(await wrong(`retry ${id}`, "--event-no", "99999")).toContain(`loyalty webhook deliveries ${named}`);
  await cli.ok(words(`enable ${id}`, "--from", "now"));
  expect(await wrong(`enable ${id}`, "--from", "now")).toMatch(
    new RegExp(`\\(retry after \\d+ s\\)\\.\n.*loyalty webhook test ${named}`),
  );
  await cli.ok(words(`disable ${id}`, "--yes"));
  await member();
  expect(await wrong(`retry ${id}`, "--event-no", "1")).toContain(
    `loyalty webhook enable ${named} --from stopped`,
  );
  expect(await wrong(`delete ${id}`)).toContain("run the command again with --yes");
  await cli.ok(words(`delete ${id}`, "--yes"));
  expect(await wrong(`get ${id}`)).toContain(`loyalty webhook list --business ${businessId}`);
  expect(await cli.ok(["webhook", "listen", "--help"])).toMatch(/requires\s+the\s+role\s+viewer/);
  expect(await cli.ok(["webhook", "trigger", "--help"])).toMatch(/requires\s+no\s+role/);
});

it("triggers nothing in a real business", async () => {
  const { client_id, client_secret } = world.home.everywhere;
  const environment = { LOYALTY_CLIENT_SECRET: client_secret };
  const tried = await cli.run(["webhook", "trigger", "sale.recorded", "--client-id", client_id], {
    environment,
  });
  expect(tried).toMatchObject({ code: 1, err: expect.stringContaining("not one of a sandbox") });
  expect(await cli.run(["webhook", "trigger", "sale"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("sale.recorded"),
  });
});

it("is also a command of the client's package, for partners who don't have the service's", async () => {
  const shop = await makeShop();
  const receiver = await makeReceiver();
  const { client_id, client_secret } = shop.credentials;
  const partner = (...words: string[]) => {
    const child = spawn(process.execPath, ["packages/sdk/bin/loyalty-sdk.js", ...words], {
      env: {
        PATH: process.env.PATH,
        LOYALTY_CLIENT_SECRET: client_secret,
        LOYALTY_WEBHOOK_SECRET: secret,
        LOYALTY_CLIENT_ID: client_id,
      },
    });
    running.push(child);
    return { child, outcome: outcomeOf(child) };
  };
  const at = ["--url", world.baseUrl];
  const forward = ["listen", ...at, "--forward-to", `http://127.0.0.1:${receiver.port}`];
  const first = partner(...forward, "--since", "0");
  const called = await partner("call", "/sp/members/list", '{"per_page": 1}', ...at).outcome;
  expect([called.code, called.err]).toEqual([0, ""]);
  expect(JSON.parse(called.out)).toMatchObject({ data: [], replayed: false });
  const place = ["--location", String(shop.locationId)];
  const made = await partner("trigger", "sale.recorded", ...place, ...at).outcome;
  expect([made.code, made.err]).toEqual([0, ""]);
  const { sequence } = JSON.parse(made.out).data;
  await receiver.has(sequence);
  first.child.kill("SIGINT");
  const { code, err } = await first.outcome;
  expect([code, err]).toEqual([130, expect.stringContaining(`To continue: --since ${sequence}`)]);
  await shop.member();
  const again = partner(...forward, "--since", String(sequence));
  await receiver.has(sequence + 1);
  again.child.kill("SIGINT");
  await again.outcome;
  expect(receiver.received.map((one) => one.sequence)).toEqual(
    Array.from({ length: sequence + 1 }, (_, at) => at + 1),
  );
  const wrong = [
    [await partner("listen", ...at).outcome, "--forward-to"],
    [await partner("call", "/sp/members/list").outcome, "LOYALTY_URL"],
    [await partner("trigger", "sale.made", ...at).outcome, "sale.recorded"],
    [await partner("nothing").outcome, "Usage:"],
  ] as const;
  for (const [outcome, words] of wrong)
    expect([outcome.code, outcome.err]).toEqual([2, expect.stringContaining(words)]);
  const rejected = await partner("call", "/sp/member/list", "{}", ...at).outcome;
  expect([rejected.code, rejected.err]).toEqual([1, expect.stringContaining("/api/sp/members/list")]);
});
