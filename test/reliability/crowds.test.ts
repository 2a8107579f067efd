/** Several processes on one database: equal keys at once, and many callers on few accounts. */
import { beforeAll, expect, it } from "vitest";
import { duplicates } from "../../chaos/scenarios/duplicates.ts";
import { lists } from "../../chaos/scenarios/lists.ts";
import { money } from "../../chaos/scenarios/money.ts";
import { crowd, Service } from "../../chaos/service.ts";
import { figuresOf, useChaos } from "../support/chaos.ts";
import { useInstallation } from "../support/installation.ts";

const chaos = useChaos(useInstallation());
let service: Service;
const port = () => service.port;

beforeAll(async () => {
  service = await Service.start(chaos.begin(), { workers: crowd });
}, 60_000);

it("takes a key once, however often it comes at the same time, and refuses another body under it", async () => {
  const result = await duplicates(chaos.begin(), port(), { rounds: 24, copies: 40 });
  expect(result.violations).toEqual([]);
  expect(figuresOf(result)).toEqual({
    rounds: 24,
    "of these with two bodies": 12,
    requests: 960,
    "rounds without exactly one effect": 0,
    "answers to the same body that differ": 0,
    "other bodies not refused": 0,
  });
}, 120_000);

it("moves money between few accounts in one order, without making or losing any", async () => {
  const result = await money(chaos.begin(), port(), { movements: 800, writers: 24, accounts: 4 });
  expect(result.violations).toEqual([]);
  expect(figuresOf(result)).toMatchObject({
    "movements lost, doubled or changed": 0,
    "money that came or went": 0,
    "balances below zero": 0,
    "entries off the line of their account": 0,
    "answers out of their order in time": 0,
    "refusals by a balance that was not": 0,
  });
  expect(figuresOf(result)["debits refused for want of money"]).toBeGreaterThan(0);
}, 120_000);

it("lists what a naive reading lists, and lets nobody who walks pass over an entry, while writes go on", async () => {
  const result = await lists(chaos.begin(), port(), { reads: 150, walks: 3, writers: 3, readers: 2 });
  expect(result.violations).toEqual([]);
  expect(figuresOf(result)).toMatchObject({
    "pages that are no state of the books": 0,
    "entries that a walk passed over": 0,
    "entries that a walk gave again": 0,
  });
  expect(figuresOf(result)["of these sales of the past"]).toBeGreaterThan(0);
}, 120_000);
