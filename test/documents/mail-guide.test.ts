/** The guide to mails: its program reads events and speaks SMTP, as it stands. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { freePort } from "../support/service-process.ts";
import { newPerson, useWorld } from "../support/world.ts";

const world = useWorld();
const root = join(import.meta.dirname, "../..");
const refused = "refused@mail.example";
/** The addresses for which the mail service takes no mail now. */
const busy = new Set<string>();
const password = "right";
const placeFile = "mail-place.json";
const programs: ChildProcess[] = [];
const servers: SMTPServer[] = [];
let directory: string;
let shop: Sandbox;

interface Mail {
  readonly to: string;
  readonly id: string;
  readonly text: string;
}
const mails: Mail[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-mail-guide-"));
  await promisify(execFile)(join(root, "node_modules/.bin/tsc"), ["--build", join(root, "packages/sdk")]);
  await symlink(join(root, "node_modules"), join(directory, "node_modules"));
  const guide = await readFile(join(root, "docs/guides/mail.md"), "utf8");
  const [, program = ""] = /^```js\n(.*?)^```$/ms.exec(guide) ?? [];
  await writeFile(join(directory, "mail.mjs"), program);
  shop = await makeSandbox(world, "2026-01-13 15:30:00");
  await operator("/op/businesses/update", { events_enabled: true });
});
afterAll(async () => {
  for (const program of programs) program.kill("SIGKILL");
  await Promise.all(servers.map(close));
  await rm(directory, { recursive: true });
});

const operator = (path: string, body: Body) =>
  operatorWrite(world, path, { business_id: shop.businessId, ...body });
const close = (server: SMTPServer) => new Promise<void>((done) => server.close(() => done()));

/** A mail service that keeps what it gets. */
async function listen(port: number): Promise<SMTPServer> {
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    closeTimeout: 100,
    onAuth: (given, _session, callback) =>
      given.password === password ? callback(null, { user: "shop" }) : callback(new Error("wrong password")),
    onRcptTo({ address }, _session, callback) {
      const responseCode = address === refused ? 550 : busy.has(address) && 450;
      callback(responseCode ? Object.assign(new Error("no"), { responseCode }) : null);
    },
    async onData(stream, session, callback) {
      const content = Buffer.concat(await stream.toArray()).toString();
      const [head = "", text = ""] = content.split("\r\n\r\nDear ");
      const id = /^Message-ID: (.*)$/im.exec(head)?.[1] ?? "";
      const to = session.envelope.rcptTo[0]?.address ?? "";
      mails.push({ to, id: id.trim(), text: text.replaceAll("\r\n", "\n") });
      callback();
    },
  });
  servers.push(server);
  server.listen(port, "127.0.0.1");
  await once(server.server, "listening");
  return server;
}

function startProgram(port: number, given = password): ChildProcess {
  const { client_id: CLIENT_ID, client_secret: CLIENT_SECRET } = shop.credentials;
  const env = { PATH: process.env.PATH, BASE_URL: world.baseUrl, CLIENT_ID, CLIENT_SECRET };
  const mail = { SMTP_URL: `smtp://shop:${given}@127.0.0.1:${port}`, MAIL_FROM: "club@shop.example" };
  const pauses = { POLL_SECONDS: "0.1", RETRY_SECONDS: "0.1" };
  const program = spawn(process.execPath, ["mail.mjs"], {
    cwd: directory,
    env: { ...env, ...mail, ...pauses },
    stdio: "ignore",
  });
  programs.push(program);
  return program;
}

interface Place {
  readonly after: number;
  readonly later: readonly unknown[];
}
const readPlace = async (): Promise<Place> =>
  JSON.parse(await readFile(join(directory, placeFile), "utf8").catch(() => '{"after":-1,"later":[]}'));
const placeOf = async () => (await readPlace()).after;
/** Whether the program has stored its place after all events. */
const isThrough = async () => (await placeOf()) === (await shop.ask("/sp/events/list", { limit: 1 })).last;
const join_ = async (first_name: string, email?: string) =>
  (await shop.write("/sp/members/create", { ...newPerson(), first_name, email })).contact_id as number;

it("writes to each member once about gifts and about what ends, and goes on after the mail service refused", async () => {
  const port = await freePort();
  const smtp = await listen(port);
  await operator("/op/occasions/create", { name: "Before", kind: "joined", points: 5 });
  await join_("Early", "early@mail.example");
  const program = startProgram(port);
  await expect.poll(placeOf).toBeGreaterThanOrEqual(0);

  const ana = await join_("Ana", "ana@mail.example");
  await join_("Ben", refused);
  await join_("Carl");
  const dora = await join_("Dora", "dora@mail.example");
  await expect.poll(() => mails.map(({ to }) => to)).toEqual(["ana@mail.example", "dora@mail.example"]);
  expect(mails[0]?.text).toBe("Ana,\n\nYou have got 5 points.\n");

  // Without a mail service, the program ends. It is started again when there is one.
  await close(smtp);
  const ended = once(program, "close");
  await operator("/op/bulk-grants/start", {
    name: "Sorry",
    points: 40,
    validity: 20,
    validity_period: "day",
  });
  await ended;
  await listen(port);
  // With a wrong password, it ends and loses nothing.
  const before = await readPlace();
  await once(startProgram(port, "wrong"), "close");
  expect(await readPlace()).toEqual(before);
  expect(mails.length).toBe(2);
  // Who can't get a mail now keeps nobody waiting, and gets it later.
  busy.add("ana@mail.example");
  const other = startProgram(port);
  await expect.poll(async () => (await readPlace()).later.length).toBe(1);
  await expect.poll(() => mails.length).toBe(4);
  await expect.poll(isThrough).toBe(true);
  // What waits is still there after a crash.
  const killed = once(other, "close");
  other.kill("SIGKILL");
  await killed;
  expect((await readPlace()).later.length).toBe(1);
  busy.clear();
  startProgram(port);
  await expect.poll(() => mails.length).toBe(5);
  await expect.poll(async () => (await readPlace()).later.length).toBe(0);
  const bulk = mails.slice(2).toSorted((one, other) => one.to.localeCompare(other.to));
  expect(bulk.map(({ to }) => to)).toEqual(["ana@mail.example", "dora@mail.example", "early@mail.example"]);
  expect(bulk[0]?.text).toBe("Ana,\n\nYou have got 40 points, valid through 2026-02-02.\n");

  const lapsing = { validity: 20, validity_period: "day" };
  const coffee = { campaign_name: "Coffee", coupon_code: "COFFEE", coupon_value: 400, ...lapsing };
  const { voucher_id } = await operator("/op/vouchers/create", coffee);
  await shop.write("/sp/vouchers/issue", { contact_id: ana, voucher_id });
  const { tier_id } = await operator("/op/tiers/create", { name: "Gold", expiry: 20, expiry_period: "day" });
  await operator("/op/members/assign-tier", { contact_id: ana, tier_id });

  // An erased member gets none.
  await operator("/op/members/erase", { contact_id: dora, reason: "She asked for it." });
  await shop.advance("2026-01-15 09:00:00");
  const about = (to: string) => mails.slice(5).filter((mail) => mail.to === to);
  await expect
    .poll(() => about("ana@mail.example").map(({ text }) => text.slice("Ana,\n\n".length)))
    .toEqual(
      expect.arrayContaining([
        "40 of your points end after 2026-02-02.\n",
        "A voucher of yours ends after 2026-02-02.\n",
        "Your tier ends after 2026-02-02.\n",
      ]),
    );
  expect(about("ana@mail.example").length).toBe(3);
  await expect.poll(() => about("early@mail.example").length).toBe(1);
  await expect.poll(isThrough).toBe(true);
  expect(about("dora@mail.example")).toEqual([]);
  expect(new Set(mails.map(({ id }) => id)).size).toBe(mails.length);
});
