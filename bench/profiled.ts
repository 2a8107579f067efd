/** One more load on a service that profiles itself. Its figures are apart: being profiled slows it down. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bench, measure } from "./bench.ts";
import type { Traffic } from "./load/traffic.ts";
import { summarizeProfile } from "./profile.ts";
import type { Figure } from "./report.ts";
import { startService } from "./service.ts";

/** Loading and warming up are left out of the profile. */
const skipSeconds = 4;
const loadSeconds = 15;
const leastShare = 0.01;

/** Where the service's time goes while it adjusts over 64 connections. */
export async function profileAdjustments(
  bench: Bench,
  database: string,
  traffic: Traffic,
): Promise<Figure[]> {
  bench.say("profile …");
  const directory = await mkdtemp(join(tmpdir(), "loyalty-bench-profile-"));
  try {
    const nodeOptions = ["--cpu-prof", `--cpu-prof-dir=${directory}`];
    const service = await startService({ server: bench.server, database, nodeOptions });
    // The profile is written when the service ends.
    await measure(bench, { ports: [service.port], connections: 64, traffic, seconds: loadSeconds }).finally(
      service.stop,
    );
    const { byOwner, byFunction } = await summarizeProfile(directory, skipSeconds);
    return byOwner
      .filter(({ share }) => share >= leastShare)
      .map(({ name, share }, index) => ({
        what: `profile, ${name}`,
        value: share * 100,
        unit: "%",
        ...(index === 0 ? { details: { byFunction } } : {}),
      }));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
