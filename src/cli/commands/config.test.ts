import { expect, it } from "vitest";
import { readConfig } from "../../config.ts";
import { readSettings } from "./config.ts";

const secret = "a-secret-for-tests-long-enough-to-be-one";

it("has every setting that the service reads", () => {
  const read = new Set<string>();
  const environment = new Proxy<Record<string, string>>(
    {},
    { get: (_, name) => void read.add(String(name)) },
  );
  readConfig(environment);
  const { settings } = readSettings({}, new Set(), "none");
  // A setting that can be read from a file is one setting.
  const names = [...read].filter((name) => !name.endsWith("_FILE"));
  expect(settings.map(({ name }) => name).sort()).toEqual(names.sort());
});

it("says where each value comes from, and shows no secret", () => {
  const environment = {
    PORT: "9090",
    LOG_LEVEL: "debug",
    LOYALTY_SECRET: secret,
    DATABASE_URL: "postgres://ana:hunter2@db/loyalty",
  };
  const { settings } = readSettings(environment, new Set(), "none");
  const of = (wanted: string) => settings.find(({ name }) => name === wanted);
  expect(of("PORT")).toMatchObject({ value: "9090", from: "environment" });
  expect(of("HOST")).toMatchObject({ value: "127.0.0.1", from: "default" });
  expect(of("LOYALTY_SECRET")).toMatchObject({ value: "*** (40 characters)" });
  expect(of("LOYALTY_OPERATOR_KEY")).toMatchObject({ from: "data directory" });
  expect(of("DATABASE_URL")?.value).toBe("postgres://ana:***@db/loyalty");
  expect(JSON.stringify(settings)).not.toMatch(/hunter2|a-secret/);
});

it.each([
  ["LOYALTY_WEBHOOK_PROXY", "http://u:hunter2@tail@proxy:3128"],
  ["DATABASE_URL", "postgres://u:hunter2%40tail@db/loyalty"],
])("shows no part of a password in %s that contains an @", (name, url) => {
  const environment = { LOYALTY_SECRET: secret, [name]: url };
  const { settings } = readSettings(environment, new Set(), "none");
  expect(JSON.stringify(settings)).not.toMatch(/hunter2|tail/);
});

it("rejects a password in the address of a console, and does not repeat it", () => {
  const LOYALTY_CONSOLES = "north=https://u:hunter2@tail@north.example.com/api/console/";
  const read = () => readSettings({ LOYALTY_CONSOLES }, new Set(), "none");
  expect(read).toThrow(
    /^LOYALTY_CONSOLES holds "north=https:\/\/u:\*\*\*@north\.example\.com.*without a password\.$/,
  );
});

it("names every setting that is wrong", () => {
  expect(() => readSettings({ PORT: "many", LOG_LEVEL: "loud" }, new Set(), "none")).toThrow(
    /PORT must.*\nLOG_LEVEL must/,
  );
});
