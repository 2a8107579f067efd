/** Several processes on one database: equal keys at once, and many callers on few accounts. */
import { beforeAll, expect, it } from "vitest";
import { money } from "../../chaos/scenarios/crowd.ts";
import { duplicates } from "../../chaos/scenarios/duplicates.ts";
import { lists } from "../../chaos/scenarios/lists.ts";
import { crowd, Service } from "../support/runs/service.ts";
import { keptPromisesInTheEnd, useChaos } from "./promises.ts";

const chaos = useChaos();
let service: Service;

beforeAll(async () => {
  service = await Service.start(chaos.begin(), { workers: crowd });
});

it("takes a key once, however often it comes at the same time, and rejects another body under it", async () => {
  const size = { rounds: 24, copies: 40 };
  const figures = keptPromisesInTheEnd(await duplicates(chaos.begin(), service.port, size));
  expect(figures).toMatchObject({ "of these with two bodies": 12, requests: 960 });
});

it("moves money between few accounts in one order, without making or losing any", async () => {
  const size = { movements: 800, businesses: 1, writers: 24, accounts: 4 };
  const figures = keptPromisesInTheEnd(await money(chaos.begin(), service.port, size));
  expect(figures["debits rejected"]).toBeGreaterThan(0);
});

it("lists what a naive reading lists, and lets nobody who walks pass over an entry, while writes go on", async () => {
  const size = { reads: 150, walks: 3, writers: 3, readers: 2 };
  const figures = keptPromisesInTheEnd(await lists(chaos.begin(), service.port, size));
  expect(figures["of these sales of the past"]).toBeGreaterThan(0);
});
