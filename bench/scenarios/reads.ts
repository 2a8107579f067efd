/** Reads a second, each against a route of the bare framework with the same schema and the same answer. */
import { bodyOf, type Operation } from "../../src/contract/operation.ts";
import { partnerOperations } from "../../src/operations/partner.ts";
import { fillBusiness, measure, type Scenario, startBareServer, startOnNewDatabase } from "../bench.ts";
import { authorize } from "../business.ts";
import type { LoadResult } from "../load/generator.ts";
import type { Traffic } from "../load/traffic.ts";
import { type Figure, median } from "../report.ts";
import { basePath } from "../service.ts";

const database = "reads";
const size = { members: 100_000, entries: 100_000 };
const tokensPerSecond = 2000;
const shareOfBare = 0.5;

export const reads: Scenario = async (bench) => {
  const service = await startOnNewDatabase(bench, database);
  const business = await fillBusiness(bench, database, size);
  const authorization = await authorize(service, business);
  const bodies: Readonly<Record<string, readonly object[]>> = {
    "/sp/members/list": [{}],
    "/sp/transactions/list": [{}],
    "/sp/vouchers/get": business.voucherIds.map((voucher_id) => ({ voucher_id })),
    "/sp/member-tiers/list": [{}],
    "/sp/auth/token": [business.credentials],
  };
  const routes = await Promise.all(
    Object.entries(bodies).map(async ([path, [body = {}]]) => ({
      path,
      schema: bodyOf(operationAt(path)),
      answer: JSON.parse((await service.post(path, body, authorization)).text) as object,
    })),
  );
  const bare = await startBareServer(routes.map((route) => ({ ...route, path: basePath + route.path })));
  try {
    const figures: Figure[] = [];
    for (const { path } of routes) {
      const traffic: Traffic = {
        kind: "fixed",
        path: basePath + path,
        ...(path === "/sp/auth/token" ? {} : { authorization }),
        bodies: bodies[path] ?? [],
      };
      const rounds: { service: LoadResult; bare: LoadResult }[] = [];
      for (let round = 0; round < bench.options.rounds; round++) {
        rounds.push({
          service: await measure(bench, service, traffic),
          bare: await measure(bench, bare, traffic),
        });
      }
      const figure = figureOf(path, rounds);
      const ofBare = figure.ratio === undefined ? "" : `, ${figure.ratio.toFixed(2)} of B`;
      bench.say(`${path}: ${Math.round(figure.value)} a second${ofBare}`);
      figures.push(figure);
    }
    return figures;
  } finally {
    bare.stop();
    await service.stop();
  }
};

function operationAt(path: string): Operation {
  const operation = partnerOperations.find((candidate) => candidate.path === path);
  if (operation === undefined) throw new Error(`there is no operation ${path}`);
  return operation;
}

function figureOf(path: string, rounds: readonly { service: LoadResult; bare: LoadResult }[]): Figure {
  const value = median(rounds.map((round) => round.service.perSecond));
  const figure = { what: path.slice("/sp/".length), value, unit: "/s", details: { rounds } };
  // How many tokens are needed has nothing to do with what a framework can do.
  if (path === "/sp/auth/token") return { ...figure, target: { atLeast: tokensPerSecond } };
  return {
    ...figure,
    against: "B",
    ratio: median(rounds.map((round) => round.service.perSecond / round.bare.perSecond)),
    target: { atLeast: shareOfBare },
  };
}
