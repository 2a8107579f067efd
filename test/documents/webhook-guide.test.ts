/** The guide to webhooks: its programs receive and verify webhooks as they stand. */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Receiver, type Respond } from "../support/receiver.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { freePort } from "../support/service-process.ts";
import { useWorld } from "../support/world.ts";

/** Where the service sends webhooks for each program. */
const relayPorts = { js: await freePort(), python: await freePort(), php: await freePort() };
const world = useWorld({
  LOYALTY_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
  LOYALTY_WEBHOOK_PORTS: Object.values(relayPorts).join(", "),
});
const root = join(import.meta.dirname, "../..");
const secret = `whsec_${Buffer.alloc(24, 5).toString("base64")}`;
const other = `whsec_${Buffer.alloc(24, 6).toString("base64")}`;
let directory: string;
let programs: ReadonlyMap<string, string>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-webhook-guide-"));
  await promisify(execFile)(join(root, "node_modules/.bin/tsc"), ["--build", join(root, "packages/sdk")]);
  await symlink(join(root, "node_modules"), join(directory, "node_modules"));
  const guide = await readFile(join(root, "docs/guides/webhooks.md"), "utf8");
  const blocks = [...guide.matchAll(/^```(js|python|php)\n(.*?)^```$/gms)];
  const [[, processing = ""] = []] = guide.matchAll(/^```js\n([^`]*inbox\.jsonl", "utf8".*?)^```$/gms);
  await writeFile(join(directory, "processing.mjs"), processing);
  // The first program in each language receives.
  programs = new Map(blocks.toReversed().map(([, language = "", code = ""]) => [language, code]));
});
afterAll(() => rm(directory, { recursive: true }));

const event = (sequence: number) => ({
  type: "wallet.paid",
  timestamp: "2026-04-17T07:30:00.123456Z",
  data: { business_id: 1, sequence, note: "Café 🍰" },
});

interface Sent {
  readonly secrets?: readonly string[];
  readonly age?: number;
  readonly change?: (headers: Record<string, string>) => object;
  readonly body?: string;
  /** The text that is signed and sent, instead of an event. */
  readonly signed?: string;
}

/** Sends a webhook. @returns the status of the response */
async function send(
  port: number,
  sequence: number,
  { secrets = [secret], age = 0, change, body, signed }: Sent = {},
) {
  const text = signed ?? JSON.stringify(event(sequence));
  const id = `evt_1_${sequence}`;
  const when = new Date(Date.now() - age * 1000);
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(when.getTime() / 1000)),
    "webhook-signature": secrets.map((one) => new Webhook(one).sign(id, when, text)).join(" "),
  };
  const sent = { ...headers, ...change?.(headers) };
  return (
    await fetch(`http://127.0.0.1:${port}/webhooks`, { method: "POST", headers: sent, body: body ?? text })
  ).status;
}

describe.each([
  ["js", process.execPath, (_port: number) => ["receiver.mjs"]],
  ["python", "python3", (_port: number) => ["receiver.py"]],
  ["php", "php", (port: number) => ["-S", `127.0.0.1:${port}`, "receiver.php"]],
] as const)("the program in %s", (language, command, words) => {
  const isThere = spawnSync(command, ["--version"]).status === 0;
  const children: ChildProcess[] = [];
  const relays: Receiver[] = [];
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL");
    for (const relay of relays) await relay.stop();
  });

  /** Starts the program as the guide has it. @returns its port, and a function that reads what it keeps */
  async function startProgram(WEBHOOK_SECRET: string) {
    const port = await freePort();
    const own = await mkdtemp(join(directory, language));
    const code = programs.get(language);
    expect(code).toBeDefined();
    const file = words(port).at(-1) as string;
    await writeFile(join(own, file), code as string);
    const child = spawn(command, words(port), {
      cwd: own,
      env: { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET },
      stdio: "ignore",
    });
    children.push(child);
    await expect.poll(() => send(port, 1, { secrets: [other] }).catch(() => 0)).toBe(400);
    const inbox = async () =>
      (await readFile(join(own, "inbox.jsonl"), "utf8").catch(() => ""))
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line));
    return { port, inbox };
  }

  it.skipIf(!isThere)("gets webhooks of the service, and rejects them with another body", async () => {
    const shop = await makeSandbox(world, "2026-01-10 09:00:00");
    const relay = await Receiver.start({ port: relayPorts[language] });
    relays.push(relay);
    const { secret: own, endpoint_id } = await shop.write("/sp/webhook-endpoints/create", {
      url: relay.url,
      types: ["wallet.*"],
    });
    const { port, inbox } = await startProgram(own);
    const forward = async (received: Parameters<Respond>[1], body: Buffer = received.body) => {
      const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature } = received.headers;
      const headers = { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature };
      return fetch(`http://127.0.0.1:${port}/webhooks`, {
        method: "POST",
        body: new Uint8Array(body),
        headers: { "content-type": "application/json", ...(headers as Record<string, string>) },
      });
    };
    // The program sees each webhook twice: with a changed body first.
    const rejected: number[] = [];
    relay.respond = async (response, received) => {
      const changed = received.body.toString().replace('"wallet.', '"sale.');
      expect(changed).not.toBe(received.body.toString());
      rejected.push((await forward(received, Buffer.from(changed))).status);
      response.writeHead((await forward(received)).status).end();
    };
    const contact_id = await shop.member();
    await shop.write("/sp/wallet/topup", { contact_id, location_id: shop.locationId, amount: 700 });
    await shop.write("/sp/wallet/pay", { contact_id, location_id: shop.locationId, amount: 300 });
    await expect.poll(async () => (await inbox()).length).toBe(2);
    expect(rejected).toEqual([400, 400]);
    const { events } = await shop.ask("/sp/events/list", { types: ["wallet.*"] });
    const sent = events.map((one: { data: { sequence: number } }) => ({
      id: `evt_${shop.businessId}_${one.data.sequence}`,
      event: one,
    }));
    // The service sends several at once, so the second may come first.
    const inOrder = (await inbox()).toSorted(
      (one, another) => one.event.data.sequence - another.event.data.sequence,
    );
    expect(inOrder).toEqual(sent);
    const [first] = sent;
    await shop.write("/sp/webhook-deliveries/retry", { endpoint_id, event_no: first.event.data.sequence });
    await expect.poll(async () => (await inbox()).length).toBe(3);
    // The service stores what was sent within a second.
    const deliveries = async () =>
      (await shop.ask("/sp/webhook-deliveries/list", { endpoint_id })).deliveries.map(
        ({ status, kind }: { status: string; kind: string }) => `${kind} ${status}`,
      );
    await expect.poll(deliveries).toEqual(["retry delivered", "delivery delivered", "delivery delivered"]);
    expect((await inbox()).at(-1)).toEqual(first);
  });

  it.skipIf(!isThere)(
    isThere
      ? "keeps webhooks of the service, and rejects all others"
      : `is not run: ${command} is not installed`,
    async () => {
      const { port, inbox } = await startProgram(secret);
      expect(await send(port, 2)).toBe(204);
      expect(await send(port, 3, { secrets: [other, secret] })).toBe(204);
      expect(await send(port, 4, { age: 270 })).toBe(204);
      for (const wrong of [
        { age: 330 },
        { age: -330 },
        { body: JSON.stringify(event(6)) },
        { change: () => ({ "webhook-id": "evt_1_6" }) },
        { change: () => ({ "webhook-timestamp": "soon" }) },
        { change: () => ({ "webhook-signature": "v1,AAAA" }) },
        { change: () => ({ "webhook-signature": "v1" }) },
        { signed: "not JSON" },
        { signed: "" },
      ] satisfies Sent[]) {
        expect(await send(port, 5, wrong), JSON.stringify(wrong)).toBe(400);
      }
      expect(await inbox()).toEqual(
        [2, 3, 4].map((sequence) => ({ id: `evt_1_${sequence}`, event: event(sequence) })),
      );
    },
  );
});

it("the program that processes what was kept leaves out duplicates and tests", async () => {
  const ids = ["evt_1_2", "evt_test_9", "evt_1_3", "evt_1_2"];
  const inbox = ids.map((id) => `${JSON.stringify({ id, event: event(2) })}\n`).join("");
  const own = await mkdtemp(join(directory, "processing-"));
  await writeFile(join(own, "inbox.jsonl"), inbox);
  const { stdout } = await promisify(execFile)(process.execPath, [join(directory, "processing.mjs")], {
    cwd: own,
  });
  expect(stdout).toBe("evt_1_2 wallet.paid\nevt_1_3 wallet.paid\n");
});

it("the requests set up an endpoint, and manage it", async () => {
  const shop = await makeSandbox(world, "2026-01-10 09:00:00");
  const { client_id, client_secret } = await world.integration(
    { ...world.home, businessId: shop.businessId },
    { scopes: ["wa.webhooks.write", "wa.events.read"] },
  );
  const token = await world.call("/sp/auth/token", { client_id, client_secret });
  const environment = {
    BASE_URL: world.baseUrl,
    TOKEN: token.body.data.access_token,
    PATH: process.env.PATH ?? "",
  };
  const guide = await readFile(join(root, "docs/guides/webhooks.md"), "utf8");
  const requests = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = ""]) => code);
  expect(requests).toHaveLength(7);
  let endpoint = "";
  let number = "";
  for (const request of requests) {
    const command = request.replaceAll("ENDPOINT", endpoint).replaceAll("NUMBER", number);
    const { stdout } = await promisify(execFile)("sh", ["-c", command], { env: environment });
    const response = JSON.parse(stdout);
    expect(response, command).toMatchObject({ success: true });
    endpoint ||= String(response.data.endpoint_id);
    if (request.includes("create")) {
      const contact_id = await shop.member();
      await shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount: 1000 });
      const { events } = await shop.ask("/sp/events/list", { types: ["sale.*"] });
      number = String(events[0].data.sequence);
      expect(response.data).toMatchObject({
        events_switched_on: true,
        secret: expect.stringMatching(/^whsec_/),
      });
    }
  }
});
