/** The guides' shell blocks: they run in their order, as they are printed, in a demo business that nobody has used. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setEventsEnabled } from "../../src/database/events.ts";
import { demoIn, useDemoDatabase } from "../support/demo.ts";
import { type StartedService, startService, useWorld } from "../support/world.ts";

const world = useWorld();
const folder = new URL("../../docs/guides/", import.meta.url);
const blocksOf = async (name: string) =>
  [...(await readFile(new URL(name, folder), "utf8")).matchAll(/^```sh\n(.*?)^```$/gms)].map(
    ([, code = ""]) => code,
  );
/** A test of its own runs these: they need a receiver of webhooks, or the package. */
const elsewhere = ["webhooks.md", "client.md"];
const all = (await readdir(folder)).filter((name) => name.endsWith(".md"));
const withRequests = await Promise.all(
  all.map(async (name) => ({ name, blocks: (await blocksOf(name)).filter((code) => code.includes("curl")) })),
);
const guides = withRequests.filter(({ name, blocks }) => blocks.length > 0 && !elsewhere.includes(name));

/** The ids that a guide writes in capitals, because an earlier response has them. */
const placeholders = /(?<!\$)\b(?:[A-Z]+_)+ID\b(?!=)|(?<![\w$])NEXT\b/g;

describe.each(guides)("the requests of $name", ({ name, blocks }) => {
  const database = useDemoDatabase();
  let service: StartedService;
  let directory: string;
  let environment: Record<string, string>;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "loyalty-guide-"));
    service = await startService(world, database);
    const { baseUrl } = service;
    const { business_id, client_id, client_secret, sandbox } = await demoIn(database.sql, directory, baseUrl);
    const issued = await world.call("/sp/auth/token", { client_id, client_secret }, { baseUrl });
    environment = {
      BASE_URL: baseUrl,
      CLIENT_ID: client_id,
      CLIENT_SECRET: client_secret,
      SANDBOX_CLIENT_ID: sandbox.client_id,
      SANDBOX_CLIENT_SECRET: sandbox.client_secret,
      TOKEN: issued.body.data.access_token,
      PATH: process.env.PATH ?? "",
    };
    // The guide to events says that the operator switches them on.
    if (name === "events.md") await database.sql.begin((tx) => setEventsEnabled(tx, business_id, true));
  });
  afterAll(async () => {
    await service.close();
    await rm(directory, { recursive: true });
  });

  it("succeed, one after the other", async () => {
    const known: Record<string, string> = {};
    for (const block of blocks) {
      // A block may have several requests, and the second may need what the first returned.
      for (const command of block.split(/\n+(?=curl)/)) {
        const filled = command.replace(placeholders, (id) => known[id.toLowerCase()] ?? id);
        const printed = `${filled}\nprintf '\\n%s' "$TOKEN" "$SANDBOX_TOKEN"`;
        const { stdout } = await promisify(execFile)("sh", ["-c", printed], { env: environment });
        const lines = stdout.split("\n");
        const [TOKEN = "", SANDBOX_TOKEN = ""] = lines.slice(-2);
        environment = { ...environment, TOKEN, SANDBOX_TOKEN };
        if (command.startsWith("export")) {
          expect(command.includes("SANDBOX") ? SANDBOX_TOKEN : TOKEN, command).toMatch(/^eyJ/);
          continue;
        }
        const response = JSON.parse(lines.slice(0, -2).join("\n"));
        expect(response, filled).toMatchObject({ success: true });
        const [first = response.data] = [response.data].flat();
        for (const [field, value] of Object.entries(first ?? {})) known[field] = String(value);
      }
    }
  });
});

it("no guide asks for a placeholder in its first request", () => {
  for (const { name, blocks } of guides) expect(blocks[0]?.match(placeholders), name).toBeNull();
});

it("are those of every guide with requests", () => {
  expect(guides.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["bookings.md", "members.md", "sales.md", "sandbox.md", "wallet.md"]),
  );
  expect(guides.length).toBeGreaterThan(12);
});
