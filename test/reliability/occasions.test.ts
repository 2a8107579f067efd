/** Occasions give once, however often the service is killed. */
import { expect, it } from "vitest";
import { occasions } from "../../chaos/scenarios/occasions.ts";
import { keptPromisesInTheEnd, useChaos } from "./promises.ts";

const chaos = useChaos();

it("gives each member one welcome, birthday and anniversary, while the service is killed", async () => {
  const size = { members: 120, callers: 4, calmMilliseconds: 4000 };
  const figures = keptPromisesInTheEnd(await occasions(chaos.begin(), size));
  expect(figures.members).toBe(120);
  expect(figures.kills).toBeGreaterThan(0);
});
