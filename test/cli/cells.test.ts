/** The command line with several cells: it finds the cell of a business, and a cell that is down stops only its own businesses. */
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { moveBusiness } from "../../src/backup/move-business.ts";
import { deriveKeys } from "../../src/credentials/keys.ts";
import { prepareInstallation } from "../../src/database/cell.ts";
import { deleteBusiness } from "../../src/database/engine/sandbox.ts";
import { useCli } from "../support/cli.ts";
import { useDatabase } from "../support/database.ts";
import { placeOf } from "../support/places.ts";
import { testOperatorKey, testSecret, World } from "../support/world.ts";

const north = new World(useDatabase());
const south = new World(useDatabase());
/** Without a service and a business. */
const empty = { database: useDatabase() };
const cli = useCli();
beforeAll(async () => {
  for (const [index, { database }] of [north, south, empty].entries())
    await prepareInstallation(database.sql, index + 1, deriveKeys(testSecret).check);
  await north.start({});
  await south.start({});
  await mkdir(file("maps"));
  await writeFile(file("operator.key"), testOperatorKey);
  await writeFile(file("wrong.key"), "a-key-that-no-service-has-0123456789abcdef");
});
afterAll(async () => {
  await north.stop();
  await south.stop();
});

const file = (name: string) => join(cli.directory, name);
/** Nothing listens there. */
const down = {
  url: "http://127.0.0.1:9",
  database_url: "postgres://loyalty@127.0.0.1:9/loyalty",
  operator_key_file: "operator.key",
};
const cellOf = (world: World) => ({
  url: new URL(world.baseUrl).origin,
  database_url: placeOf(world.database).databaseUrl,
  operator_key_file: file("operator.key"),
});
const both = () => ({ north: cellOf(north), south: cellOf(south) });
const maps = () => ({ maps: file("maps"), sockets: [] as string[] });

async function configure(content: unknown): Promise<void> {
  await writeFile(file("cells.json"), typeof content === "string" ? content : JSON.stringify(content));
}
const environment = () => ({ LOYALTY_CELLS: file("cells.json") });
const run = (...words: string[]) => cli.run(words, { environment: environment() });
const ok = (...words: string[]) => cli.ok(words, { environment: environment() });
const json = (...words: string[]) => cli.json(words, { environment: environment() });
const mapOf = async (name: string) =>
  Object.fromEntries(
    (await readFile(file(`maps/${name}.map`), "utf8"))
      .trim()
      .split("\n")
      .map((line) => line.split(" ")),
  );
const businesses = (world: World) => [world.home, world.away];
const routesOf = (world: World, cell: string) => ({
  business: Object.fromEntries(businesses(world).map(({ businessId }) => [String(businessId), cell])),
  client: Object.fromEntries(
    businesses(world).flatMap(({ everywhere, limited }) =>
      [everywhere, limited].map(({ client_id }) => [client_id, cell]),
    ),
  ),
});

/** Copies what the routes of a business depend on. */
async function copyTo(to: World, from: World, businessId: number): Promise<void> {
  for (const table of ["business", "ledger"]) {
    const [found] = await from.sql.query<{ row: string }[]>(
      `SELECT to_jsonb(t)::text AS row FROM ${table} AS t WHERE business_id = ${businessId}`,
    );
    await to.sql.query(
      `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_record(NULL::${table}, '${found?.row}')`,
    );
  }
}

/** Listens as an HAProxy does, with these maps. */
async function startHaproxy(
  socket: string,
  loaded: Readonly<Record<string, Map<string, string>>>,
): Promise<Server> {
  const haproxy = createServer({ allowHalfOpen: true }, (connection) => {
    connection.setEncoding("utf8").on("data", (text: string) => {
      const shown = text
        .trim()
        .split(";")
        .flatMap((command) => {
          const [verb = "", , path = "", key = "", cell = ""] = command.split(" ");
          const map = loaded[basename(path)] as Map<string, string>;
          if (verb === "show") return Array.from(map, ([one, of]) => `0x55d0 ${one} ${of}\n`);
          if (verb === "del") map.delete(key);
          else map.set(key, cell);
          return [];
        });
      connection.end(`${shown.join("")}\n`);
    });
  });
  await new Promise<void>((done) => haproxy.listen(socket, done));
  return haproxy;
}

async function deleteFrom(world: World, businessId: number): Promise<void> {
  for (const table of ["ledger", "business"])
    await world.sql.query(`DELETE FROM ${table} WHERE business_id = ${businessId}`);
}

describe("with two cells", () => {
  beforeEach(() => configure({ cells: both(), haproxy: maps() }));

  it("lists the businesses of all cells", async () => {
    const { data, meta } = await json("business", "list");
    const all = [...businesses(south), ...businesses(north)].map(({ businessId }) => businessId);
    expect(data.map((one: { business_id: number }) => one.business_id)).toEqual(
      all.toSorted((one, other) => other - one),
    );
    expect(data.map((one: { cell: string }) => one.cell)).toEqual(["south", "south", "north", "north"]);
    expect(meta).toEqual({
      pagination: { total: 4, per_page: 15, current_page: 1, last_page: 1, from: 1, to: 4 },
      next: null,
    });
    expect(await ok("business", "list")).toMatch(/^cell +business_id.*\nsouth +2000000/);
    const third = await json("business", "list", "--per-page", "1", "--page", "3");
    expect(third.data).toEqual([data[2]]);
    const fourth = await json("business", "list", "--per-page", "1", "--after", third.meta.next);
    expect(fourth).toMatchObject({ data: [data[3]], meta: { next: null } });
    expect((await json("business", "list", "--all")).data).toEqual(data);
    const beyond = await run("business", "list", "--page", "2");
    expect([beyond.code, beyond.err]).toEqual([0, "There is no page 2. The last page is 1.\n"]);
  });

  it("shows the status of each cell", async () => {
    const statuses = await json("status");
    expect(statuses).toMatchObject({ north: { businesses: 2 }, south: { businesses: 2 } });
    expect(await ok("status")).toMatch(/^north\n(?:.*\n)+south\n/);
    expect(await json("status", "--cell", "south")).toMatchObject({ data: { businesses: 2 } });
  });

  it("sends a command to the cell of its business", async () => {
    for (const world of [north, south]) {
      const at = ["--business", String(world.home.businessId)];
      const made = await json("location", "create", "--name", "Harbour", ...at);
      const locations = (await json("location", "list", ...at)).data;
      expect(locations.map((one: { location_id: number }) => one.location_id)).toContain(
        made.data.location_id,
      );
      // The business is found by a record of it.
      const { businessId, everywhere } = world.home;
      const member = String(await world.member({}, everywhere));
      expect((await json("member", "get", member)).data.contact_id).toBe(Number(member));
      expect((await json("business", "find", "--contact", member)).data).toMatchObject([
        { business_id: businessId },
      ]);
      expect(await json("verify", ...at)).toMatchObject({ mismatch_count: 0 });
    }
    expect((await json("verify")).businesses).toHaveLength(4);
    const unknown = await run("location", "list", "--business", "77");
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("Business 77 not found.")]);
    const new_ = ["business", "create", "--name", "New", "--currency", "EUR"];
    const nowhere = await run(...new_);
    expect([nowhere.code, nowhere.err]).toEqual([
      2,
      expect.stringContaining("Name it with --cell: north, south"),
    ]);
    const made = await json(...new_, "--cell", "south");
    expect(Math.floor(made.data.business_id / 10 ** 9)).toBe(2);
    await south.sql.begin((tx) => deleteBusiness(tx, made.data.business_id));
  });

  it("writes the maps from what the databases have, and forgets what is gone", async () => {
    await writeFile(file("maps/business.map"), "77 north\n");
    const written = await json("cell", "maps");
    const [here, there] = [routesOf(north, "north"), routesOf(south, "south")];
    const expected = {
      business: { ...here.business, ...there.business },
      client: { ...here.client, ...there.client },
    };
    expect(await mapOf("business")).toEqual(expected.business);
    expect(await mapOf("client")).toEqual(expected.client);
    expect(written).toEqual({ maps: file("maps"), entries: 12 });
    expect(await ok("cells", "maps")).toBe(`Wrote 12 entries to ${file("maps")}.\n`);
  });

  it("lists and finds a business that moves once", async () => {
    const { businessId, everywhere } = north.away;
    const member = String(await north.member({}, everywhere));
    await copyTo(south, north, businessId);
    await south.sql`INSERT INTO member SELECT * FROM jsonb_populate_record(NULL::member, ${JSON.stringify(
      (await north.sql`SELECT to_jsonb(m) AS row FROM member m WHERE contact_id = ${Number(member)}`)[0]?.row,
    )}::jsonb)`;
    for (const [here, there] of [
      ["left", "arriving"],
      ["left", null],
    ] as const) {
      for (const [world, state] of [
        [north, here],
        [south, there],
      ] as const) {
        await world.sql`
          UPDATE ledger SET move_state = ${state}, move_database = CASE WHEN ${state}::text IS NOT NULL THEN gen_random_uuid() END
          WHERE business_id = ${businessId}`;
      }
      const { data, meta } = await json("business", "list");
      const ids = data.map((one: { business_id: number }) => one.business_id);
      expect([ids.filter((id: number) => id === businessId), meta.pagination.total]).toEqual([
        [businessId],
        4,
      ]);
      expect((await json("business", "find", "--contact", member)).data).toMatchObject([
        { business_id: businessId },
      ]);
    }
    await south.sql`DELETE FROM member WHERE business_id = ${businessId}`;
    await deleteFrom(south, businessId);
    await north.sql`UPDATE ledger SET move_state = NULL, move_database = NULL WHERE business_id = ${businessId}`;
  });

  it("checks the service and the database of each cell", async () => {
    const { businessId } = south.away;
    await south.sql`
      UPDATE ledger SET move_state = 'copying', move_database = gen_random_uuid() WHERE business_id = ${businessId}`;
    const { out } = await run("doctor");
    for (const name of ["north", "south"]) {
      expect(out).toContain(`ok    service   ${name}: responds to the operator key\n`);
      expect(out).toMatch(new RegExp(`^ok {4}database {2}${name}: PostgreSQL `, "m"));
    }
    expect(out).toContain(`warn  moves     south: the move of business ${businessId} was interrupted`);
    expect(out).not.toMatch(/backup|disk/);
    await south.sql`UPDATE ledger SET move_state = NULL, move_database = NULL WHERE business_id = ${businessId}`;
    await configure({ cells: { down, ...both() } });
    const failed = await run("doctor");
    expect(failed.code).toBe(1);
    expect(failed.out).toMatch(/^fail {2}service {3}down: .*does not respond/m);
    expect(failed.out).toMatch(/^fail {2}database {2}down: .*ECONNREFUSED/m);
    expect(failed.out).toContain("ok    service   south: responds");
  });

  it("moves a business although one of two HAProxies is gone, and keeps its rows until that is told", async () => {
    const { businessId } = north.away;
    const [gone, running] = [file("gone.sock"), file("running.sock")];
    const loaded = { "business.map": new Map<string, string>(), "client.map": new Map<string, string>() };
    const haproxy = await startHaproxy(running, loaded);
    const sockets = [gone, running];
    await configure({ cells: both(), haproxy: { maps: file("maps"), sockets } });
    const move = ["move", "business", String(businessId), "--to", "south"];
    const notBegun = await run(...move);
    expect([notBegun.code, notBegun.err]).toEqual([
      1,
      expect.stringMatching(
        /gone\.sock does not respond .* remove it from haproxy\.sockets in the file of LOYALTY_CELLS/,
      ),
    ]);
    // It goes when requests are rejected already.
    const nothing = async () => undefined;
    const options = {
      ...{ businessId, from: placeOf(north.database), to: placeOf(south.database), checkRoutes: nothing },
      ...{
        route: nothing,
        writeRoutes: nothing,
        onRows: () => undefined,
        signal: new AbortController().signal,
      },
      waits: {
        cachesMilliseconds: 0,
        readsMilliseconds: 0,
        locksMilliseconds: 5000,
        pauseMilliseconds: 30_000,
      },
      onProgress: () => undefined,
    };
    const killedBefore = (step: string) =>
      moveBusiness({
        ...options,
        onProgress: (line) => {
          if (line.includes(step)) throw new Error("killed");
        },
      }).catch(({ message }: Error) => expect(message).toBe("killed"));
    await killedBefore("5 of 6");
    const cancelled = await run(...move, "--cancel");
    expect([cancelled.code, cancelled.err]).toEqual([
      0,
      expect.stringMatching(/^Warning: HAProxy at .*gone\.sock/),
    ]);
    await killedBefore("5 of 6");
    const arrived = await run(...move);
    expect([arrived.code, arrived.err]).toEqual([
      1,
      expect.stringMatching(
        /Warning: HAProxy at .*gone\.sock(?:.*\n)+.*gone\.sock does not respond .*Then repeat the command/,
      ),
    ]);
    expect(loaded["business.map"].get(String(businessId))).toBe("south");
    const stateIn = async (world: World) =>
      (await world.sql`SELECT move_state FROM ledger WHERE business_id = ${businessId}`)[0]?.move_state;
    expect([await stateIn(north), await stateIn(south)]).toEqual(["left", null]);
    await moveBusiness(options);
    expect(await stateIn(north)).toBeUndefined();
    await moveBusiness({ ...options, from: options.to, to: options.from });
    await new Promise((done) => haproxy.close(done));
  });

  it("sends requests to the new home of a business whose rows the old one still has", async () => {
    const { businessId } = north.away;
    await copyTo(south, north, businessId);
    await south.sql`UPDATE ledger SET move_state = 'left', move_database = gen_random_uuid() WHERE business_id = ${businessId}`;
    // The maps of another proxy, to which nobody has told the move yet.
    await writeFile(file("maps/business.map"), `${businessId} south\n`);
    await ok("cell", "maps");
    expect((await mapOf("business"))[businessId]).toBe("north");
    await deleteFrom(south, businessId);
  });

  it("keeps the new home when a move ends after two machines have read the databases", async () => {
    const { businessId } = north.away;
    const machines = ["here", "there"].map((name) => file(name));
    const socket = file("both.sock");
    const loaded = { "business.map": new Map<string, string>(), "client.map": new Map<string, string>() };
    const reading = new Set<string>();
    const readers: (() => void)[] = [];
    const haproxy = createServer({ allowHalfOpen: true }, (connection) => {
      const answer = async (text: string) => {
        const shown: string[] = [];
        for (const command of text.trim().split(";")) {
          const [verb = "", , path = "", key = "", cell = ""] = command.split(" ");
          const map = loaded[basename(path) as keyof typeof loaded];
          if (verb === "del") map.delete(key);
          else if (verb !== "show") map.set(key, cell);
          // Each machine has read the databases when it asks for the first time.
          if (verb === "show" && reading.size < 2) {
            reading.add(dirname(path));
            const both = new Promise<void>((done) => readers.push(done));
            if (reading.size === 2) {
              await endMove();
              for (const done of readers) done();
            }
            await both;
          }
          if (verb === "show") for (const [one, of] of map) shown.push(`0x55d0 ${one} ${of}\n`);
        }
        connection.end(`${shown.join("")}\n`);
      };
      connection.setEncoding("utf8").on("data", (text: string) => void answer(text));
    });
    const endMove = async () => {
      await copyTo(south, north, businessId);
      await north.sql`UPDATE ledger SET move_state = 'left', move_database = gen_random_uuid() WHERE business_id = ${businessId}`;
      loaded["business.map"].set(String(businessId), "south");
    };
    await new Promise<void>((done) => haproxy.listen(socket, done));
    const written = machines.map(async (maps) => {
      await mkdir(maps);
      const configuration = `${maps}.json`;
      await writeFile(configuration, JSON.stringify({ cells: both(), haproxy: { maps, sockets: [socket] } }));
      const command = cli.start(["cell", "maps"], { environment: { LOYALTY_CELLS: configuration } });
      expect(await once(command, "close")).toEqual([0, null]);
      return readFile(join(maps, "business.map"), "utf8");
    });
    for (const text of await Promise.all(written)) expect(text).toContain(`${businessId} south\n`);
    await new Promise((done) => haproxy.close(done));
    expect(loaded["business.map"].get(String(businessId))).toBe("south");
    await deleteFrom(south, businessId);
    await north.sql`UPDATE ledger SET move_state = NULL, move_database = NULL WHERE business_id = ${businessId}`;
  });

  it("writes nothing for an empty cell", async () => {
    const cells = { ...both(), third: { ...down, database_url: placeOf(empty.database).databaseUrl } };
    await configure({ cells, haproxy: maps() });
    expect((await json("cell", "maps")).entries).toBe(12);
    await configure({ cells: { third: cells.third }, haproxy: maps() });
    expect((await json("cell", "maps")).entries).toBe(0);
    expect(await readFile(file("maps/client.map"), "utf8")).toBe("");
  });

  it("tells a running HAProxy what has changed, and says which one does not respond", async () => {
    const asked: string[] = [];
    const socket = file("admin.sock");
    const haproxy = createServer({ allowHalfOpen: true }, (connection) => {
      connection.setEncoding("utf8").on("data", (text: string) => {
        asked.push(text);
        const isShown = text.startsWith(`show map ${file("maps/business.map")}`);
        connection.end(isShown ? `0x55d0 77 north\n0x55d1 ${north.home.businessId} south\n\n` : "\n");
      });
    });
    await new Promise<void>((done) => haproxy.listen(socket, done));
    const silent = file("nobody.sock");
    await configure({ cells: both(), haproxy: { maps: file("maps"), sockets: [silent, socket] } });
    const said = await run("cell", "maps");
    await new Promise((done) => haproxy.close(done));
    expect([said.code, said.err]).toEqual([
      1,
      expect.stringContaining(`HAProxy at ${silent} does not respond`),
    ]);
    const commands = asked.flatMap((text) => text.trim().split(";"));
    const map = file("maps/business.map");
    expect(commands).toContain(`set map ${map} ${north.home.businessId} north`);
    expect(commands).toContain(`add map ${map} ${south.home.businessId} south`);
    expect(commands).toContain(`del map ${map} 77`);
    expect(await mapOf("business")).toMatchObject(routesOf(south, "south").business);
  });
});

describe("with a cell that is down", () => {
  beforeEach(() => configure({ cells: { down, ...both() }, haproxy: maps() }));

  it("shows the others, and ends with a failure", async () => {
    const status = await run("status");
    expect([status.code, status.out]).toEqual([3, expect.stringMatching(/^down\nnorth\n(?:.*\n)+south\n/)]);
    expect(status.err).toContain("The service does not respond at http://127.0.0.1:9/api");
    const statuses = await run("status", "--json");
    expect([statuses.code, JSON.parse(statuses.out)]).toMatchObject([
      3,
      { down: { failure: expect.stringContaining("does not respond") }, south: { businesses: 2 } },
    ]);
    const listed = await run("business", "list");
    expect([listed.code, listed.err]).toEqual([
      3,
      expect.stringMatching(/^down: The service does not respond/),
    ]);
    expect(listed.out.match(/^(?:north|south) /gm)).toHaveLength(4);
    const { data, meta } = JSON.parse((await run("business", "list", "--all", "--json")).out);
    expect(data).toHaveLength(4);
    expect(meta.failures).toMatchObject([{ cell: "down", exit_code: 3 }]);
  });

  it("works on businesses of the others, but does not guess", async () => {
    const at = ["--business", String(south.home.businessId)];
    expect((await json("location", "list", ...at)).success).toBe(true);
    expect(await ok("member", "list", ...at)).not.toBe("");
    const member = String(await south.member({}, south.home.everywhere));
    expect((await json("member", "get", member, ...at)).data.contact_id).toBe(Number(member));
    for (const words of [
      ["member", "get", member],
      ["location", "list"],
      ["location", "list", "--business", "77"],
    ]) {
      const { code, err } = await run(...words);
      expect([words, code, err]).toEqual([words, 3, expect.stringContaining("does not respond")]);
    }
  });

  it("keeps its entries in other HAProxies, whose maps differ from the files here", async () => {
    const socket = file("other.sock");
    const loaded = { "business.map": new Map([["79", "down"]]), "client.map": new Map([["loy_79", "down"]]) };
    const haproxy = await startHaproxy(socket, loaded);
    await configure({ cells: { down, ...both() }, haproxy: { ...maps(), sockets: [socket] } });
    expect((await run("cell", "maps")).code).toBe(3);
    await new Promise((done) => haproxy.close(done));
    expect(loaded["business.map"].get("79")).toBe("down");
    expect(loaded["client.map"].get("loy_79")).toBe("down");
    expect(loaded["business.map"].get(String(south.home.businessId))).toBe("south");
  });

  it("keeps its entries in the maps", async () => {
    await writeFile(file("maps/business.map"), "77 down\n78 north\n");
    await writeFile(file("maps/client.map"), "loy_77 down\n");
    const { code, out, err } = await run("cell", "maps");
    expect([code, out]).toEqual([3, `Wrote 14 entries to ${file("maps")}.\n`]);
    expect(err).toMatch(/^down keeps its entries: The database can't be read: .*ECONNREFUSED/m);
    expect(await mapOf("business")).toMatchObject({ 77: "down", ...routesOf(south, "south").business });
    expect(await mapOf("business")).not.toHaveProperty("78");
    expect(await mapOf("client")).toMatchObject({ loy_77: "down" });
    const { failures } = JSON.parse((await run("cell", "maps", "--json")).out);
    expect(failures).toMatchObject([{ cell: "down" }]);
  });

  it("does not start its embedded database, or its service could not start meanwhile", async () => {
    const data_directory = file("stopped");
    await mkdir(join(data_directory, "postgres"), { recursive: true });
    await writeFile(join(data_directory, "postgres/PG_VERSION"), "18\n");
    const configuration = file("with-stopped.json");
    const { cells, haproxy } = JSON.parse(await readFile(file("cells.json"), "utf8"));
    const stopped = { url: "http://127.0.0.1:9", data_directory };
    await writeFile(configuration, JSON.stringify({ cells: { ...cells, stopped }, haproxy }));
    const { err } = await cli.run(["cell", "maps"], { environment: { LOYALTY_CELLS: configuration } });
    expect(err).toContain("does not run: start the service.");
  });

  it("moves no business to it, or one that it may have", async () => {
    const toDown = await run("move", "business", String(north.home.businessId), "--to", "down");
    expect(toDown.err).toMatch(
      /^There is no terminal for a question, so nothing is moved if writes would be rejected for longer/,
    );
    expect([toDown.code, toDown.err]).toEqual([1, expect.stringContaining("ECONNREFUSED")]);
    const unknown = await run("move", "business", "77", "--to", "south");
    expect([unknown.code, unknown.err]).toEqual([
      1,
      expect.stringMatching(/^down: The database can't be read/m),
    ]);
    const [row] = await north.sql`SELECT move_state FROM ledger WHERE business_id = ${north.home.businessId}`;
    expect(row).toEqual({ move_state: null });
  });
});

describe("explains", () => {
  it("a wrong key, and shows the cells that accept theirs", async () => {
    const { north: first, south: second } = both();
    await configure({ cells: { north: { ...first, operator_key_file: file("wrong.key") }, south: second } });
    const status = await run("status");
    expect([status.code, status.err]).toEqual([4, expect.stringMatching(/rejects the operator key/)]);
    expect(status.out).toMatch(/^north\nsouth\n.*version/m);
    const listed = await run("business", "list");
    expect([listed.code, listed.err]).toEqual([
      4,
      expect.stringMatching(/^north: .*rejects the operator key/),
    ]);
    await configure({ cells: { south: { ...second, operator_key_file: file("none.key") } } });
    const missing = await run("status");
    expect([missing.code, missing.err]).toEqual([
      2,
      expect.stringMatching(/^south\.operator_key_file names .*none\.key, which can't be read/),
    ]);
  });

  it.each([
    ["{", /is no JSON/],
    ["{}", /needs a field cells/],
    [{ cells: {} }, /has no cell/],
    [{ cells: { north: {} } }, /north\.url is required/],
    [{ cells: { "no name": { url: "http://a" } } }, /the name "no name" must have letters/],
    [{ cells: { north: { url: "http://a", key: "b" } } }, /north\.key is not one of url, database_url/],
    [
      { cells: { north: { url: "http://a", database_url: "b", database_url_file: "c" } } },
      /database_url_file and north\.database_url are both set/,
    ],
    [{ cells: { north: { url: "http://a" } }, haproxy: {} }, /haproxy\.maps must be the directory/],
    [
      { cells: { north: { url: "http://a" } }, haproxy: { maps: "/m", sockets: ["here"] } },
      /sockets must be a list/,
    ],
  ])("that %j is no file of cells", async (content, reason) => {
    await configure(content);
    const { code, err } = await run("cell", "maps");
    expect([code, err]).toEqual([2, expect.stringMatching(reason)]);
  });

  it("what is missing", async () => {
    const without = await cli.run(["cell", "maps"]);
    expect([without.code, without.err]).toEqual([2, expect.stringContaining("No cells are configured")]);
    const gone = await cli.run(["status"], { environment: { LOYALTY_CELLS: file("gone.json") } });
    expect([gone.code, gone.err]).toEqual([
      2,
      expect.stringMatching(/gone\.json .* can't be read \(ENOENT\)/),
    ]);
    await configure({ cells: both() });
    for (const [words, reason] of [
      [["cell", "maps"], /does not say where the maps of HAProxy are/],
      [["status", "--cell", "west"], /no cell west in .*\n.*north, south/],
      [["move", "business", "1", "--to", "west"], /does not say where the maps/],
      [["move", "business", "one", "--to", "south"], /must be the id of a business/],
      [["backup", file("backup"), "--cell", "north"], /does not take --cell.*\n.*DATABASE_URL/],
      [["restore", file("backup"), "--cell", "north"], /does not take --cell/],
      [["export", "business", file("one"), "--business", "1", "--cell", "north"], /does not take --cell/],
      [["import", "business", file("one"), "--cell", "north"], /does not take --cell/],
      [["login", "ana", "--cell", "north"], /does not take --cell.*\n.*--url/],
      [["logout", "--cell", "north"], /does not take --cell/],
      [["call", "/sp/member-tiers/list", "--cell", "north"], /does not take --cell/],
    ] as const) {
      const { code, err } = await run(...words);
      expect([words, code, err]).toEqual([words, 2, expect.stringMatching(reason)]);
    }
    await configure({ cells: both(), haproxy: { maps: file("nowhere") } });
    const { code, err } = await run("cell", "maps");
    expect([code, err]).toEqual([1, expect.stringMatching(/directory .*nowhere of the maps does not exist/)]);
    await configure({ cells: { north: { url: "http://127.0.0.1:9" } }, haproxy: maps() });
    const placeless = await run("cell", "maps");
    expect([placeless.code, placeless.err]).toEqual([
      2,
      expect.stringContaining("does not say where the database of north is"),
    ]);
  });
});
