import { ApiError } from "loyalty-sdk";
import { expect, it } from "vitest";
import { operatorOperations } from "../../operations/operations.ts";
import { createCommandLine } from "../program.ts";
import { CliError } from "../terminal/cli-error.ts";
import { records } from "./command-names.ts";
import { explain } from "./failure.ts";

const connection = {
  baseUrl: "http://127.0.0.1:8080/api",
  urlFrom: "from the default",
  key: { key: "k", from: "LOYALTY_OPERATOR_KEY" },
};

function explained(status: number, code: string, details = {}, body = {}): CliError {
  const rejection = { path: "/op/x", status, code, details, requestId: "r-1", retryAfterSeconds: 1 };
  const error = explain(new ApiError("said", rejection), connection, undefined, { business_id: 7, ...body });
  if (!(error instanceof CliError)) throw error;
  return error;
}

it("says where to look when the service can't respond now", () => {
  const { advice, exitCode } = explained(503, "service_unavailable");
  expect(exitCode).toBe(3);
  expect(advice).toEqual([
    "Look at the service's log and at http://127.0.0.1:8080/health/ready, then run the command again.",
    "The service's log has details for the request r-1.",
  ]);
});

it("gives a command that can be copied whole", () => {
  expect(explained(404, "program_not_found").advice).toEqual([
    "To list them: loyalty program list --business 7",
  ]);
});

it("names every location that was not found", () => {
  const { message } = explained(404, "location_not_found", { location_ids: [8, 9] });
  expect(message).toBe("Location 8, 9 not found in business 7.");
});

const declared = new Set(operatorOperations.flatMap(({ errors }) => errors));

it("names options by the code of the error, for every record that an operation may miss", () => {
  for (const code of declared) {
    const field = `${code === "member_not_found" ? "contact" : code.replace("_not_found", "")}_id`;
    if (!(field in records)) continue;
    const { message, advice } = explained(404, code, {}, { [field]: 5 });
    expect(message).toMatch(/^[A-Z][a-z -]+ 5 not found( in business 7)?\.$/);
    expect(advice[0]).toMatch(/^To list them: loyalty [a-z-]+ list( --business 7)?$/);
  }
});

it("gives whole commands for every error, about the business and the record of the request", () => {
  const ids = { sale_id: 5, contact_id: 5, endpoint_id: 5 };
  const commands = [...declared].flatMap((code) =>
    explained(409, code, {}, ids).advice.flatMap((line) => /: loyalty (.+)$/.exec(line)?.[1] ?? []),
  );
  expect(commands.length).toBeGreaterThan(10);
  for (const command of commands) {
    const [noun, verb] = command.split(" ");
    const group = createCommandLine().commands.find((one) => one.name() === noun);
    const found = group?.commands.find((one) => one.name() === verb) ?? group;
    const ofBusiness = found?.options.some(({ long }) => long === "--business");
    expect(found, command).toBeDefined();
    if (ofBusiness) expect(command).toContain(" --business 7");
    expect(command).not.toMatch(/[{}]/);
  }
});

it("advises no operation of the API, because people at a terminal have commands", () => {
  const advice = [...declared].map((code) => [code, ...explained(409, code).advice]);
  expect(advice.flat().join("\n")).not.toMatch(/\/[so]p\//);
});

it("says of every field what is wrong, under the name of its option", () => {
  const errors = [
    { field: "time_zone", code: "not_allowed_value", message: "time_zone must be an IANA time zone." },
    { field: "location_ids.0", code: "out_of_range", message: "location_ids.0 must be at least 1." },
    {
      field: "location_ids",
      code: "required",
      message: "location_ids is required unless all_locations is true.",
    },
    { field: "", code: "no_fields_to_update", message: "The request changes nothing." },
    { field: "content", code: "not_allowed_value", message: "The file is a picture." },
  ];
  const { message, advice, exitCode } = explained(422, "validation_failed", { errors });
  expect([message, exitCode]).toEqual(["Some fields are missing or invalid.", 2]);
  expect(advice).toEqual([
    "--time-zone must be an IANA time zone.",
    "--locations must be at least 1.",
    "--locations or --all-locations is required.",
    "The request changes nothing.",
    "The file is a picture.",
  ]);
});
