import { expect, it, vi } from "vitest";
import { OperatorError } from "../domain/access/operator-error.ts";
import { HostList, targetOf } from "./target.ts";

const [plain] = targetOf("postgres://u:p%40w@db.example:6432/loyalty");

it("reads a URL as libpq does", () => {
  expect(plain).toEqual({
    host: "db.example",
    port: 6432,
    user: "u",
    password: "p@w",
    database: "loyalty",
    ssl: false,
  });
  const [socket] = targetOf("postgresql:///loyalty?host=/var/run/postgresql");
  expect(socket).toMatchObject({ host: "/var/run/postgresql", port: 5432, database: "loyalty" });
  expect(targetOf("postgres://%2Fvar%2Frun:5433/loyalty")).toMatchObject([{ host: "/var/run", port: 5433 }]);
  expect(targetOf("postgres://u@:5433/loyalty?host=/tmp")).toMatchObject([{ host: "/tmp", port: 5433 }]);
  const several = targetOf("postgres://one,[::1]:5433/loyalty?target_session_attrs=read-write");
  expect(several).toMatchObject([
    { host: "one", port: 5432 },
    { host: "::1", port: 5433 },
  ]);
  expect(targetOf("postgres:///loyalty?host=one,::1&port=1,2")).toMatchObject([
    { host: "one", port: 1 },
    { host: "::1", port: 2 },
  ]);
  expect(targetOf("postgres://one,two/loyalty?port=6432")).toMatchObject([{ port: 6432 }, { port: 6432 }]);
});

it("takes what a URL leaves out from the environment", () => {
  vi.stubEnv("PGHOST", "one,/tmp").stubEnv("PGPORT", "6000").stubEnv("PGDATABASE", "points");
  const hosts = targetOf("postgres:///");
  vi.unstubAllEnvs();
  expect(hosts).toMatchObject([
    { host: "one", port: 6000, user: undefined, password: undefined, database: "points" },
    { host: "/tmp", port: 6000 },
  ]);
});

it("uses no TLS over a Unix socket, as libpq", () => {
  expect(targetOf("postgres:///db?host=/tmp,one&sslmode=require")).toMatchObject([
    { ssl: false },
    { ssl: { rejectUnauthorized: false } },
  ]);
});

it("checks certificates as the sslmode says", () => {
  const ssl = (parameters: string) => targetOf(`postgres://h/db?${parameters}`)[0]?.ssl;
  expect(ssl("sslmode=disable")).toBe(false);
  expect(ssl("sslmode=require")).toEqual({ rejectUnauthorized: false });
  expect(ssl("sslmode=verify-full")).toEqual({});
  expect(ssl("sslmode=verify-ca")).toEqual({ checkServerIdentity: expect.any(Function) });
});

it.each([
  "sslmode=prefer",
  "sslrootcert=/nowhere.crt",
  "sslmode=verify-full&sslrootcert=/nowhere.crt",
  "target_session_attrs=any",
  "connect_timeout=3",
  "host=one,two,three&port=1,2",
])("rejects what it would have to ignore: %s", (parameters) => {
  expect(() => targetOf(`postgres://u:secret@h/db?${parameters}`)).toThrow(OperatorError);
  expect(() => targetOf(`postgres://u:secret@h/db?${parameters}`)).not.toThrow(/secret@/);
});

it("names the parameter of a provider that must go", () => {
  const url = "postgres://u:secret@h/db?sslmode=require&channel_binding=require";
  expect(() => targetOf(url)).toThrow("(remove channel_binding)");
});

it("goes from host to host, and back to the first", () => {
  const hosts = new HostList(targetOf("postgres://one,two/db"));
  const [one] = [hosts.current];
  hosts.moveOn(one);
  expect(hosts.current.host).toBe("two");
  // Somebody else has moved on from it already.
  hosts.moveOn(one);
  expect(hosts.current.host).toBe("two");
  hosts.moveOn(hosts.current);
  expect(hosts.current).toBe(one);
});

it("takes no standby and no former primary, and leaves connections to one that was", () => {
  const hosts = new HostList(targetOf("postgres://one,two/db"));
  expect(() => hosts.accept(0)).toThrow("standby");
  const before = hosts.accept(4);
  expect(hosts.isCurrent(before)).toBe(true);
  expect(hosts.accept(4)).toBe(before);
  const promoted = hosts.accept(5);
  expect([hosts.isCurrent(before), hosts.isCurrent(promoted)]).toEqual([false, true]);
  expect(() => hosts.accept(4)).toThrow("former primary");
  hosts.lose();
  expect(hosts.isCurrent(promoted)).toBe(false);
});
